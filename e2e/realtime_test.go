package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// found returns the words that searches find, each with the paths of its documents: live documents, no
// clones.
func (w *world) found(words ...string) map[string]string {
	w.t.Helper()
	got := map[string]string{}
	for _, word := range words {
		got[word] = strings.Join(w.rows(`
			SELECT substring(p.url FROM '//[^/]*(/.*)$') FROM word_postings($1) p JOIN urlword w USING (url_id)
			WHERE w.deleted = 0 AND status_base(w.status) = 200 AND w.origin = 0 ORDER BY 1`, word), " ")
	}
	return got
}

// finds compares what searches find with want: words with paths.
func (w *world) finds(what string, want map[string]string) {
	w.t.Helper()
	var words []string
	for word := range want {
		words = append(words, word)
	}
	if diff := cmp.Diff(want, w.found(words...)); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	w.check()
}

// failsT runs index -T, which must end with exit code 1 and print these texts.
func (w *world) failsT(url string, texts ...string) {
	w.t.Helper()
	code, out, errOut := w.try("-T", url)
	if code != exitFailed {
		w.t.Errorf("-T %s: exit %d, want %d\n%s%s", url, code, exitFailed, out, errOut)
	}
	for _, text := range texts {
		if !strings.Contains(out, text) || !strings.Contains(errOut, text) {
			w.t.Errorf("-T %s: %q does not stand in both\n%s%s", url, text, out, errOut)
		}
	}
	w.check()
}

// merged runs -D and verifies that the real-time index is empty.
func (w *world) merged() {
	w.t.Helper()
	w.index("-D")
	if got := w.one(`SELECT (SELECT count(*) FROM wordurl1), (SELECT count(*) FROM rt_urls), (SELECT count(*) FROM journal), (SELECT count(*) FROM markdel)`); got != "0 0 0 0" {
		w.t.Errorf("after -D: wordurl1, rt_urls, journal and markdel have %s rows", got)
	}
	w.check()
}

// TestRealtimeHidesWhatWentFromAPage verifies that, as soon as -T returns, searches no longer find words that
// only the merged version or an earlier real-time version had, and that -D keeps it so.
func TestRealtimeHidesWhatWentFromAPage(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/", `apple <a href="/b">b</a>`)
	site.HTML("/b", `apple cherry`)
	w.index()
	site.HTML("/", `banana <a href="/b">b</a>`)
	w.index("-T", site.URL+"/")
	w.finds("changed once", map[string]string{"apple": "/b", "banana": "/", "cherry": "/b"})
	site.HTML("/", `date <a href="/b">b</a>`)
	w.index("-T", site.URL+"/")
	w.finds("changed twice", map[string]string{"apple": "/b", "banana": "", "date": "/", "b": "/"})
	if got := w.one(`SELECT count(*) FROM wordurl1 WHERE word = 'banana'`); got != "0" {
		t.Error("wordurl1 keeps a word without documents")
	}
	w.merged()
	w.finds("merged", map[string]string{"apple": "/b", "banana": "", "date": "/", "b": "/", "cherry": "/b"})
}

// TestRealtimeOfAnUnchangedPage verifies that an unchanged page that is not merged yet is found at once, with
// the words of its journal row, and that nothing changes for one that is merged.
func TestRealtimeOfAnUnchangedPage(t *testing.T) {
	t.Parallel()
	for _, page := range []struct {
		rule string
		page spidertest.Page
	}{
		{"T-02", spidertest.Page{Body: "apple pie", ETag: `"1"`}},
		{"T-03", spidertest.Page{Body: "apple pie"}},
	} {
		t.Run(page.rule, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			w := newWorld(t, "Server "+site.URL+"/\n")
			site.Set("/", page.page)
			w.index("--no-merge")
			w.finds("not merged", map[string]string{"apple": ""})
			if out := w.index("-T", site.URL+"/"); !strings.Contains(out, "Status: OK ("+page.rule+")") {
				t.Errorf("got %s", out)
			}
			w.finds("shown", map[string]string{"apple": "/", "pie": "/"})
			w.index("-T", site.URL+"/")
			w.merged()
			w.finds("merged", map[string]string{"apple": "/", "pie": "/"})
			w.index("-T", site.URL+"/")
			if got := w.one(`SELECT count(*) FROM rt_urls`); got != "0" {
				t.Error("a merged document that has not changed is in the real-time index")
			}
		})
	}
}

