package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// indexTables are the tables that a search reads. A merge without work leaves their rows untouched, down to
// xmin.
const indexTables = `wordurl wordfile docwords citation wordsite docdates wordurl1 rt_urls journal markdel urlkey sites
	urlwords00 urlwords01 urlwords02 urlwords03 urlwords04 urlwords05 urlwords06 urlwords07
	urlwords08 urlwords09 urlwords10 urlwords11 urlwords12 urlwords13 urlwords14 urlwords15`

// versions lists every row of the index with its xmin.
func (w *world) versions() (rows []string) {
	w.t.Helper()
	for _, table := range strings.Fields(indexTables) {
		rows = append(rows, w.rows(fmt.Sprintf(`SELECT '%s', ctid::text, xmin::text FROM %[1]s ORDER BY ctid`, table))...)
	}
	return rows
}

// ringSite serves n pages that link in a ring and to the front page, each with a word of its own.
func ringSite(t *testing.T, n int) *spidertest.Site {
	site := spidertest.NewSite(t)
	var front strings.Builder
	for i := range n {
		fmt.Fprintf(&front, `<a href="p%d.html">page %d</a> `, i, i)
		site.HTML(fmt.Sprintf("/p%d.html", i), page(i, n, ""))
	}
	site.HTML("/", "<title>front</title><body>"+front.String())
	return site
}

func page(i, n int, more string) string {
	return fmt.Sprintf(`<title>page %d</title><body>common words and unique%dword %s<a href="p%d.html">next</a> <a href="/">front</a>`,
		i, i, more, (i+1)%n)
}

// TestSecondCrawlOfUnchangedSite verifies that it sends only conditional requests, gets only 304 and writes
// no journal row, and that -D then changes no row of the index.
func TestSecondCrawlOfUnchangedSite(t *testing.T) {
	t.Parallel()
	site := ringSite(t, 30)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	before := w.versions()
	site.Forget()

	w.index("-a", "--no-merge")
	asked := 0
	for _, r := range site.Requests() {
		if r.Path == "/robots.txt" {
			t.Errorf("robots.txt was asked for again within its time")
			continue
		}
		asked++
		if !r.Conditional() || r.Status != 304 {
			t.Errorf("%s %s: conditional %v, answered %d", r.Method, r.Path, r.Conditional(), r.Status)
		}
	}
	if asked != 31 {
		t.Errorf("%d requests, want 31", asked)
	}
	if n := w.one(`SELECT count(*) FROM journal`); n != "0" {
		t.Errorf("%s journal rows", n)
	}
	w.index("-D")
	if diff := cmp.Diff(before, w.versions()); diff != "" {
		t.Errorf("rows of the index changed:\n%s", diff)
	}
	if got, want := w.rows(`SELECT DISTINCT rule FROM crawl_history WHERE run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl')`),
		[]string{"T-02"}; !slices.Equal(got, want) {
		t.Errorf("rules: got %v, want %v", got, want)
	}
}

