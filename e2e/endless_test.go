package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// functionSite is a site whose pages are a function of the request. It counts the requests by path and query.
type functionSite struct {
	URL   string
	mu    sync.Mutex
	count map[string]int
}

func newFunctionSite(t *testing.T, page func(path string) string) *functionSite {
	t.Helper()
	s := &functionSite{count: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		s.count[r.RequestURI]++
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page(r.URL.Path)))
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// asked returns how many different URLs were asked for since the last call.
func (s *functionSite) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.count)
	s.count = map[string]int{}
	return n
}

// summaryOf returns an attribute of the last line of a crawl.
func summaryOf(t *testing.T, out, name string) string {
	t.Helper()
	for line := range strings.Lines(out) {
		if strings.Contains(line, "crawl ended") {
			for _, f := range strings.Fields(line) {
				if v, ok := strings.CutPrefix(f, name+"="); ok {
					return v
				}
			}
			return ""
		}
	}
	t.Fatalf("no summary:\n%s", out)
	return ""
}

// TestMaxURLsPerServer verifies that a site gets no more URLs than its limit, over all runs, that known URLs keep their
// links, and that an operator is told once at 80 % and once at 100 %. A higher limit lets the links in that an unchanged page
// has.
func TestMaxURLsPerServer(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	var links strings.Builder
	for i := range 30 {
		fmt.Fprintf(&links, `<a href="/p%d.html">p</a>`, i)
		site.HTML(fmt.Sprintf("/p%d.html", i), fmt.Sprintf(`page %d <a href="/">home</a> <a href="/p0.html">first</a>`, i))
	}
	site.HTML("/", links.String())
	w := newWorld(t, "MaxURLsPerServer 10\nServer "+site.URL+"/\n")
	code, _, out := w.try("--no-merge")
	if code != exitDone {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if got := w.one(`SELECT count(*) FROM urlword`); got != "10" {
		t.Errorf("%s URLs, want 10", got)
	}
	if n := strings.Count(out, "MaxURLsPerServer allows"); n != 2 {
		t.Errorf("%d warnings, want one at 80 %% and one at 100 %%:\n%s", n, out)
	}
	if got := summaryOf(t, out, "over_limit"); got != "21" {
		t.Errorf("over_limit %q, want 21", got)
	}
	if got := w.one(`SELECT count(*) FROM urlwords WHERE cardinality(hrefs) > 0`); got != "10" {
		t.Errorf("%s pages with links, want all 10", got)
	}
	site.HTML("/p1.html", `page one anew <a href="/q.html">q</a> <a href="/p2.html">two</a>`)
	code, _, out = w.try("-a", "--no-merge")
	if got := w.one(`SELECT count(*) FROM urlword`); got != "10" || code != exitDone || summaryOf(t, out, "over_limit") != "1" {
		t.Errorf("second run: exit %d, %s URLs\n%s", code, got, out)
	}
	if got := w.one(`SELECT cardinality(hrefs) FROM urlwords WHERE url_id = (SELECT url_id FROM urlword WHERE url LIKE '%/p1.html')`); got != "1" {
		t.Errorf("%s links of the changed page, want the one to a known URL", got)
	}
	w.sets("MaxURLsPerServer 100\nServer " + site.URL + "/\n")
	w.index("-a", "--no-merge")
	if got := w.one(`SELECT count(*) FROM urlword`); got != "32" {
		t.Errorf("%s URLs under the higher limit, want all 32", got)
	}
}

// TestEndlessSite verifies that a pattern without end is paused, with a warning that has the lines to write; that its documents stay
// and are visited again while its new URLs are neither registered nor fetched; that the rest of the site is fetched; that -S and
// --explain name it; and that the proposed line lifts the pause.
func TestEndlessSite(t *testing.T) {
	t.Parallel()
	var sid atomic.Uint64
	site := newFunctionSite(t, func(path string) string {
		n := sid.Add(2)
		return fmt.Sprintf(`<title>%s</title>Text of the page %s <a href="/about.html?sid=%016x">about</a> <a href="/terms.html?sid=%016x">terms</a>`,
			path, path, 0xab<<56+n, 0xcd<<56+n)
	})
	w := newWorld(t, "Server "+site.URL+"/\n")
	code, _, out := w.try("--no-merge")
	if code != exitDone {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if n := site.asked(); n > 400 {
		t.Errorf("%d requests, want 400 at most", n)
	}
	patterns := w.rows(`SELECT pattern, regexp FROM paused_pattern ORDER BY 1`)
	if len(patterns) == 0 || !strings.Contains(out, "NeverPause ^http://") || strings.Count(out, "level=WARN") != len(patterns) {
		t.Fatalf("paused %q\n%s", patterns, out)
	}
	documents := w.one(`SELECT count(*) FROM urlword WHERE status = 200 AND deleted = 0`)
	waiting := w.one(`SELECT count(*) FROM urlword WHERE status = 0 AND deleted = 0`)
	if waiting == "0" || w.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-10' AND result = 904`) != waiting {
		t.Errorf("%s URLs wait, and are not all put off by T-10", waiting)
	}
	if strings.Contains(out, "status_904") || summaryOf(t, out, "deferred") != "0" || summaryOf(t, out, "of_paused_patterns") == "" {
		t.Errorf("what is paused is told as an error:\n%s", out)
	}

	code, _, out = w.try("-a", "--no-merge")
	if code != exitDone || !strings.Contains(out, "new URLs of paused patterns are not fetched") {
		t.Errorf("second run: exit %d\n%s", code, out)
	}
	if got := fmt.Sprint(site.asked()); got != documents {
		t.Errorf("%s URLs were asked for, want all %s documents and nothing else", got, documents)
	}
	if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200 AND deleted = 0`); got != documents {
		t.Errorf("%s documents, want %s", got, documents)
	}
	if got := w.one(`SELECT count(*) FROM urlword WHERE status = 0 AND deleted = 0`); got != waiting {
		t.Errorf("%s URLs wait, want %s", got, waiting)
	}
	if got := w.one(`SELECT sum(known), count(*) FROM url_patterns WHERE pattern LIKE '%sid={id}'`); !strings.HasSuffix(got, " 2") {
		t.Errorf("url_patterns: %s", got)
	}

	for _, args := range [][]string{{"-S"}, {"--explain", w.one(`SELECT url FROM urlword WHERE status = 0 ORDER BY 1 LIMIT 1`)}} {
		out := w.index(args...)
		for _, text := range []string{"NeverPause ^http", "since 20", "known and not fetched"} {
			if !strings.Contains(out, text) {
				t.Errorf("index %s does not say %q:\n%s", args[0], text, out)
			}
		}
	}

	lines := ""
	for _, p := range patterns {
		lines += "NeverPause " + strings.Fields(p)[1] + "\n"
	}
	w.sets(lines + "Server " + site.URL + "/\n")
	code, _, out = w.try("-n", "600", "--no-merge")
	if code != exitDone || strings.Count(out, "lifts the pause") != len(patterns) || strings.Contains(out, "without end") {
		t.Errorf("lifted: exit %d\n%s", code, out)
	}
	if n := site.asked(); n < 500 {
		t.Errorf("%d URLs were fetched after the pause was lifted", n)
	}
}

// TestPauseLine verifies a Pause line: documents of the pattern stay, its new URLs are not fetched, and nothing is said of it.
func TestPauseLine(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `home <a href="/old.html?v=1">old</a>`)
	site.HTML("/old.html?v=1", `an apple`)
	site.HTML("/old.html?v=2", `a pear`)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index("--no-merge")
	site.HTML("/", `home <a href="/old.html?v=1">old</a> <a href="/old.html?v=2">new</a>`)
	w.sets("Pause [?]v=\nServer " + site.URL + "/\n")
	code, _, out := w.try("-a", "--no-merge")
	if code != exitDone || strings.Contains(out, "level=WARN") || summaryOf(t, out, "of_paused_patterns") != "1" {
		t.Errorf("exit %d\n%s", code, out)
	}
	if got := w.rows(`SELECT url FROM urlword WHERE status = 200 ORDER BY 1`); len(got) != 2 || site.Count()["/old.html?v=2"] != 0 {
		t.Errorf("documents %q, requests %v", got, site.Count())
	}
	w.sets("Server " + site.URL + "/\n")
	w.index("-a", "--no-merge")
	if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200`); got != "3" {
		t.Errorf("%s documents without the line, want 3", got)
	}
}

