package e2e

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// rules returns the transitions of a path, in their order.
func (w *world) rules(path string) string {
	w.t.Helper()
	return strings.Join(w.rows(`SELECT rule FROM crawl_history JOIN urlword USING (url_id) WHERE url LIKE '%' || $1 ORDER BY at, slot`, path), " ")
}

// everything returns a digest of each table with its row versions. It is equal only if nothing at all was
// written.
func (w *world) everything() (tables []string) {
	w.t.Helper()
	for _, table := range w.rows(`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`) {
		tables = append(tables, table+" "+w.one(fmt.Sprintf(`SELECT count(*), coalesce(md5(string_agg(t.ctid::text || t.xmin || t::text, ' ' ORDER BY t.ctid)), '') FROM %q t`, table)))
	}
	return tables
}

// forest serves a start page with a directory of n pages that link to a page outside the directory.
func forest(t *testing.T, n int) *spidertest.Site {
	site := spidertest.NewSite(t)
	var start strings.Builder
	for i := range n {
		fmt.Fprintf(&start, `<a href="/secret/%d.html">x</a> `, i)
		site.HTML(fmt.Sprintf("/secret/%d.html", i), fmt.Sprintf(`<title>secret</title>hidden tree%d <a href="/deep.html">x</a>`, i))
	}
	site.HTML("/", start.String()+`<a href="/open.html">x</a>`)
	site.HTML("/open.html", "open word")
	site.HTML("/deep.html", "deep word")
	return site
}

// TestSweepOfConfiguration verifies that after a change of sets.cnf all registered URLs are tested before the
// first fetch, due or not: T-12 for forbidden ones, T-15 for ones that are allowed again, which are fetched
// in the same run.
func TestSweepOfConfiguration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, path, forbid, free, cause string
	}{
		{"T-12, T-15: Disallow", "/secret/1.html", "Disallow /secret/\nServer SITE/\n", "Server SITE/\n", "refused by "},
		{"T-12, T-15: MaxHops", "/deep.html", "MaxHops 1\nServer SITE/\n", "MaxHops 2\nServer SITE/\n", "deeper than MaxHops 1"},
		{"T-12, T-15: Server", "/deep.html", "Server OTHER/\n", "Server OTHER/\nServer SITE/\n", "no Server line for this site"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			site, other := forest(t, 3), spidertest.NewSite(t)
			other.HTML("/", "another site")
			sets := strings.NewReplacer("SITE", site.URL, "OTHER", other.URL)
			w := newWorld(t, sets.Replace("Server SITE/\n"))
			w.index()
			visit := `SELECT s.attempts, s.last_attempt, s.seen_run, u.last_index_time, u.crc, u.status, u.hops FROM urlstate s JOIN urlword u USING (url_id) WHERE url LIKE '%' || $1`
			before := w.one(visit, c.path)
			word := strings.Fields(map[string]string{"/secret/1.html": "tree1", "/deep.html": "deep"}[c.path])[0]

			w.sets(sets.Replace(c.forbid))
			site.Forget()
			w.index(w.accept()...)
			if got, want := w.rules(c.path), "T-01 T-12"; got != want {
				t.Fatalf("forbidden: rules %s, want %s", got, want)
			}
			if n := site.Count()[c.path]; n != 0 {
				t.Errorf("forbidden: asked for %d times", n)
			}
			if got := w.one(visit, c.path); got != before {
				t.Errorf("a sweep is no visit: got %s, was %s", got, before)
			}
			if got, want := w.one(`SELECT u.deleted, withdrawn_by, events, (SELECT count(*) FROM word_postings($2)), (SELECT deleted FROM urlwords c WHERE c.url_id = u.url_id),
				next_index_time - extract(epoch FROM now())::bigint BETWEEN 6 * 86400 AND 8 * 86400, next_why
				FROM urlword u JOIN urlstate USING (url_id) WHERE url LIKE '%' || $1`, c.path, word), "1 T-12 2 0 1 true rules checked again: 7d"; got != want {
				t.Errorf("forbidden: got %s, want %s", got, want)
			}
			history := w.one(`SELECT cause, result FROM crawl_history WHERE rule = 'T-12' AND url_id = (SELECT url_id FROM urlword WHERE url LIKE '%' || $1)`, c.path)
			if !strings.HasPrefix(history, c.cause) || !strings.HasSuffix(history, " 901") {
				t.Errorf("cause: %s, want %s", history, c.cause)
			}
			w.check()

			swept := w.rows(`SELECT url_id, xmin::text FROM urlword WHERE deleted = 1 ORDER BY 1`)
			w.index()
			if diff := cmp.Diff(swept, w.rows(`SELECT url_id, xmin::text FROM urlword WHERE deleted = 1 ORDER BY 1`)); diff != "" {
				t.Errorf("the same configuration again: rows changed:\n%s", diff)
			}

			w.sets(sets.Replace(c.free))
			w.index()
			if got, want := w.rules(c.path), "T-01 T-12 T-15 T-02"; got != want {
				t.Errorf("allowed again: rules %s, want %s", got, want)
			}
			if got, want := w.one(`SELECT u.deleted, status, withdrawn_by, (SELECT count(*) FROM word_postings($2)) FROM urlword u JOIN urlstate USING (url_id) WHERE url LIKE '%' || $1`,
				c.path, word), "0 200  1"; got != want {
				t.Errorf("allowed again: got %s, want %s", got, want)
			}
			w.check()
		})
	}
}

