package e2e

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestPutOffIsNotUnreachable verifies that UnreachableRemove purges a document that did not answer four times
// in a row, and that a visit postponed because of its host's robots.txt does not count.
func TestPutOffIsNotUnreachable(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/doc">x</a>`)
	site.HTML("/doc", "document")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("UnreachableRemove yes\nMaxLostShare 100%\nRobotsTTL 1M\n")
	w.index()
	site.Set("/robots.txt", spidertest.Page{Status: 503})
	for range 4 {
		w.pass(40 * 24 * time.Hour)
		w.crawl()
	}
	site.Remove("/robots.txt")
	site.Set("/doc", spidertest.Reset(""))
	for _, want := range []string{"200", "200", "200", "705"} {
		w.pass(40 * 24 * time.Hour)
		w.index()
		if got := w.one(`SELECT status FROM urlword WHERE url LIKE '%/doc'`); got != want {
			t.Errorf("status %s, want %s", got, want)
		}
	}
}

// TestNofollowExcludesReachesTheUnchanged verifies that a change of NofollowExcludes is a change of the
// indexing mode (T-16).
func TestNofollowExcludesReachesTheUnchanged(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `front <a href="/doc">x</a>`)
	site.HTML("/doc", `<meta name="robots" content="nofollow">document <a href="/x">x</a>`)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	for _, step := range []struct{ setting, status string }{{"yes", "406"}, {"no", "200"}} {
		w.spider("NofollowExcludes " + step.setting + "\n")
		w.index("-a")
		if got := w.one(`SELECT status FROM urlword WHERE url LIKE '%/doc'`); got != step.status {
			t.Errorf("NofollowExcludes %s: status %s", step.setting, got)
		}
	}
}
