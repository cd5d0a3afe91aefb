package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestForbiddenAndAllowedAgain verifies that a URL forbidden by sets.cnf or robots.txt leaves the index and
// keeps its row (T-12), and returns in the run that finds it allowed again (T-15).
func TestForbiddenAndAllowedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what         string
		forbid, free func(w *world, s *spidertest.Site)
		cause        string
		swept        []string // rules that come before the first visit
	}{
		{
			"sets.cnf",
			func(w *world, s *spidertest.Site) { w.sets("Disallow /secret\nServer " + s.URL + "/\n") },
			func(w *world, s *spidertest.Site) { w.sets("Server " + s.URL + "/\n") },
			"refused by",
			[]string{"T-12"}, // before the first fetch of the run
		},
		{
			"robots.txt",
			func(w *world, s *spidertest.Site) {
				s.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /secret\n"})
			},
			func(w *world, s *spidertest.Site) { s.Remove("/robots.txt") },
			"robots.txt line 2: Disallow: /secret",
			nil, // the visit, which asks for the file, looks at it
		},
	} {
		t.Run("T-12, T-15: "+c.what, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			site.HTML("/", `<a href="/secret.html">x</a> <a href="/open.html">x</a>`)
			site.HTML("/secret.html", `<title>secret</title>secretword <a href="/open.html">x</a>`)
			site.HTML("/open.html", "<title>open</title>openword")
			w := newWorld(t, "Server "+site.URL+"/\n")
			state := func() []string {
				return append(w.rows(`SELECT deleted, status, (SELECT count(*) FROM word_postings('secretword')),
					(SELECT count(*) FROM citation c JOIN urlword o USING (url_id) WHERE o.url LIKE '%/open.html' AND u.url_id = ANY(c.referrers))
					FROM urlword u WHERE url LIKE '%/secret.html'`),
					w.rows(`SELECT rule FROM crawl_history JOIN urlword USING (url_id) WHERE url LIKE '%/secret.html' ORDER BY at`)...)
			}
			w.index()
			if diff := cmp.Diff([]string{"0 200 1 1", "T-01"}, state()); diff != "" {
				t.Fatalf("first (-want +got):\n%s", diff)
			}
			expire := func() {
				if _, err := w.pool.Exec(t.Context(), `UPDATE robots_cache SET fetched_at = fetched_at - interval '1 day'`); err != nil {
					t.Fatal(err)
				}
			}
			c.forbid(w, site)
			expire()
			site.Forget()
			w.index(w.accept("-a")...)
			forbidden := slices.Concat([]string{"T-01"}, c.swept, []string{"T-12"}) // -a looks at the rule again
			if diff := cmp.Diff(append([]string{"1 200 0 0"}, forbidden...), state()); diff != "" {
				t.Fatalf("forbidden (-want +got):\n%s", diff)
			}
			if n := site.Count()["/secret.html"]; n != 0 {
				t.Errorf("forbidden, and asked for %d times", n)
			}
			if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-12' AND starts_with(cause, $1)`, c.cause); got != fmt.Sprint(len(forbidden)-1) {
				t.Errorf("cause: %v", w.rows(`SELECT cause FROM crawl_history WHERE rule = 'T-12'`))
			}
			expire()
			w.index("-a") // still forbidden
			c.free(w, site)
			expire()
			w.index("-a")
			if diff := cmp.Diff(slices.Concat([]string{"0 200 1 1"}, forbidden, []string{"T-12", "T-15", "T-02"}), state()); diff != "" {
				t.Fatalf("allowed again (-want +got):\n%s", diff)
			}
			if n := site.Count()["/secret.html"]; n != 1 {
				t.Errorf("allowed again, and asked for %d times", n)
			}
		})
	}
}