// TestRealtimeOfWhatIsNoDocument verifies that refused, failing and redirecting URLs produce a clear line,
// exit code 1 and rows.
func TestRealtimeOfWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Disallow /config\nServer "+site.URL+"/\n")
	site.Set("/robots.txt", spidertest.Page{Body: "User-agent: *\nDisallow: /robots\n", Type: "text/plain"})
	site.HTML("/noindex", `<meta name="robots" content="noindex">apple`)
	site.Set("/broken", spidertest.Page{Status: 500})
	site.Set("/away", spidertest.Page{Status: 302, Header: map[string]string{"Location": "http://other.example/"}})
	site.Set("/round", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/round2"}})
	site.Set("/round2", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/round"}})
	for _, c := range []struct{ path, text, rule string }{
		{"/gone", "404 Not found (T-08)", "T-08"},
		{"/broken", "500 Internal Server Error (T-08)", "T-08"},
		{"/noindex", "406 Not Acceptable (T-06)", "T-06"},
		{"/robots", "900 Forbidden by robots.txt (T-12): robots.txt line 2", "T-12"},
		{"/away", "302 Moved Temporarily (T-05): redirects to http://other.example/: no Server line for this site", "T-05"},
		{"/round", "301 Moved Permanently (T-05): redirect loop", "T-05"},
	} {
		w.failsT(site.URL+c.path, c.text)
		if got := w.one(`SELECT rule FROM crawl_history JOIN urlword USING (url_id) WHERE url = $1 ORDER BY at DESC LIMIT 1`, site.URL+c.path); got != c.rule {
			t.Errorf("%s: rule %s, want %s", c.path, got, c.rule)
		}
	}
	sites, urls := w.one(`SELECT count(*) FROM sites`), w.one(`SELECT count(*) FROM urlword`)
	w.failsT(site.URL+"/config", "901 Refused by the configuration: refused by ")
	w.failsT("http://out.example/", "901 Refused by the configuration: no Server line for this site")
	if s, u := w.one(`SELECT count(*) FROM sites`), w.one(`SELECT count(*) FROM urlword`); s != sites || u != urls {
		t.Errorf("refused URLs left %s sites and %s URLs, before there were %s and %s", s, u, sites, urls)
	}
	w.sets("Disallow /broken\nServer " + site.URL + "/\n")
	w.failsT(site.URL+"/broken", "901 Refused by the configuration (T-12): refused by ")
	w.failsT("ftp://out.example/", "ftp")
	w.finds("nothing", map[string]string{"apple": ""})
	w.merged()
}

// TestRealtimeTriesAllURLs verifies that a failing URL does not prevent others from being indexed, and that
// -f, several -T and standard input can be combined.
func TestRealtimeTriesAllURLs(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	for i := range 9 {
		site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf("apple word%d", i))
	}
	w.write("list", fmt.Sprintf("%s/2\n# a comment\n%s/gone\n%s/3\n%s/2\n", site.URL, site.URL, site.URL, site.URL))
	code, out, errOut := w.try("-T", site.URL+"/0", "-T", site.URL+"/1", "-f", w.dir+"/list")
	want := ""
	for _, path := range []string{"/0", "/1", "/2", "/gone", "/3"} {
		status := "OK (T-01)"
		if path == "/gone" {
			status = "404 Not found (T-08)"
		}
		want += "Adding URL: " + site.URL + path + "\nStatus: " + status + "\n"
	}
	if code != exitFailed || out != want || !strings.Contains(errOut, "1 of 6 URLs are not indexed, the first: "+site.URL+"/gone: 404") {
		t.Errorf("exit %d\n%s%s\nwant\n%s", code, out, errOut, want)
	}
	w.finds("all but one", map[string]string{"apple": "/0 /1 /2 /3"})
	if got := w.one(`SELECT kind, end_reason, documents, created, failed FROM reindexing`); got != "realtime complete 5 4 1" {
		t.Errorf("reindexing: %s", got)
	}
}