// TestSweepTakesOutClones verifies that the clone of a forbidden original is promoted, and that both leave
// when both are forbidden.
func TestSweepTakesOutClones(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/a/x.html">x</a> <a href="/b/x.html">x</a> <a href="/c/x.html">x</a>`)
	for _, dir := range []string{"a", "b", "c"} {
		site.HTML("/"+dir+"/x.html", "the same words")
	}
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	state := func() string {
		return strings.Join(w.rows(`SELECT right(u.url, 8), u.deleted, u.status, coalesce((SELECT right(o.url, 8) FROM urlword o WHERE o.url_id = u.origin), '') FROM urlword u
			WHERE url LIKE '%x.html' AND deleted = 0 ORDER BY u.url_id`), "; ") + " " + w.one(`SELECT count(*) FROM word_postings('same')`)
	}
	w.sets("Disallow /a/\nServer " + site.URL + "/\n")
	w.index()
	if got, want := state(), "b/x.html 0 200 ; c/x.html 0 200 b/x.html 1"; got != want {
		t.Errorf("original hidden: got %s, want %s", got, want)
	}
	w.check()
	w.sets("Disallow /a/ /b/ /c/\nServer " + site.URL + "/\n")
	w.index(w.accept()...)
	if got, want := state(), " 0"; got != want {
		t.Errorf("all hidden: got %q, want %q", got, want)
	}
	w.check()
}

// TestSweepLeavesOtherRemovalsAlone verifies that rules do not bring back a URL that was removed for another
// reason, and that a URL forbidden by robots.txt stays withdrawn although the configuration allows it again.
func TestSweepLeavesOtherRemovalsAlone(t *testing.T) {
	t.Parallel()
	site := forest(t, 2)
	server := "DeleteBad yes\nServer " + site.URL + "/\n"
	w := newWorld(t, server)
	w.index()
	site.Remove("/deep.html")
	w.index("-a") // T-13
	w.sets("Disallow /secret/ /deep\n" + server)
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /secret/1\n"})
	w.pass(time.Hour)
	w.index(w.accept()...)
	deleted := func() string {
		return strings.Join(w.rows(`SELECT replace(url, $1, '') FROM urlword WHERE deleted = 1 ORDER BY 1`, site.URL), " ")
	}
	if got, want := deleted(), "/deep.html /secret/0.html /secret/1.html"; got != want {
		t.Fatalf("hidden: %s, want %s", got, want)
	}
	w.sets(server)
	w.index()
	if got, want := deleted(), "/deep.html /secret/1.html"; got != want {
		t.Errorf("hidden: %s, want %s", got, want)
	}
	for _, c := range []struct{ path, want string }{
		{"/deep.html", "T-01 T-13"},
		{"/secret/0.html", "T-01 T-02 T-12 T-20 T-15 T-01"}, // DeleteBad keeps nothing
		{"/secret/1.html", "T-01 T-02 T-12 T-20"},
	} {
		if got := w.rules(c.path); got != c.want {
			t.Errorf("%s: rules %s, want %s", c.path, got, c.want)
		}
	}
}