// TestInfiniteSpaceRepeat (B78): links whose path or query repeats itself are not registered with InfiniteSpaceRepeat, so that the crawl
// of a site with such links ends; what is known stays.
func TestInfiniteSpaceRepeat(t *testing.T) {
	t.Parallel()
	site := newFunctionSite(t, func(path string) string {
		return fmt.Sprintf(`word%d <a href="a/b/">x</a> <a href="?k=1&amp;k=2">y</a> <a href="?k=1&amp;k=2&amp;k=3">z</a>`, strings.Count(path, "/"))
	})
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("InfiniteSpaceRepeat 3\n")
	code, _, said := w.try()
	if code != exitDone {
		t.Fatalf("exit %d\n%s", code, said)
	}
	if got := w.one(`SELECT string_agg(replace(url, $1, ''), ' ' ORDER BY url_id) FROM urlword`, site.URL); got != "/ /a/b/ /?k=1&k=2 /a/b/a/b/ /a/b/?k=1&k=2 /a/b/a/b/?k=1&k=2" {
		t.Errorf("registered: %s", got)
	}
	if n := summaryOf(t, said, "of_repeats"); n == "" || n == "0" {
		t.Errorf("of_repeats=%s", n)
	}
	w.spider("InfiniteSpaceRepeat 2\n") // less than what is known repeats
	w.index("-a")
	if got := w.one(`SELECT count(*) FILTER (WHERE deleted = 0 AND status = 200), count(*) FROM urlword`); got != "6 6" {
		t.Errorf("known URLs: %s", got)
	}
}
