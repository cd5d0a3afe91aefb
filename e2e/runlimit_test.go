package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestMaxURLsPerServerPerIndex: a run requests at most so many URLs of a site, all processes together, the rest is due in the next
// one. Other sites are crawled whole. A --respider run that the limit ends finds no orphans.
func TestMaxURLsPerServerPerIndex(t *testing.T) {
	t.Parallel()
	large, small := spidertest.NewSite(t), spidertest.NewSiteOn(t, "127.0.0.2")
	var links strings.Builder
	for i := range 11 {
		fmt.Fprintf(&links, `<a href="/%d">x</a>`, i)
		large.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf("page%d", i))
		small.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf("other%d", i))
	}
	large.HTML("/", "large "+links.String())
	small.HTML("/", "small "+links.String())
	w := newWorld(t, "MaxURLsPerServerPerIndex 5\nServer "+large.URL+"/\nMaxURLsPerServerPerIndex none\nServer "+small.URL+"/\n")
	w.spider("BatchSize 3\n")
	requests := func(site *spidertest.Site) (n int) {
		for path, times := range site.Count() {
			if path != "/robots.txt" {
				n += times
			}
		}
		site.Forget()
		return n
	}
	end := func(reason string, ofLarge, ofSmall int) {
		t.Helper()
		if got := w.one(`SELECT end_reason FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1`); got != reason {
			t.Errorf("the run ended as %s, want %s", got, reason)
		}
		if l, s := requests(large), requests(small); l != ofLarge || s != ofSmall {
			t.Errorf("%d and %d requests, want %d and %d", l, s, ofLarge, ofSmall)
		}
	}
	code, _, said := w.try()
	if code != exitDone || !strings.Contains(said, "MaxURLsPerServerPerIndex ended the run") {
		t.Errorf("exit %d\n%s", code, said)
	}
	end("limit", 5, 12)
	if got := w.best("large"); len(got) != 1 {
		t.Errorf("a run that the limit ended is not merged: %v", got)
	}
	w.index()
	end("limit", 5, 1) // each run asks for start URLs again
	w.index()
	end("complete", 4, 1)

	both := make(chan struct{})
	large.Pause(func() time.Duration {
		<-both
		return 0
	})
	first, second := w.join(1, "-a", "-N2"), w.join(2, "-a", "-N2")
	close(both)
	first.ends(t, exitDone)
	second.ends(t, exitDone)
	end("limit", 5, 12)

	w.index("--respider")
	end("limit", 5, 12)
	if out := w.index("--orphans", "list"); strings.Contains(out, large.URL) {
		t.Errorf("orphans:\n%s", out)
	}
	w.sets("FollowOutside yes\nServer " + small.URL + "/\nMaxURLsPerServerPerIndex 4\n") // of sites without a Server line
	w.index("-a")
	end("limit", 4, 12)
	w.sets("Server " + large.URL + "/\nServer " + small.URL + "/\n")
	w.index("-a")
	end("complete", 12, 12)
}