// TestRealtimeFollowsRedirects verifies that each step of a redirect chain is a transition of its own, and
// that the document at its end is found.
func TestRealtimeFollowsRedirects(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/old", "apple")
	w.index("-T", site.URL+"/old")
	site.Set("/old", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/middle"}})
	site.Set("/middle", spidertest.Page{Status: 302, Header: map[string]string{"Location": "/new"}})
	site.HTML("/new", "banana")
	got := w.index("-T", site.URL+"/old")
	want := fmt.Sprintf("Adding URL: %[1]s/old\nStatus: 301 Moved Permanently (T-05), redirects to %[1]s/middle\n"+
		"Adding URL: %[1]s/middle\nStatus: 302 Moved Temporarily (T-05), redirects to %[1]s/new\n"+
		"Adding URL: %[1]s/new\nStatus: OK (T-01)\n", site.URL)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.finds("moved", map[string]string{"apple": "", "banana": "/new"})
	if got := w.rows(`SELECT 1 FROM word_postings('apple')`); len(got) > 0 {
		t.Error("word_postings has the words of a page that redirects")
	}
	site.Remove("/new")
	w.failsT(site.URL+"/old", "404 Not found (T-07)")
	w.finds("lost, and still found", map[string]string{"banana": "/new"})
	w.merged()
	w.finds("merged", map[string]string{"apple": "", "banana": "/new"})
}

// TestRealtimeClones verifies that each group of equal documents has one original that is found, in any order
// of arrival, and that after a change of the original its successor is found at once (T-01c, T-01o).
func TestRealtimeClones(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"merged", "real-time"} {
		t.Run(before, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			w := newWorld(t, "Server "+site.URL+"/\n")
			settle := func() {
				if before == "merged" {
					w.merged()
				}
			}
			site.HTML("/a", "apple")
			site.HTML("/b", "banana")
			site.HTML("/c", "cherry")
			for _, path := range []string{"/a", "/b", "/c"} { // their ids ascend
				w.index("-T", site.URL+path)
			}
			settle()
			site.HTML("/c", "apple") // a clone of a lower one
			if out := w.index("-T", site.URL+"/c"); !strings.Contains(out, "OK (T-01c)") {
				t.Errorf("got %s", out)
			}
			w.finds("T-01c", map[string]string{"apple": "/a", "cherry": ""})
			settle()
			site.HTML("/b", "date") // the original of what follows
			w.index("-T", site.URL+"/b")
			site.HTML("/a", "date") // equals one with a higher id; leaves /c behind, which is promoted
			if out := w.index("-T", site.URL+"/a"); !strings.Contains(out, "OK (T-01o)") {
				t.Errorf("got %s", out)
			}
			w.finds("T-01o", map[string]string{"apple": "/c", "date": "/a", "banana": ""})
			if got := w.rows(`SELECT url_id FROM word_postings('date')`); len(got) != 1 {
				t.Errorf("word_postings has %d documents of the word, the demoted original too", len(got))
			}
			settle()
			site.Remove("/a")
			w.sets("DeleteBad yes\nServer " + site.URL + "/\n")
			w.failsT(site.URL+"/a", "404 Not found (T-13)")
			w.finds("promoted", map[string]string{"date": "/b", "apple": "/c"})
			w.merged()
			w.finds("at the end", map[string]string{"date": "/b", "apple": "/c", "banana": "", "cherry": ""})
		})
	}
}

// TestRealtimeAndTheNextCrawl verifies that the newest version of a document counts, whatever happens between
// -T and -D.
func TestRealtimeAndTheNextCrawl(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "DeleteBad yes\nServer "+site.URL+"/\n")
	site.HTML("/", `root <a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a> <a href="/d">d</a>`)
	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		site.HTML(path, "first"+path[1:])
	}
	w.index()
	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		site.HTML(path, "second"+path[1:])
	}
	w.index("-T", site.URL+"/a", "-T", site.URL+"/b", "-T", site.URL+"/c", "-T", site.URL+"/d")
	site.HTML("/a", "third")
	site.Remove("/b")
	site.Set("/c", spidertest.Page{Status: 500})
	w.index("-a", "--no-merge")
	w.check()
	site.HTML("/a", "fourth")
	w.index("-T", site.URL+"/a")
	w.finds("before the merge", map[string]string{"fourth": "/a", "third": "", "secondc": "/c", "secondd": "/d", "firstd": ""})
	w.merged()
	w.finds("merged", map[string]string{
		"fourth": "/a", "third": "", "seconda": "", "firsta": "", "secondb": "", "firstb": "", "secondc": "/c", "secondd": "/d",
	})
	w.index("-a", "-m")
	w.finds("all read again", map[string]string{"fourth": "/a", "secondc": "/c", "secondd": "/d"})
}

