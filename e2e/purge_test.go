package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestPurgeOfLostDocuments verifies that T-18 ends a live document that was lost as often as the class of its
// error allows, before the batches of -D, and not earlier.
func TestPurgeOfLostDocuments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what    string
		page    spidertest.Page
		spider  string
		limit   int // runs, 0 = never
		as      string
		lastWhy string
	}{
		{"404", spidertest.Page{Status: 404}, "", 4, "404", "lost 4 times, last status 404"},
		{"410 with LostLimit", spidertest.Page{Status: 410}, "LostLimit 2\n", 2, "410", "lost 2 times, last status 410"},
		{"404 with LostLimit 1", spidertest.Page{Status: 404}, "LostLimit 1\n", 1, "404", "lost once, last status 404"},
		{"401", spidertest.Page{Status: 401}, "LostLimit 2\n", 3, "401", "lost 3 times, last status 401"},
		{"403", spidertest.Page{Status: 403}, "LostLimit 2\n", 4, "403", "lost 4 times, last status 403"},
		{"500", spidertest.Page{Status: 500}, "LostLimit 2\n", 4, "500", "lost 4 times, last status 500"},
		{"unreachable", spidertest.Reset(""), "LostLimit 2\n", 0, "", ""},
		{"unreachable with UnreachableRemove", spidertest.Reset(""), "UnreachableRemove yes\n", 4, "705", "not reached 4 times, last status 705"},
	} {
		t.Run("T-18: "+c.what, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			site.HTML("/", `front <a href="/x.html">x</a>`)
			site.HTML("/x.html", `gone words <a href="/">front</a>`)
			w := newWorld(t, "Server "+site.URL+"/\n")
			w.spider(c.spider)
			w.index()
			site.Set("/x.html", c.page)
			limit := c.limit
			if limit == 0 {
				limit = 8
			}
			for n := 1; n <= limit; n++ {
				w.index("-a", "--no-merge")
				if n < limit || c.limit == 0 {
					w.index("-D")
					if got := w.one(`SELECT status_base(status), (SELECT count(*) FROM word_postings('gone')) FROM urlword WHERE url LIKE '%x.html'`); got != "200 1" {
						t.Fatalf("after run %d: %s, want a live document", n, got)
					}
				}
			}
			if c.limit == 0 {
				return
			}
			kept := `SELECT u.crc, u.last_index_time, s.attempts, s.last_attempt, s.seen_run, s.error_class, s.error_count FROM urlword u JOIN urlstate s USING (url_id) WHERE url LIKE '%x.html'`
			before := w.one(kept)
			w.index("-D")
			if got := w.one(kept); got != before {
				t.Errorf("a purge is no visit: got %s, was %s", got, before)
			}
			if got, want := w.one(`SELECT status, redir, origin, deleted, next_why, next_index_time - extract(epoch FROM now())::bigint BETWEEN 20 * 86400 AND 22 * 86400,
				(SELECT count(*) FROM urlwords c WHERE c.url_id = u.url_id), (SELECT count(*) FROM word_postings('gone')),
				(SELECT count(*) FROM citation c WHERE u.url_id = ANY(referrers)) FROM urlword u JOIN urlstate USING (url_id) WHERE url LIKE '%x.html'`),
				c.as+" 0 0 0 purged: 21d true 0 0 0"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if got, want := w.one(`SELECT rule, result, status_base(old_status), new_status, cause FROM crawl_history ORDER BY at DESC LIMIT 1`), fmt.Sprintf("T-18 %s 200 %s %s", c.as, c.as, c.lastWhy); got != want {
				t.Errorf("history: got %s, want %s", got, want)
			}
			if got, want := w.rows(`SELECT kind, end_reason, documents FROM reindexing WHERE kind = 'purge'`), []string{"purge complete 1"}; !cmp.Equal(got, want) {
				t.Errorf("runs: got %q, want %q", got, want)
			}
			w.check()

			site.HTML("/x.html", `gone words <a href="/">front</a>`)
			w.index("-a")
			if got := w.one(`SELECT status, (SELECT count(*) FROM word_postings('gone')) FROM urlword WHERE url LIKE '%x.html'`); got != "200 1" {
				t.Errorf("back again: %s", got)
			}
		})
	}
}

// lostWorld returns a crawled site with n pages at /p/, all lost in as many runs as runs says. The gate is
// off.
func lostWorld(t *testing.T, n, runs int) (*world, *spidertest.Site) {
	site := spidertest.NewSite(t)
	var front strings.Builder
	for i := range n {
		fmt.Fprintf(&front, `<a href="/p/%d">x</a> `, i)
		site.HTML(fmt.Sprintf("/p/%d", i), fmt.Sprintf("page%d", i))
	}
	site.HTML("/", front.String())
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("MaxLostShare 100%\nLostLimit 3\n")
	w.index()
	for i := range n {
		site.Remove(fmt.Sprintf("/p/%d", i))
	}
	for range runs {
		w.index("-a", "--no-merge")
	}
	return w, site
}

// hold puts the only site on hold, as the safety gate does.
func (w *world) hold() {
	w.t.Helper()
	if _, err := w.pool.Exec(w.t.Context(), `WITH h AS (UPDATE sitestate SET gate = 'h' RETURNING site_id)
		INSERT INTO site_hold (site_id, run_id, reason, url_id, live, turned_lost) SELECT site_id, 1, 'share', 1, 12, 4 FROM h`); err != nil {
		w.t.Fatal(err)
	}
}

