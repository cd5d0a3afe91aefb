package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestServerPath: Server path has the directory of its URL in scope, for links, redirects, sitemaps and known documents. A new
// Server line with a directory and without the word is a warning in its first run.
func TestServerPath(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "Sitemap: /map.txt\n"})
	site.Set("/map.txt", spidertest.Page{Type: "text/plain", Body: site.URL + "/docs/mapped\n" + site.URL + "/news\n"})
	site.HTML("/", `front <a href="/news">n</a>`)
	site.HTML("/docs/", `manual <a href="a/b">b</a> <a href="/">up</a> <a href="/docs2/">other</a> <a href="old">old</a>`)
	site.Set("/docs/old", movedTo("/moved"))
	for _, page := range []string{"/docs/a/b", "/docs/mapped", "/docs2/", "/news", "/moved"} {
		site.HTML(page, "page of "+page)
	}
	live := func(w *world, want ...string) {
		t.Helper()
		got := w.rows(`SELECT replace(url, $1, '') FROM urlword WHERE status = 200 AND deleted = 0 ORDER BY url`, site.URL)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("documents (-want +got):\n%s", diff)
		}
	}
	const warning = "the whole site is in scope, not only the directory of the URL"
	whole, directory := []string{"/", "/docs/", "/docs/a/b", "/docs/mapped", "/docs2/", "/moved", "/news"}, []string{"/docs/", "/docs/a/b", "/docs/mapped"}

	w := newWorld(t, "Server "+site.URL+"/docs/\nServer "+site.URL+"/docs/a/b\n")
	_, _, said := w.try()
	if strings.Count(said, warning) != 1 || !strings.Contains(said, "write: Server path "+site.URL+"/docs/, or Server site "+site.URL+"/docs/ if the site is meant") {
		t.Errorf("the first run says\n%s", said)
	}
	live(w, whole...)
	if _, _, said := w.try(); strings.Contains(said, warning) {
		t.Errorf("the second run says\n%s", said)
	}

	w.sets("Server path " + site.URL + "/docs/\n") // four of seven documents go: the crawl stops before
	w.stopped(nil, "would take 4 of 7 documents out", "outside of the directory of Server path")
	w.index(w.accept()...)
	live(w, directory...)
	for url, want := range map[string]string{
		"/news":     "none: it is outside of the directory of Server path (" + w.dir + "/sets.cnf:1)",
		"/docs2":    "Admitted    no: outside of the directory of Server path",
		"/docs/a/b": "path " + site.URL + "/docs/ (",
	} {
		if _, out, _ := w.try("--explain", site.URL+url); !strings.Contains(out, want) {
			t.Errorf("--explain %s does not say %q:\n%s", url, want, out)
		}
	}
	if got := w.one(`SELECT concat_ws(' ', named, refused, refusals) FROM sitemaps`); !strings.HasPrefix(got, "1 1 ") || !strings.Contains(got, "outside of the directory of Server path") {
		t.Errorf("the sitemap: %s", got)
	}
	w.failsT(site.URL+"/news", "901")
	w.sets("Server site " + site.URL + "/docs/\n")
	w.index()
	live(w, whole...)

	fresh := newWorld(t, "Server path "+site.URL+"/docs/\n")
	if _, _, said := fresh.try(); strings.Contains(said, warning) {
		t.Errorf("Server path says\n%s", said)
	}
	live(fresh, directory...)
	if got := fresh.one(`SELECT count(*) FROM urlword`); got != "4" { // with the redirect; what is beside the directory is not registered
		t.Errorf("%s URLs are registered, want 4", got)
	}
	site.Set("/docs/", movedTo("/docs2/"))
	stray := newWorld(t, "Server path "+site.URL+"/docs/\n")
	if code, _, said := stray.try(); code != exitFailed || !strings.Contains(said, "write: Server path "+site.URL+"/docs2/") {
		t.Errorf("a start URL that redirects to another directory: exit %d\n%s", code, said)
	}
}

// TestCrawlDelay: a long Crawl-delay is kept, an impossible one ignored (B67), and a crawl that it bounds says so.
func TestCrawlDelay(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nCrawl-delay: 1.6\nCrawl-delay: -9\nCrawl-delay: soon\n"})
	site.HTML("/", `<a href="/a">a</a>`)
	site.HTML("/a", "page")
	w := newWorld(t, "MinDelay 1\nServer "+site.URL+"/\n")
	_, _, said := w.try()
	for _, part := range []string{
		"the pause between two requests to a host took most of the time", "pause=1.6s cause=Crawl-delay",
		"only the site's owner can shorten it, in its robots.txt",
	} {
		if !strings.Contains(said, part) {
			t.Errorf("%q is not said:\n%s", part, said)
		}
	}
	if out := w.index("--explain", site.URL+"/a"); !strings.Contains(out, "Crawl-delay 1.6s between two requests") {
		t.Errorf("--explain:\n%s", out)
	}
	if got := w.one(`SELECT ready_at > (SELECT max(at) FROM crawl_history) FROM sitestate`); got != "true" {
		t.Error("the pause after the last request is not kept")
	}
}
