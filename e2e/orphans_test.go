package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

const (
	orphanDay   = 24 * time.Hour
	orphanNames = `SELECT coalesce(string_agg(replace(url, $1, ''), ' ' ORDER BY url), '') FROM orphans`
)

// TestRespiderOfClonesWithRelativeLinks verifies that the relative links of a clone, which has no content
// row, lead from its own URL.
func TestRespiderOfClonesWithRelativeLinks(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/a/index.html">x</a> <a href="/b/index.html">x</a>`)
	site.HTML("/a/index.html", `twins <a href="p.html">x</a>`)
	site.HTML("/b/index.html", `twins <a href="p.html">x</a>`)
	site.HTML("/a/p.html", "page pa")
	site.HTML("/b/p.html", "page pb")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	w.index("--respider")
	if got := w.one(orphanNames, site.URL); got != "" {
		t.Errorf("orphans %s", got)
	}
	// The same when both pages fail.
	site.Set("/a/index.html", spidertest.Page{Status: 500})
	site.Set("/b/index.html", spidertest.Page{Status: 500})
	w.index("--respider")
	if got := w.one(orphanNames, site.URL); got != "" {
		t.Errorf("orphans %s", got)
	}
}

// TestPurgedOrphanInAnOpenSchedule verifies that a document purged while a killed run held it stays away when
// its schedule is issued again.
func TestPurgedOrphanInAnOpenSchedule(t *testing.T) {
	t.Parallel()
	w, site := island(t)
	w.pass(40 * 24 * time.Hour)
	site.HTML("/parent", "parent alone")
	w.index("--respider")
	w.one(`WITH s AS (INSERT INTO schedule (run_id, fetcher, deadline, site_ids, url_ids)
		SELECT 1, 'dead', now() + interval '1 hour', ARRAY[site_id], ARRAY[url_id] FROM urlword WHERE url LIKE '%/child' RETURNING seq, site_ids)
		UPDATE sitestate t SET lease_seq = s.seq FROM s WHERE t.site_id = ANY(s.site_ids) RETURNING 1`)
	w.index("--orphans", "purge")
	site.Forget()
	w.index()
	if got := site.Count()["/child"]; got != 0 {
		t.Errorf("the purged orphan was asked for %d times", got)
	}
	if got := w.one(`SELECT deleted, withdrawn_by FROM urlword JOIN urlstate USING (url_id) WHERE url LIKE '%/child'`); got != "1 SR-09" {
		t.Errorf("got %s", got)
	}
}