// TestRealtimeWaitsForAPause verifies that -T respects the delay that a crawl left for a host, and leaves its
// own delay.
func TestRealtimeWaitsForAPause(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "MinDelay 1\nServer "+site.URL+"/\n")
	site.HTML("/", "apple")
	site.HTML("/b", "berry")
	w.index("-T", site.URL+"/")
	if got := w.one(`SELECT ready_at > now() - interval '1 second' FROM sitestate`); got != "true" {
		t.Error("-T leaves no pause")
	}
	if _, err := w.pool.Exec(t.Context(), `UPDATE sitestate SET ready_at = now() + interval '2 seconds'`); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	w.index("-T", site.URL+"/b")
	if took := time.Since(began); took < 1900*time.Millisecond {
		t.Errorf("-T waited %v of a pause of 2 s", took)
	}
	w.check()
}

// TestAPageThroughRealtimeAndThroughACrawl verifies that the same pages end in the same tables by -T, one
// after the other, and by a crawl, after a merge of both.
func TestAPageThroughRealtimeAndThroughACrawl(t *testing.T) {
	t.Parallel()
	site := maze(t, 21, 60)
	crawled := newWorld(t, "Server "+site.URL+"/0\n")
	crawled.index()
	want := storetest.Dump(t, crawled.dsn)

	w := newWorld(t, "Server "+site.URL+"/0\n")
	w.write("list", strings.Join(crawled.rows(`SELECT url FROM urlword ORDER BY url_id`), "\n"))
	w.try("-T", "-f", w.dir+"/list") // dead links among them
	w.check()
	posting := func(lines []string) (list []string) {
		for _, line := range lines {
			if strings.HasPrefix(line, "posting ") {
				list = append(list, line)
			}
		}
		return list
	}
	if diff := cmp.Diff(posting(want), posting(storetest.Dump(t, w.dsn))); diff != "" {
		t.Errorf("what is found before the merge (-crawl +real time):\n%s", diff)
	}
	w.merged()
	if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
		t.Errorf("the tables (-crawl +real time):\n%s", diff)
	}
	if !slices.ContainsFunc(want, func(line string) bool { return strings.HasPrefix(line, "clones ") && strings.Contains(line, ",1,") }) {
		t.Error("the maze has no clones")
	}
}

// TestRealtimeLinksPassTheFilter verifies that a URL typed by an operator is registered whatever the rules
// say, and that the same URL as a link has to pass them.
func TestRealtimeLinksPassTheFilter(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Disallow /private\nServer "+site.URL+"/\n")
	site.HTML("/", `apple <a href="/private/x">x</a> <a href="/c">c</a> <a href="/moved">moved</a>`)
	site.HTML("/private/x", "secret")
	site.HTML("/c", "cherry")
	site.Set("/moved", spidertest.Page{Status: 302, Header: map[string]string{"Location": "/private/x"}})
	if code, out, errOut := w.try("-T", site.URL+"/private/x", "-T", site.URL+"/", "-T", site.URL+"/moved", "-T", site.URL+"/c"); code != exitFailed {
		t.Errorf("exit %d:\n%s%s", code, out, errOut)
	}
	got := w.rows(`SELECT substring(f.url FROM '//[^/]*(/.*)$') || ' ' || substring(t.url FROM '//[^/]*(/.*)$')
		FROM urlwords c CROSS JOIN LATERAL unnest(c.hrefs) h JOIN urlword f ON f.url_id = c.url_id JOIN urlword t ON t.url_id = h ORDER BY 1`)
	if diff := cmp.Diff([]string{"/ /c", "/ /moved"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if got := w.one(`SELECT redir FROM urlword WHERE url LIKE '%/moved'`); got != "0" {
		t.Errorf("the redirect leads to %s, which is refused", got)
	}
}
