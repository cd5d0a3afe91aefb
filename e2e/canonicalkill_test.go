package e2e

import (
	"fmt"
	"testing"
)

// TestKillBeforeCanonicalPagesAreCounted verifies that the canonical pages of a run that was killed are counted by the next one: pages
// are united without a request when they are few, and the site goes on hold when they are many.
func TestKillBeforeCanonicalPagesAreCounted(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	for _, c := range []struct {
		named        int
		hold, united string
	}{{2, "", "2"}, {12, "canonical", "0"}} {
		t.Run(fmt.Sprint(c.named), func(t *testing.T) {
			t.Parallel()
			var paths []string
			for i := range 14 {
				paths = append(paths, fmt.Sprintf("/p%d", i))
			}
			n := copyPages{beside(t, "", paths...)}
			for i, path := range paths {
				canonical := ""
				if i < c.named {
					canonical = "/p13"
				}
				n.put(path, canonical, "", fmt.Sprintf("hidden word%d", i))
			}
			if !n.died(program, "FAILPOINT=canonical.before-count:2=kill") {
				t.Fatal("the crawl does not come to it")
			}
			n.want("/p0", "w.status, s.canonical > 0", "200 true")
			for i, path := range paths {
				n.put(path, "", "", fmt.Sprintf("hidden word%d, once more", i)) // it is not asked again
			}
			n.crawl()
			if got := n.one(`SELECT (SELECT count(*) FROM urlword WHERE status = 906) || ' ' || coalesce((SELECT reason FROM sites_on_hold), '')`); got != c.united+" "+c.hold {
				t.Errorf("united pages and hold: %s, want %s %s", got, c.united, c.hold)
			}
			n.world.check()
		})
	}
}
