package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// dated returns the paths of the documents with their dates and the sources of these.
func (w *world) dated(site string) (list []string) {
	for _, row := range w.rows(`SELECT substr(url, $1), to_char(d.modified AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'), d.modified_from
		FROM urlword JOIN docdates d USING (url_id) WHERE url !~ '/$' ORDER BY url`, len(site)+1) {
		if !strings.HasSuffix(row, " fetch") {
			list = append(list, row)
		}
	}
	return list
}

// newest returns the URLs and years of what a query finds between two years, the newest first.
func (w *world) newest(words string, from, to int) string {
	w.t.Helper()
	q, err := query.Parse(words, query.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	r, err := engine(w.t, w.dsn, search.EngineOptions{}).Search(w.t.Context(), search.Request{
		Query: q, Order: search.ByDate, Dates: search.Dates{From: year(from), To: year(to + 1)}, PerPage: search.MaxPerPage, Group: search.NoGroups,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var list []string
	for _, h := range r.Hits {
		list = append(list, fmt.Sprintf("%s %d", h.URL, h.Modified.Year()))
	}
	return strings.Join(list, " ")
}

// TestDateRules: the date of a document comes from the place that the first fitting DateRule line names, for what sorts, filters,
// counts and shows by date. Changed rules reach stored documents at their next visit, which changes nothing else, or by a rebuild.
func TestDateRules(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	text := strings.Repeat("The common words of a page that tells enough to be one. ", 3)
	pages := map[string]string{
		"/news/2001/02/03/a": `<title>A</title>` + text + `a`,
		"/b":                 `<title>Report of 3/4/2002</title>` + text + `b`,
		"/c":                 `<title>C</title><meta property="article:published_time" content="2003-02-13T23:30:00-05:00">` + text + `c`,
		"/d":                 `<title>D</title>` + text + `<p>Опубликовано 13 февраля 2004 г.</p>d`,
		"/h":                 `<title>H</title>` + text + `h<footer><p class="changed by">Changed: 4.3.08</p></footer>`,
		"/e":                 `<title>E</title><time datetime="2005-02-13">heute</time>` + text + `e`,
		"/g":                 `<title>Of 1.1.2090 and 31.12.1969</title>` + text + `g`,
	}
	links := ""
	for path, body := range pages {
		site.HTML(path, body)
		links += fmt.Sprintf(`<a href="%s">x</a>`, path)
	}
	site.Set("/f.txt", spidertest.Page{Body: text + "f", Header: map[string]string{"Content-Type": "text/plain", "Last-Modified": "Mon, 13 Feb 2006 10:00:00 GMT"}})
	site.HTML("/", `<title>Start</title>`+text+links+`<a href="/f.txt">f</a>`)
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, server)
	w.index()
	if got := w.dated(site.URL); !slices.Equal(got, []string{"/f.txt 2006-02-13T10:00:00 last-modified"}) {
		t.Errorf("without rules: %q", got)
	}
	unruled := w.rows(`SELECT url_id, created, modified, modified_from FROM docdates ORDER BY 1`)

	rules := "DateRule /news/ url\nDateRule . title mdy\nDateRule . meta Article:Published_Time\nDateRule . time\nDateRule [^/]$ body\nDateRule . body .changed dmy\nDateRule . header\n"
	want := []string{
		"/b 2002-03-04T00:00:00 rule", "/c 2003-02-14T04:30:00 rule", "/d 2004-02-13T00:00:00 rule", "/e 2005-02-13T00:00:00 rule",
		"/f.txt 2006-02-13T10:00:00 rule", "/h 2008-03-04T00:00:00 rule", "/news/2001/02/03/a 2001-02-03T00:00:00 rule",
	}
	w.sets(rules + server)
	if out := w.index("--explain", site.URL+"/d"); !strings.Contains(out, "another date: it counts from the next visit on") {
		t.Errorf("--explain before the visit:\n%s", out)
	}
	w.index("-a")
	check := func(when string, want []string) {
		t.Helper()
		if got := w.dated(site.URL); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		w.index("-X1")
	}
	check("at the next visit", want)
	if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-04'`); got != "0" {
		t.Errorf("%s documents count as changed", got)
	}
	out := w.index("--explain", site.URL+"/d")
	for _, line := range []string{
		`sets.cnf:2: DateRule, title: no valid date in "D"`, `sets.cnf:3: DateRule, meta Article:Published_Time: there is none`, `sets.cnf:5: DateRule, body: "13 февраля 2004" is 2004-02-13`,
		"from the document, by a DateRule", "without a DateRule: ", "from the fetch",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("--explain lacks %q:\n%s", line, out)
		}
	}

	w.index("-H")
	ruled := w.rows(`SELECT d.*, dated FROM docdates d JOIN urlstate USING (url_id) ORDER BY 1`)
	w.sets(server)
	w.index("--rebuild-index")
	if got := w.rows(`SELECT url_id, created, modified, modified_from FROM docdates ORDER BY 1`); !slices.Equal(got, unruled) {
		t.Errorf("rebuilt without rules:\n%s\nwant\n%s", got, unruled)
	}
	w.sets(rules + server)
	w.index("--rebuild-index")
	check("by the rebuild", want)
	if got := w.rows(`SELECT d.*, dated FROM docdates d JOIN urlstate USING (url_id) ORDER BY 1`); !slices.Equal(got, ruled) {
		t.Errorf("by the rebuild:\n%s\nby the visit:\n%s", got, ruled)
	}

	// A new version found at once has its date at once.
	site.HTML("/b", `<title>Report of 3/4/2007</title>`+text+`b again`)
	w.index("-T", site.URL+"/b")
	for _, when := range []string{"at once", "merged"} {
		if got, want := w.newest("common", 2001, 2019), "/h 2008 /b 2007 /f.txt 2006 /e 2005 /d 2004 /c 2003 /news/2001/02/03/a 2001"; strings.ReplaceAll(got, site.URL, "") != want {
			t.Errorf("%s: newest first: %q, want %s", when, got, want)
		}
		if got := w.one(`SELECT string_agg(url, ' ') FROM search('common', since => '2007-03-04', until => '2007-03-05')`); got != site.URL+"/b" {
			t.Errorf("%s: search() found %q", when, got)
		}
		if out := w.index("--search", "again"); !strings.Contains(out, "2007-03-04") {
			t.Errorf("%s: --search:\n%s", when, out)
		}
		w.index("-D")
	}

	// A document without a valid date by the rules is as without rules.
	site.HTML("/b", `<title>Report of 30.2.2008</title>`+text+`b at last`)
	site.HTML("/c", `<title>C</title><meta property="article:published_time" content="2008-02-13">`+text+`c`)
	w.index("-a")
	want = want[1:] // without /b
	want[0] = "/c 2008-02-13T00:00:00 rule"
	check("changed", want)
	if got := w.one(`SELECT unruled IS NULL AND modified > now() - interval '1 hour' FROM docdates JOIN urlword USING (url_id) WHERE url ~ '/b$'`); got != "true" {
		t.Errorf("/b without a date: %s", got)
	}
}

