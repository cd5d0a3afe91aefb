package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestJumpPage verifies that the page of a Server line under JumpPage is followed and not indexed, also when it was indexed before, and
// that all other pages of the site are.
func TestJumpPage(t *testing.T) {
	t.Parallel()
	site, plain := spidertest.NewSite(t), spidertest.NewSiteOn(t, "127.0.0.2")
	for _, s := range []*spidertest.Site{site, plain} {
		s.HTML("/jump/", `jumpword <a href="/a">a</a>`)
		s.HTML("/a", `apple <a href="/jump/">back</a> <a href="/jump/b">b</a>`)
		s.HTML("/jump/b", "banana")
	}
	servers := func(yes string) string {
		return fmt.Sprintf("JumpPage %s\nServer site %s/jump/\nJumpPage no\nServer site %s/jump/\n", yes, site.URL, plain.URL)
	}
	w := newWorld(t, servers("yes"))
	state := func(when string, want ...string) {
		t.Helper()
		if got := w.rows(`SELECT replace(replace(url, $1, ''), $2, '2'), status FROM urlword WHERE deleted = 0 AND status <> 0 ORDER BY 1`, site.URL, plain.URL); !cmp.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	w.index()
	state("new", "/a 200", "/jump/ 406", "/jump/b 200", "2/a 200", "2/jump/ 200", "2/jump/b 200")
	w.sets(servers("no"))
	w.index()
	state("without", "/a 200", "/jump/ 200", "/jump/b 200", "2/a 200", "2/jump/ 200", "2/jump/b 200")
	if got := w.found("jumpword")["jumpword"]; got != "/jump/ /jump/" && got != "/jump/" { // a clone or not
		t.Errorf("found %q", got)
	}
	w.sets(servers("yes"))
	w.index()
	state("again", "/a 200", "/jump/ 406", "/jump/b 200", "2/a 200", "2/jump/ 200", "2/jump/b 200")
	if out := w.index("--dry-run-rules"); strings.Contains(out, "would") && strings.Contains(out, "/a ") {
		t.Errorf("--dry-run-rules: %s", out)
	}
}
