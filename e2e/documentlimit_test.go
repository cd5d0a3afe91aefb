package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestDocumentLimit verifies that a crawl adds documents up to DocumentLimit and no more, whatever the number of processes; that it
// removes none; and that a run which the limit ends finds no orphans.
func TestDocumentLimit(t *testing.T) {
	t.Parallel()
	one, two := spidertest.NewSite(t), spidertest.NewSiteOn(t, "127.0.0.2")
	for _, site := range []*spidertest.Site{one, two} {
		var links strings.Builder
		for i := range 15 {
			fmt.Fprintf(&links, `<a href="/%d">x</a> `, i)
			site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf("page%d of %s", i, site.URL))
		}
		site.Remove("/0")
		site.HTML("/", site.URL+" start "+links.String())
	}
	w := newWorld(t, "Server "+one.URL+"/\nServer "+two.URL+"/\n")
	limit := func(n int) { w.spider(fmt.Sprintf("BatchSize 4\nDocumentLimit %d\n", n)) }
	documents := func(when string, want int) {
		t.Helper()
		if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 0 AND status & 65535 = 200`); got != fmt.Sprint(want) {
			t.Errorf("%s: %s documents, want %d", when, got, want)
		}
	}
	limit(10)
	code, _, said := w.try()
	if code != exitDone || !strings.Contains(said, "DocumentLimit ended the run") || strings.Contains(said, "MaxURLsPerServerPerIndex") {
		t.Errorf("exit %d\n%s", code, said)
	}
	documents("the limit", 10)
	if got := w.one(`SELECT end_reason, room FROM reindexing WHERE kind = 'crawl'`); got != "limit 0" {
		t.Errorf("the run: %s", got)
	}
	if got := w.index("-S"); !strings.Contains(got, "DocumentLimit 10: 10 documents in the index") || !strings.Contains(got, "never fetched and not asked for") {
		t.Errorf("-S: %s", got)
	}
	if got := w.best("start"); len(got) != 2 {
		t.Errorf("a run that the limit ended is not merged: %v", got)
	}

	// Known documents are visited as before; nothing is added, nothing becomes an orphan.
	one.Forget()
	one.HTML("/", one.URL+` start again <a href="/1">x</a> <a href="/fresh">x</a>`)
	w.index("--respider")
	if one.Count()["/"] == 0 || one.Count()["/fresh"] != 0 {
		t.Errorf("requests %v", one.Count())
	}
	documents("--respider", 10)
	if out := w.index("--orphans", "list"); strings.Contains(out, one.URL) || strings.Contains(out, two.URL) {
		t.Errorf("orphans:\n%s", out)
	}

	// Several processes, and a page that is gone makes room for a later run.
	limit(20)
	both := make(chan struct{})
	one.Pause(func() time.Duration {
		<-both
		return 0
	})
	first, second := w.join(1, "-N3"), w.join(2, "-N3")
	close(both)
	first.ends(t, exitDone)
	second.ends(t, exitDone)
	documents("two processes", 20)
	limit(0)
	w.index()
	if got := w.one(`SELECT end_reason, room IS NULL FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1`); got != "complete true" {
		t.Errorf("without a limit: %s", got)
	}
	limit(5) // nothing is evicted
	w.index("-a")
	if got := w.one(`SELECT count(*) FILTER (WHERE deleted = 0 AND status & 65535 = 200) > 25, count(*) FILTER (WHERE status = 0) FROM urlword`); got != "true 0" {
		t.Errorf("a lower limit: %s", got)
	}
}