// TestSweepKilled kills a sweep in the middle. The next run repeats it, and both end in the same state as an
// undisturbed one.
func TestSweepKilled(t *testing.T) {
	t.Parallel()
	const n = 40
	site := forest(t, n)
	hidden := "Disallow /secret/\nServer " + site.URL + "/\n"
	undisturbed, w := newWorld(t, "Server "+site.URL+"/\n"), newWorld(t, "Server "+site.URL+"/\n")
	for _, world := range []*world{undisturbed, w} {
		world.index()
		world.sets(hidden)
	}
	undisturbed.index(undisturbed.accept()...)

	// The sweep meets a page that another process holds.
	ctx := context.Background()
	tx, err := w.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, `SELECT 1 FROM urlword WHERE url_id = (SELECT url_id FROM urlword WHERE url LIKE '%/secret/20.html') FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	cmd, out := w.start(w.accept()...)
	for w.one(`SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT granted AND a.datname = current_database()`) == "0" ||
		w.one(`SELECT count(*) < 10 FROM urlword WHERE deleted = 1`) == "true" {
		if cmd.ProcessState != nil {
			t.Fatalf("ended early\n%s", out)
		}
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	for w.one(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'index%' AND state <> 'idle'`) != "0" {
		time.Sleep(time.Millisecond)
	}
	w.check()
	if got := w.one(`SELECT count(*) < $1 FROM urlword WHERE deleted = 1`, n); got != "true" {
		t.Fatal("the kill came too late")
	}
	if got := w.one(`SELECT swept_hash = (SELECT config_hash FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1) FROM crawl_control`); got != "false" {
		t.Error("an interrupted sweep counts as made")
	}
	w.index()
	if diff := cmp.Diff(storetest.Dump(t, undisturbed.dsn), storetest.Dump(t, w.dsn)); diff != "" {
		t.Errorf("the tables differ from an undisturbed sweep's (-undisturbed +killed):\n%s", diff)
	}
	if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-12'`); got != fmt.Sprint(n) {
		t.Errorf("%s URLs were hidden, want %d, each once", got, n)
	}
}

// TestSweepOfRobots verifies that after robots.txt was fetched again all registered URLs of its host are
// tested, due or not.
func TestSweepOfRobots(t *testing.T) {
	t.Parallel()
	site := forest(t, 3)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	robots := func(body string) {
		site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: body})
		w.pass(time.Hour)
		site.Forget()
		w.index()
		w.check()
	}
	states := func() string {
		return strings.Join(w.rows(`SELECT right(url, 6), deleted, status, withdrawn_by, s.attempts FROM urlword JOIN urlstate s USING (url_id) WHERE url LIKE '%/secret/%' ORDER BY url`), "; ")
	}
	robots("User-agent: *\nDisallow: /secret\nAllow: /secret/2\n")
	if got, want := states(), "0.html 1 200 T-12 1; 1.html 1 200 T-12 1; 2.html 0 200  1"; got != want {
		t.Errorf("T-12: got %s, want %s", got, want)
	}
	if got, want := w.one(`SELECT DISTINCT cause, result FROM crawl_history WHERE rule = 'T-12'`), "robots.txt line 2: Disallow: /secret 900"; got != want {
		t.Errorf("T-12: cause %s, want %s", got, want)
	}
	if got := w.one(`SELECT count(*) FROM word_postings('hidden')`); got != "1" {
		t.Errorf("T-12: %s postings, want 1", got)
	}
	before := w.rows(`SELECT url_id, xmin::text FROM urlword WHERE deleted = 1 ORDER BY 1`)
	robots("# the same rules, written otherwise\nUser-agent: *\nAllow: /secret/2\nDisallow: /secret\n")
	if diff := cmp.Diff(before, w.rows(`SELECT url_id, xmin::text FROM urlword WHERE deleted = 1 ORDER BY 1`)); len(before) != 2 {
		t.Errorf("the same rules: rows changed:\n%s", diff)
	}
	robots("User-agent: *\nDisallow: /secret/0\n")
	if got, want := states(), "0.html 1 200 T-12 1; 1.html 0 200  2; 2.html 0 200  1"; got != want {
		t.Errorf("T-15: got %s, want %s", got, want)
	}
	if got, want := w.rules("/secret/1.html"), "T-01 T-12 T-15 T-02"; got != want {
		t.Errorf("T-15: rules %s, want %s", got, want)
	}
	// A host that does not answer, or answers with an error, withdraws nothing and brings nothing back.
	site.Set("/robots.txt", spidertest.Page{Status: 503, Body: "away"})
	w.pass(time.Hour)
	w.crawl()
	if got, want := states(), "0.html 1 200 T-12 1; 1.html 0 200  2; 2.html 0 200  1"; got != want {
		t.Errorf("503: got %s, want %s", got, want)
	}
	// The configuration also decides which URLs come back.
	w.sets("Disallow /secret/0\nServer " + site.URL + "/\n")
	robots("")
	if got, want := w.one(`SELECT deleted FROM urlword WHERE url LIKE '%/secret/0.html'`), "1"; got != want {
		t.Errorf("forbidden by both: deleted %s, want %s", got, want)
	}
}

