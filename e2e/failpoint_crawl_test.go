package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// died runs index with fail points, and reports whether it was killed at one. The server has noticed that when it returns: until then
// the process counts as alive, and the next one would join its run.
func (w *world) died(program, env string, args ...string) bool {
	w.t.Helper()
	var began time.Time
	if err := w.pool.QueryRow(w.t.Context(), `SELECT clock_timestamp()`).Scan(&began); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.t.Context(), program, append([]string{"--config", w.dir}, args...)...)
	cmd.Env = append(os.Environ(), env)
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(err.Error(), "killed") {
		w.t.Fatalf("%s: %v\n%s", env, err, out)
	}
	w.until(`SELECT NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'index%' AND backend_start > $1)`, began)
	return err != nil
}

// TestKillCrawlAtEveryFailPoint kills a crawl between any two steps of recording a document and runs it
// again. It must end in the same state as an undisturbed crawl (P1, P2, F1).
func TestKillCrawlAtEveryFailPoint(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	site := maze(t, 3, 60)
	undisturbed := newWorld(t, "Server "+site.URL+"/0\n")
	undisturbed.index()
	want := storetest.Dump(t, undisturbed.dsn)
	var all []point
	for _, name := range []string{"schedule.after-lease", "fetch.after-body", "recorder.gather", "recorder.registered", "recorder.unchanged", "doc.before-commit", "doc.after-commit", "schedule.before-ack"} {
		all = append(all, point{name, 1}, point{name, 7})
	}
	for _, at := range sampled(all) {
		t.Run(fmt.Sprintf("%s %d", at.name, at.nth), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Server "+site.URL+"/0\n")
			w.spider("BatchSize 5\n") // each schedule has at least one transaction
			if !w.died(program, fmt.Sprintf("FAILPOINT=%s:%d=kill", at.name, at.nth)) {
				t.Fatal("the crawl does not come to it")
			}
			storetest.CheckInvariants(t, w.dsn)
			w.index()
			if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
				t.Fatalf("the tables differ from an undisturbed crawl's (-undisturbed +killed):\n%s", diff)
			}
		})
	}
}

// TestKillRealtimeAtEveryFailPoint: index -T is whole or not at all, and run again it ends where an undisturbed one ends (P1, P2).
func TestKillRealtimeAtEveryFailPoint(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	site := spidertest.NewSite(t)
	var args []string
	for i := range 5 {
		site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf(`<title>page %d</title>old words of old%d <a href="/%d">x</a>`, i, i, (i+1)%5))
		args = append(args, "-T", fmt.Sprintf("%s/%d", site.URL, i))
	}
	sets := "Server " + site.URL + "/0\n"
	fill := newWorld(t, sets)
	fill.index()
	for i := range 5 {
		site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf(`<title>page %d</title>new words of new%d and more%d <a href="/%d">x</a>`, i, i, i, (i+2)%5))
	}
	copied := func() *world { return fill.copy(t, sets) }
	undisturbed := copied()
	undisturbed.index(args...)
	realtime := storetest.Dump(t, undisturbed.dsn)
	undisturbed.index("-D")
	merged := storetest.Dump(t, undisturbed.dsn)
	for _, name := range []string{"fetch.after-body", "doc.before-commit", "doc.after-commit"} {
		w := copied()
		if !w.died(program, fmt.Sprintf("FAILPOINT=%s:1=kill", name), args...) {
			t.Fatalf("-T does not come to %s", name)
		}
		storetest.CheckInvariants(t, w.dsn)
		for i := range 5 { // each document is old or new
			got := w.one(`SELECT (SELECT count(*) FROM word_postings($1)), (SELECT count(*) FROM word_postings($2)), (SELECT count(*) FROM word_postings($3))`,
				fmt.Sprintf("old%d", i), fmt.Sprintf("new%d", i), fmt.Sprintf("more%d", i))
			if !slices.Contains([]string{"1 0 0", "0 1 1"}, got) {
				t.Errorf("killed at %s: page %d: %s", name, i, got)
			}
		}
		w.index(args...)
		if diff := cmp.Diff(realtime, storetest.Dump(t, w.dsn)); diff != "" {
			t.Errorf("killed at %s: (-undisturbed +killed)\n%s", name, diff)
		}
		w.index("-D")
		if diff := cmp.Diff(merged, storetest.Dump(t, w.dsn)); diff != "" {
			t.Errorf("killed at %s, merged: (-undisturbed +killed)\n%s", name, diff)
		}
	}
}