// TestChangesOfASecondPeriod changes 5 pages, removes 2, redirects 1 and breaks 1. Exactly the rows that the
// rules name must change, and the lost documents must still be in the postings.
func TestChangesOfASecondPeriod(t *testing.T) {
	t.Parallel()
	const n = 30
	site := ringSite(t, n)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	type state struct{ rows, urls map[string]string }
	look := func() (s state) {
		s = state{map[string]string{}, map[string]string{}}
		for table := range 16 {
			for _, line := range w.rows(fmt.Sprintf(`SELECT replace(url, $1, ''), c.xmin::text FROM urlwords%02d c JOIN urlword USING (url_id)`, table), site.URL) {
				url, version, _ := strings.Cut(line, " ")
				s.rows[url] = version
			}
		}
		for _, line := range w.rows(`SELECT replace(url, $1, ''), status, crc, redir, origin, deleted FROM urlword`, site.URL) {
			url, rest, _ := strings.Cut(line, " ")
			s.urls[url] = rest
		}
		return s
	}
	before := look()

	changed := []string{"/p1.html", "/p5.html", "/p9.html", "/p13.html", "/p17.html"}
	for _, path := range changed {
		var i int
		if _, err := fmt.Sscanf(path, "/p%d.html", &i); err != nil {
			t.Fatal(err)
		}
		site.HTML(path, page(i, n, fmt.Sprintf("fresh%dword ", i)))
	}
	site.Remove("/p20.html")
	site.Remove("/p22.html")
	site.Set("/p24.html", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/p0.html"}})
	site.Set("/p26.html", spidertest.Page{Status: 500, Body: "broken"})
	w.index("-a")
	after := look()

	touched := func(a, b map[string]string) (list []string) {
		for url, version := range b {
			if a[url] != version {
				list = append(list, url)
			}
		}
		slices.Sort(list)
		return list
	}
	wantRows := slices.Sorted(slices.Values(append([]string{"/p24.html"}, changed...)))
	if diff := cmp.Diff(wantRows, touched(before.rows, after.rows)); diff != "" {
		t.Errorf("content rows that changed (-want +got):\n%s", diff)
	}
	wantURLs := slices.Sorted(slices.Values(append([]string{"/p20.html", "/p22.html", "/p24.html", "/p26.html"}, changed...)))
	if diff := cmp.Diff(wantURLs, touched(before.urls, after.urls)); diff != "" {
		t.Errorf("urlword rows that changed in status, crc, redir, origin or deleted (-want +got):\n%s", diff)
	}
	rules := w.rows(`SELECT rule, count(*) FROM crawl_history WHERE run_id = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl') GROUP BY 1 ORDER BY 1`)
	if diff := cmp.Diff([]string{"T-02 22", "T-04 5", "T-05 1", "T-07 3", "T-10 1"}, rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	for _, c := range []struct{ what, query, want string }{
		{"T-07: a lost page is still found", `SELECT count(*) FROM word_postings('unique20word')`, "1"},
		{"T-07: and so is one that breaks", `SELECT count(*) FROM word_postings('unique26word')`, "1"},
		{"T-07: packed status", `SELECT status_base(status), status_lost(status), status_lost_count(status) FROM urlword WHERE url LIKE '%/p22.html'`, "200 404 1"},
		{"lost documents are listed", `SELECT count(*) FROM lost_documents`, "3"},
		{"T-04: the new word is found", `SELECT count(*) FROM word_postings('fresh9word')`, "1"},
		{"T-05: a redirect has no words", `SELECT count(*) FROM word_postings('unique24word')`, "0"},
		{"T-05: but its word keeps its row", `SELECT urlcount, totalcount FROM wordurl WHERE word = 'unique24word'`, "0 0"},
		{"T-05: its target is cited by it", `SELECT count(*) FROM citation c JOIN urlword t USING (url_id), unnest(referrers) r JOIN urlword u ON u.url_id = r
			WHERE t.url LIKE '%/p0.html' AND u.url LIKE '%/p24.html'`, "1"},
		{"counts follow", `SELECT urlcount FROM wordurl WHERE word = 'common'`, "29"},
		{"broken links name their referrers", `SELECT count(DISTINCT url) FROM broken_links`, "3"},
		{"the delete set is empty", `SELECT count(*) FROM markdel`, "0"},
	} {
		if got := w.one(c.query); got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, got, c.want)
		}
	}

	// One more period: nothing is counted twice in one run, the lost documents are lost twice, the rest is
	// unchanged.
	w.index("-a")
	if got := w.one(`SELECT count(*) FROM urlword WHERE status_lost_count(status) = 2`); got != "3" {
		t.Errorf("lost twice: got %s, want 3", got)
	}
	site.HTML("/p20.html", page(20, n, ""))
	w.index("-a")
	if got := w.one(`SELECT status FROM urlword WHERE url LIKE '%/p20.html'`); got != "200" {
		t.Errorf("a page that came back: status %s, want 200", got)
	}
}