// TestDatesOfFormats: what an Office file, a feed, or a PDF says of itself is read by rules for META elements.
func TestDatesOfFormats(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	slides, err := os.ReadFile("../convert/reader/testdata/slides.pptx")
	if err != nil {
		t.Fatal(err)
	}
	printed := strings.Replace(string(pdf("/", "some text")), "/Root 1 0 R", "/Root 1 0 R /Info << /CreationDate (D:20210213101530+01'00') >>", 1)
	site.HTML("/", `<a href="/a.pptx">x</a> <a href="/b.pdf">x</a> <a href="/c.rss">x</a>`)
	site.Set("/a.pptx", spidertest.Page{Type: "application/octet-stream", Body: string(slides)})
	site.Set("/b.pdf", spidertest.Page{Type: "application/pdf", Body: printed})
	site.Set("/c.rss", spidertest.Page{Type: "application/rss+xml", Body: `<rss><channel><title>Tides</title><pubDate>Sat, 13 Feb 2010 10:15:30 +0100</pubDate>
		<item><title>High</title></item></channel></rss>`})
	w := newWorld(t, "DateRule . meta dcterms.modified\nDateRule [.]pdf$ meta CreationDate\n"+
		"Converter application/pdf text/html;charset=utf-8 pdftotext -htmlmeta -enc UTF-8 $in -\nServer "+site.URL+"/\n")
	w.index()
	want := []string{"/a.pptx 2020-02-13T10:00:00 rule", "/b.pdf 2021-02-13T09:15:30 rule", "/c.rss 2010-02-13T09:15:30 rule"}
	if !installed("pdftotext") {
		want = slices.Delete(want, 1, 2)
	}
	check := func() {
		t.Helper()
		if got := w.dated(site.URL); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		w.index("-X1")
	}
	check()
	if got := w.rows(`SELECT title FROM urlwords JOIN urlword USING (url_id) WHERE url ~ 'pdf$'`); len(got) > 0 && got[0] != "b.pdf" {
		t.Errorf("title of a PDF without one: %q", got)
	}
	w.index("--rebuild-index")
	check()
}