// TestPurgeObeysHolds verifies that no document of a site on hold is purged until an operator releases the
// site or LostPeriod is over.
func TestPurgeObeysHolds(t *testing.T) {
	t.Parallel()
	live := `SELECT count(*) FROM urlword WHERE url LIKE '%/p/%' AND status_base(status) = 200 AND deleted = 0`
	for _, c := range []struct {
		what, endedBy string
		end           func(w *world, site string)
	}{
		{"released", "released", func(w *world, site string) {
			if got, want := w.index("--release", site+"/p/1"), "released "+site+"/; its documents can be lost from the next visit on\n"; got != want {
				w.t.Errorf("--release: got %q, want %q", got, want)
			}
		}},
		{"expired", "expired", func(w *world, _ string) { w.pass(31 * 24 * time.Hour) }},
	} {
		t.Run("T-18: "+c.what, func(t *testing.T) {
			t.Parallel()
			w, site := lostWorld(t, 12, 3)
			w.hold()
			w.index("-D")
			if out := w.index("--purge-lost"); out != "purged 0 lost documents\n" {
				t.Errorf("on hold: got %q", out)
			}
			if got := w.one(live); got != "12" {
				t.Fatalf("on hold: %s documents live, want 12", got)
			}
			if got := w.one(`SELECT count(*) FROM reindexing WHERE kind = 'purge'`); got != "0" {
				t.Errorf("%s runs that purged nothing", got)
			}
			c.end(w, site.URL)
			w.index("-D")
			if got := w.one(live); got != "0" {
				t.Errorf("%s: %s documents live, want 0", c.what, got)
			}
			if got, want := w.one(`SELECT ended_by, gate::text FROM site_hold JOIN sitestate USING (site_id)`), c.endedBy+" o"; got != want {
				t.Errorf("hold: got %s, want %s", got, want)
			}
		})
	}
}

// TestReleaseOfWhatIsNotHeld verifies that --release of a site that is not on hold fails with exit code 1 and
// the reason.
func TestReleaseOfWhatIsNotHeld(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", "front")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	for _, c := range []struct{ site, want string }{
		{site.URL, "index: site " + site.URL + "/ is not on hold, and its host asks for no pause\n"},
		{"http://elsewhere.example/a", "index: site http://elsewhere.example/ is not registered\n"},
		{"elsewhere", `index: "elsewhere": want a site or one of its URLs, such as http://www.example.org/: `},
	} {
		code, _, errOut := w.try("--release", c.site)
		if code != exitFailed || !strings.HasPrefix(errOut, c.want) {
			t.Errorf("%s: exit %d, %q, want %q", c.site, code, errOut, c.want)
		}
	}
}

// TestPurgeLostByCount verifies that --purge-lost=N purges documents lost N times, whatever the error, and
// that without a number the limits apply.
func TestPurgeLostByCount(t *testing.T) {
	t.Parallel()
	w, site := lostWorld(t, 4, 1)
	site.Set("/p/0", spidertest.Page{Status: 500})
	site.HTML("/p/1", "page1") // returns to life
	w.index("-a", "--no-merge")
	for _, c := range []struct {
		args []string
		want string
		left string
	}{
		{[]string{"--purge-lost"}, "purged 0 lost documents\n", "4"},
		{[]string{"--purge-lost=3"}, "purged 0 lost documents\n", "4"},
		{[]string{"--purge-lost=2"}, "purged 3 lost documents; the next merge (index -D) removes their words from the index\n", "1"},
		{[]string{"--purge-lost=1"}, "purged 0 lost documents\n", "1"},
	} {
		if got := w.index(c.args...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.args, got, c.want)
		}
		if got := w.one(`SELECT count(*) FROM urlword WHERE url LIKE '%/p/%' AND status_base(status) = 200`); got != c.left {
			t.Errorf("%q: %s documents are left, want %s", c.args, got, c.left)
		}
	}
	w.index("-D")
	if got := w.one(`SELECT count(*) FROM word_postings('page1')`) + w.one(`SELECT count(*) FROM word_postings('page0')`); got != "10" {
		t.Errorf("postings: %s, want 1 and 0", got)
	}
}

// TestPurgeOfClones verifies that the clone of a purged original is promoted, and that a purged clone leaves
// no trace.
func TestPurgeOfClones(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, path, want string }{
		{"original", "/p/0", "/p/0 404 ; /p/1 200 ; /p/2 200 /p/1"},
		{"clone", "/p/1", "/p/0 200 ; /p/1 404 ; /p/2 200 /p/0"},
	} {
		t.Run("T-18: "+c.what, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			site.HTML("/", `<a href="/p/0">x</a> <a href="/p/1">x</a> <a href="/p/2">x</a>`)
			for i := range 3 {
				site.HTML(fmt.Sprintf("/p/%d", i), `same words <a href="/">x</a>`)
			}
			w := newWorld(t, "Server "+site.URL+"/\n")
			w.spider("LostLimit 1\nThreads 1\n")
			w.index()
			site.Remove(c.path)
			w.index("-a")
			if got := strings.Join(w.rows(`SELECT right(u.url, 4), u.status, coalesce((SELECT right(o.url, 4) FROM urlword o WHERE o.url_id = u.origin), '')
				FROM urlword u WHERE url LIKE '%/p/%' ORDER BY url`), "; "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got := w.one(`SELECT count(*) FROM word_postings('same')`); got != "1" {
				t.Errorf("%s postings, want 1", got)
			}
			w.check()
		})
	}
}