func island(t *testing.T) (*world, *spidertest.Site) {
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/parent">x</a> <a href="/moved">x</a>`)
	site.HTML("/parent", `parent <a href="/child">x</a>`)
	site.HTML("/child", `child <a href="/grandchild">x</a>`)
	site.HTML("/grandchild", "grandchild")
	site.Set("/moved", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/target"}})
	site.HTML("/target", "target")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("MaxLostShare 100%\n")
	w.index()
	return w, site
}

// TestRespider verifies that --respider visits start URLs and everything that links reach once, due or not,
// and that URLs it does not reach are orphans (SR-09). A parent that fails, that is unchanged, or that
// redirects passes its stored links on.
func TestRespider(t *testing.T) {
	t.Parallel()
	all := "/ /child /grandchild /moved /parent /target"
	for _, c := range []struct {
		what             string
		change           func(*spidertest.Site)
		visited, orphans string
	}{
		{"nothing changed", func(*spidertest.Site) {}, all, ""},
		{"the parent loses its link", func(s *spidertest.Site) { s.HTML("/parent", "parent alone") }, "/ /moved /parent /target", "/child /grandchild"},
		{"the parent fails", func(s *spidertest.Site) { s.Set("/parent", spidertest.Page{Status: 500}) }, all, ""},
		{"the parent is gone", func(s *spidertest.Site) { s.Remove("/parent") }, all, ""},
		{"the parent does not answer", func(s *spidertest.Site) { s.Set("/parent", spidertest.Reset("")) }, all, ""},
		{"the start page fails", func(s *spidertest.Site) { s.Set("/", spidertest.Page{Status: 502}) }, all, ""},
		{"the redirect fails", func(s *spidertest.Site) { s.Set("/moved", spidertest.Page{Status: 500}) }, all, ""},
		{"the redirect does not answer", func(s *spidertest.Site) { s.Set("/moved", spidertest.Reset("")) }, all, ""},
		{"the redirect leads elsewhere", func(s *spidertest.Site) {
			s.Set("/moved", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/parent"}})
		}, "/ /child /grandchild /moved /parent", "/target"},
		{"the redirect is a page now", func(s *spidertest.Site) { s.HTML("/moved", "not moved any more") }, "/ /child /grandchild /moved /parent", "/target"},
		{"a new page on the way", func(s *spidertest.Site) {
			s.HTML("/", `<a href="/new">x</a> <a href="/moved">x</a>`)
			s.HTML("/new", `new <a href="/parent">x</a>`)
		}, "/ /child /grandchild /moved /new /parent /target", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			w, site := island(t)
			w.pass(time.Hour)
			c.change(site)
			site.Forget()
			w.crawl("--respider")
			count := site.Count()
			for path, n := range count {
				if n > 1 && !strings.Contains(c.what, "does not answer") { // a connection that breaks is tried once more
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
			if got := strings.Join(slices.Sorted(maps.Keys(count)), " "); got != c.visited {
				t.Errorf("visited %s, want %s", got, c.visited)
			}
			if got := w.one(orphanNames, site.URL); got != c.orphans {
				t.Errorf("orphans %q, want %q", got, c.orphans)
			}
			if got := w.one(`SELECT count(*) FROM urlword WHERE next_index_time < 0`); got != "0" {
				t.Errorf("%s URLs are still to be visited", got)
			}
		})
	}
}

// TestRespiderOfClones verifies that a clone passes on the links of its original, even if only the clone is
// reached.
func TestRespiderOfClones(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/a">x</a> <a href="/b">x</a>`)
	site.HTML("/a", `twins <a href="/child">x</a>`)
	site.HTML("/b", `twins <a href="/child">x</a>`)
	site.HTML("/child", "child")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("Threads 1\n")
	w.index()
	if got := w.one(`SELECT count(*) FROM urlword WHERE origin <> 0`); got != "1" {
		t.Fatalf("%s clones", got)
	}
	clone := w.one(`SELECT right(url, 2) FROM urlword WHERE origin <> 0`)
	site.HTML("/", `only <a href="`+clone+`">x</a>`)
	site.Set(clone, spidertest.Page{Status: 500})
	w.pass(time.Hour)
	site.Forget()
	w.index("--respider")
	if n := site.Count()["/child"]; n != 1 {
		t.Errorf("the child was asked for %d times, want 1", n)
	}
	if got := w.one(`SELECT count(*) FROM orphans`); got != "1" {
		t.Errorf("%s orphans, want the original", got)
	}
}

// TestOnlyCompleteRespidersMakeOrphans verifies that a limited or stopped run, which reaches less than
// exists, makes no orphans.
func TestOnlyCompleteRespidersMakeOrphans(t *testing.T) {
	t.Parallel()
	w, site := island(t)
	none := "orphans are unknown: no index --respider has completed without limits\n"
	site.HTML("/parent", "parent alone")
	for _, args := range [][]string{{"-a"}, {"--respider", "-n", "2"}, {"--respider", "-u", "%/parent"}, {"--respider", "-s", "200"}} {
		w.pass(time.Hour)
		w.index(args...)
		for _, what := range []string{"list", "purge"} {
			if got := w.index("--orphans", what); got != none {
				t.Errorf("%q, then --orphans %s: got %q", args, what, got)
			}
		}
		if got := w.one(`SELECT count(*) FROM orphans`); got != "0" {
			t.Errorf("%q: %s orphans", args, got)
		}
	}
	if _, err := w.pool.Exec(t.Context(), `UPDATE reindexing SET end_reason = 'stopped', respider = true, limited = false WHERE kind = 'crawl'`); err != nil {
		t.Fatal(err)
	}
	if got := w.index("--orphans", "purge"); got != none {
		t.Errorf("stopped: got %q", got)
	}
}

// TestNobodyJoinsWhatHasNotBegun ends the session with the locks of the first process while it prepares the
// frontier, and starts a second process. Whichever of them begins the run, everything is visited and nothing
// becomes an orphan (docs/reference/behavior.md, Schedules).
func TestNobodyJoinsWhatHasNotBegun(t *testing.T) {
	t.Parallel()
	w, site := island(t)
	w.pass(40 * orphanDay)
	if _, err := w.pool.Exec(t.Context(), `
		CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$;
		CREATE TRIGGER slow BEFORE UPDATE OF live ON sitestate FOR EACH ROW EXECUTE FUNCTION slow()`); err != nil {
		t.Fatal(err)
	}
	site.Forget()
	first, _ := w.start("--respider", "--no-merge")
	w.until(`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%beginGates%' AND state = 'active' AND pid <> pg_backend_pid())`)
	w.one(`SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint IN (1885827941, 1885827952)
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if _, err := w.pool.Exec(t.Context(), `UPDATE process SET started_at = started_at - interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	second, _ := w.start("--respider", "--no-merge")
	t.Logf("first: %v, second: %v", first.Wait(), second.Wait())
	// Usually they share a run. A process that arrives when that is over makes one of its own.
	runs, _ := strconv.Atoi(w.one(`SELECT count(*) FROM reindexing WHERE end_reason = 'complete' AND respider`))
	count := site.Count()
	for _, path := range []string{"/", "/child", "/grandchild", "/moved", "/parent", "/target"} {
		if count[path] != runs {
			t.Errorf("%s was asked for %d times in %d runs", path, count[path], runs)
		}
	}
	if got := w.one(`SELECT count(*) FROM reindexing WHERE end_reason = 'complete' AND respider AND documents <> 6`); got != "0" || runs == 0 {
		t.Errorf("runs: %q", w.rows(`SELECT run_id, end_reason, begun_at IS NOT NULL, documents FROM reindexing`))
	}
	if got := w.index("--orphans", "purge"); got != "purged 0 orphans\n" {
		t.Errorf("--orphans purge: %s", got)
	}
}

// TestPurgeOfOrphans verifies that orphans leave the index OrphanPeriod after their last answer, lost ones
// LostPeriod later (SR-09), and that an orphan that is found again comes back as new.
func TestPurgeOfOrphans(t *testing.T) {
	t.Parallel()
	w, site := island(t)
	w.spider("MaxLostShare 100%\nOrphanPeriod 10d\nLostPeriod 20d\n")
	site.Remove("/grandchild")
	w.pass(time.Hour)
	w.index("-a") // the grandchild is lost
	site.HTML("/parent", "parent alone")
	w.pass(time.Hour)
	w.index("--respider")
	list := strings.ReplaceAll(w.index("--orphans", "list"), site.URL, "")
	lines := strings.Split(strings.TrimSpace(list), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[1], "   200 404x1  ") || !strings.HasSuffix(lines[1], " /grandchild") ||
		!strings.HasPrefix(lines[2], "   200 -      ") || !strings.HasSuffix(lines[2], " /child") || !strings.HasPrefix(lines[3], "2 orphans, by the index --respider of ") {
		t.Errorf("--orphans list:\n%s", list)
	}
	for _, c := range []struct {
		pass time.Duration
		out  string
		left string
	}{
		{9 * orphanDay, "purged 0 orphans\n", "/child /grandchild"},
		{orphanDay, "purged 1 orphans; the next merge (index -D) removes their words from the index\n", "/grandchild"},
		{18 * orphanDay, "purged 0 orphans\n", "/grandchild"},
	} {
		w.pass(c.pass)
		if got := w.index("--orphans", "purge"); got != c.out {
			t.Errorf("got %q, want %q", got, c.out)
		}
		if got := w.one(orphanNames, site.URL); got != c.left {
			t.Errorf("left %q, want %q", got, c.left)
		}
	}
	w.hold()
	w.pass(2 * orphanDay)
	if got := w.index("--orphans", "purge"); got != "purged 0 orphans\n" {
		t.Errorf("on hold: got %q", got)
	}
	w.index("--release", site.URL)
	if got := w.index("--orphans", "purge"); !strings.HasPrefix(got, "purged 1 orphans") {
		t.Errorf("released: got %q", got)
	}
	w.index("-D")
	w.check()
	if got, want := w.rows(`SELECT replace(url, $1, ''), deleted, status, withdrawn_by, next_index_time = 1::bigint << 62, next_why,
		(SELECT count(*) FROM urlwords c WHERE c.url_id = u.url_id), (SELECT count(*) FROM word_postings(replace(url, $1 || '/', '')))
		FROM urlword u JOIN urlstate USING (url_id) WHERE deleted = 1 ORDER BY url`, site.URL),
		[]string{"/child 1 200 SR-09 true not until a link reaches it 0 0", "/grandchild 1 200 SR-09 true not until a link reaches it 0 0"}; !cmp.Equal(got, want) {
		t.Errorf("purged: got %q, want %q", got, want)
	}
	if got := w.rules("/child"); got != "T-01 T-02 SR-09" {
		t.Errorf("rules %s", got)
	}
	if got := w.one(`SELECT count(*) FROM reindexing WHERE kind = 'purge' AND documents = 1 AND end_reason = 'complete'`); got != "2" {
		t.Errorf("%s runs of kind purge, want 2", got)
	}

	w.index("-a") // what is purged is not due, whatever happens
	if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 1`); got != "2" {
		t.Errorf("-a: %s URLs are out, want 2", got)
	}
	site.HTML("/", `another way <a href="/parent">x</a> <a href="/elsewhere">x</a>`)
	site.HTML("/elsewhere", `elsewhere <a href="/child">x</a>`)
	w.pass(time.Hour)
	w.index()
	if got, want := w.one(`SELECT deleted, status, withdrawn_by, hops, (SELECT replace(p.url, $1, '') FROM urlword p WHERE p.url_id = u.referrer),
		(SELECT count(*) FROM word_postings('child')) FROM urlword u JOIN urlstate USING (url_id) WHERE url = $1 || '/child'`, site.URL), "0 200  2 /elsewhere 1"; got != want {
		t.Errorf("found again: got %s, want %s", got, want)
	}
	if got, want := w.one(`SELECT deleted, status FROM urlword WHERE url = $1 || '/grandchild'`, site.URL), "0 404"; got != want {
		t.Errorf("found again by what was found again: got %s, want %s", got, want)
	}
}

// TestWhatIsLinkedAgainIsNoOrphan links a document, after the --respider run that did not visit it, from a
// page that was visited since, though it was not due itself. Neither the document nor the pages it links to
// may be purged, whether the link is merged or not. A cycle of orphans stays orphaned (SR-09).
func TestWhatIsLinkedAgainIsNoOrphan(t *testing.T) {
	t.Parallel()
	const long = "Period 90d\nServer %s/\n"
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/parent">x</a> <a href="/ring">x</a>`)
	site.HTML("/parent", `parent <a href="/child">x</a>`)
	site.HTML("/child", `child <a href="/grandchild">x</a>`)
	site.HTML("/grandchild", "grandchild")
	site.HTML("/ring", `ring <a href="/gnir">x</a>`)
	site.HTML("/gnir", `gnir <a href="/ring">x</a>`)
	w := newWorld(t, fmt.Sprintf(long, site.URL))
	w.index()
	site.HTML("/parent", "parent alone")
	site.HTML("/", `<a href="/parent">x</a>`)
	w.pass(40 * orphanDay)
	w.index("--respider")
	if got, want := w.one(orphanNames, site.URL), "/child /gnir /grandchild /ring"; got != want {
		t.Fatalf("orphans %q, want %q", got, want)
	}
	site.HTML("/parent", `parent again <a href="/child">x</a>`)
	w.pass(time.Hour)
	if _, err := w.pool.Exec(t.Context(), `UPDATE urlword SET next_index_time = 1 WHERE url LIKE '%/parent'`); err != nil {
		t.Fatal(err)
	}
	w.index("--no-merge")
	for _, waits := range []string{"true", "false"} {
		if got := w.one(`SELECT EXISTS (SELECT FROM journal WHERE links_added <> '{}')`); got != waits {
			t.Errorf("the link waits for the merge: %s, want %s", got, waits)
		}
		if got, want := w.one(orphanNames, site.URL), "/gnir /ring"; got != want {
			t.Errorf("orphans %q, want %q", got, want)
		}
		w.index("-D")
	}
	if got, want := w.index("--orphans", "list"), "2 orphans, by"; !strings.Contains(got, want) {
		t.Errorf("--orphans list: %s", got)
	}
	if got, want := w.index("--orphans", "purge"), "purged 2 orphans"; !strings.HasPrefix(got, want) {
		t.Errorf("--orphans purge: %s", got)
	}
	if got := w.one(`SELECT string_agg(replace(url, $1, ''), ' ' ORDER BY url) FROM urlword WHERE deleted = 1`, site.URL); got != "/gnir /ring" {
		t.Errorf("purged %s", got)
	}
	site.HTML("/parent", "parent alone again")
	w.pass(time.Hour)
	if _, err := w.pool.Exec(t.Context(), `UPDATE urlword SET next_index_time = 1 WHERE url LIKE '%/parent'`); err != nil {
		t.Fatal(err)
	}
	w.index("--no-merge") // citation still names the link
	if got, want := w.one(orphanNames, site.URL), "/child /grandchild"; got != want {
		t.Errorf("the link is gone: orphans %q, want %q", got, want)
	}
}

// TestPurgedOrphanAsStartURL verifies that a Server line brings a purged orphan back, too.
func TestPurgedOrphanAsStartURL(t *testing.T) {
	t.Parallel()
	w, site := island(t)
	site.HTML("/parent", "parent alone")
	w.pass(time.Hour)
	w.index("--respider")
	w.pass(31 * orphanDay)
	if got := w.index("--orphans", "purge"); !strings.HasPrefix(got, "purged 2 orphans") {
		t.Fatalf("got %q", got)
	}
	w.sets("Server " + site.URL + "/\nServer " + site.URL + "/child\n")
	site.Forget()
	w.index()
	if got, want := w.one(`SELECT deleted, status, hops, referrer FROM urlword WHERE url = $1 || '/child'`, site.URL), "0 200 0 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := site.Count()["/child"]; n != 1 {
		t.Errorf("asked for %d times", n)
	}
	// The return is a registration, not a transition: the next visit begins with old_status 0.
	if got, want := strings.Join(w.rows(`SELECT rule, old_status, new_status FROM crawl_history JOIN urlword USING (url_id)
		WHERE url = $1 || '/child' ORDER BY at`, site.URL), ", "), "T-01 0 200, SR-09 200 200, T-01 0 200"; got != want {
		t.Errorf("history: got %s, want %s", got, want)
	}
}

// TestOrphanPurgeWaitsForNoCrawl verifies that during a crawl --orphans purge ends with exit code 4 and
// purges nothing.
func TestOrphanPurgeWaitsForNoCrawl(t *testing.T) {
	t.Parallel()
	w, site := island(t)
	site.HTML("/parent", "parent alone")
	w.pass(time.Hour)
	w.index("--respider")
	w.pass(31 * orphanDay)
	reached, release := make(chan struct{}), make(chan struct{})
	site.Set("/", spidertest.Page{Serve: stuck(reached, release)})
	cmd, _ := w.start("--no-merge")
	<-reached
	if code, _, errOut := w.try("--orphans", "purge"); code != exitHeld {
		t.Errorf("exit %d\n%s", code, errOut)
	}
	if got := w.one(`SELECT count(*) FROM urlstate WHERE withdrawn_by = 'SR-09'`); got != "0" {
		t.Errorf("%s orphans were purged beside a crawl", got)
	}
	close(release)
	_ = cmd.Wait()
}

// stuck closes reached at the first request and answers when release is closed.
func stuck(reached, release chan struct{}) http.HandlerFunc {
	var once sync.Once
	return func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { close(reached) })
		<-release
		fmt.Fprint(w, "slow")
	}
}