// TestSweepOfRobotsBringsBackWhatIsDue verifies that a URL that a batch holds when robots.txt allows it again
// comes back once.
func TestSweepOfRobotsBringsBackWhatIsDue(t *testing.T) {
	t.Parallel()
	site := forest(t, 25)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("LostLimit 1\n") // a ban takes effect on its first day
	w.index()
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /secret\n"})
	w.pass(time.Hour)
	w.index()
	if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 1`); got != "25" {
		t.Fatalf("%s URLs are hidden, want 25", got)
	}
	site.Remove("/robots.txt")
	w.pass(8 * 24 * time.Hour)
	w.index("-q") // no start URL asks for robots.txt first
	got := w.rows(`SELECT rules, status, deleted, count(*) FROM (SELECT string_agg(rule, ' ' ORDER BY at) AS rules, url_id FROM crawl_history GROUP BY url_id) h
		JOIN urlword USING (url_id) WHERE url LIKE '%/secret/%' GROUP BY 1, 2, 3`)
	if diff := cmp.Diff([]string{"T-01 T-12 T-15 T-02 200 0 25"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRobotsPolicyGSA verifies that with RobotsPolicy gsa only 200 and 404 open a host. After LostLimit other
// answers in a row all its URLs are forbidden (T-12). A missing answer neither counts nor resets the count.
func TestRobotsPolicyGSA(t *testing.T) {
	t.Parallel()
	forbidden, away := spidertest.Page{Status: 403, Body: "no"}, spidertest.Wire("")
	site := forest(t, 2)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("RobotsPolicy gsa\nLostLimit 3\nConnectivityInterval 0\n")
	w.index()
	for i, c := range []struct {
		what   string
		robots spidertest.Page
		live   string // documents
		start  string // the rule of the start URL
	}{
		{"first refusal", forbidden, "5", "T-10"},
		{"second", spidertest.Page{Status: 500, Body: "no"}, "5", "T-10"},
		{"nobody answers", away, "5", "T-10"},
		{"third refusal in a row", forbidden, "0", "T-12"},
		{"goes on", forbidden, "0", "T-12"},
		{"nobody answers, still closed", away, "0", "T-10"},
		{"200 opens it", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /secret\n"}, "3", "T-02"},
		{"a refusal counts from the beginning", forbidden, "3", "T-10"},
		{"404 opens it", spidertest.Page{Status: 404}, "5", "T-02"},
	} {
		site.Set("/robots.txt", c.robots)
		w.pass(time.Hour)
		site.Forget()
		w.crawl()
		w.check()
		if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 0 AND status_base(status) = 200`); got != c.live {
			t.Errorf("%d %s: %s documents, want %s", i, c.what, got, c.live)
		}
		rules := strings.Fields(w.rules(site.URL + "/"))
		if got := rules[len(rules)-1]; got != c.start {
			t.Errorf("%d %s: the start URL got %s, want %s", i, c.what, got, c.start)
		}
	}
	if got, want := w.one(`SELECT cause FROM crawl_history JOIN urlword USING (url_id) WHERE rule = 'T-12' AND url LIKE '%/open.html'`), "robots.txt answered 403, 3 times in a row"; got != want {
		t.Errorf("cause: got %s, want %s", got, want)
	}
}

// TestDryRunOfRules verifies that --dry-run-rules lists what each line of sets.cnf would hide and bring back,
// and writes nothing.
func TestDryRunOfRules(t *testing.T) {
	t.Parallel()
	site := forest(t, 12)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	w.sets("Disallow /deep\nServer " + site.URL + "/\n")
	w.index()
	w.sets("Disallow /secret/\nDisallow /nothing/\nServer " + site.URL + "/\n")
	before := w.everything()
	out := strings.ReplaceAll(strings.ReplaceAll(w.index("--dry-run-rules"), site.URL, "SITE"), w.dir+"/", "")
	var examples strings.Builder
	for i := range 10 {
		fmt.Fprintf(&examples, "    SITE/secret/%d.html\n", i)
	}
	want := "Hides 12 documents (12 URLs):\n  sets.cnf:1: 12 documents (12 URLs)\n" + examples.String() +
		"Brings back 1 documents (1 URLs):\n  sets.cnf:3: 1 documents (1 URLs)\n    SITE/deep.html\n" +
		"15 known URLs were tested; nothing was changed.\n" +
		"A crawl would stop before it takes them out; index --accept-rules=HASH accepts this configuration.\n"
	out = regexp.MustCompile(`[0-9a-f]{12} accepts`).ReplaceAllString(out, "HASH accepts")
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(before, w.everything()); diff != "" {
		t.Errorf("tables changed:\n%s", diff)
	}
	w.sets("Disallow /deep\nServer " + site.URL + "/\n")
	if got, want := w.index("--dry-run-rules"), "Hides nothing.\nBrings back nothing.\n15 known URLs were tested; nothing was changed.\n"; got != want {
		t.Errorf("the configuration of the last crawl: got %q, want %q", got, want)
	}
}
