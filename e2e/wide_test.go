package e2e

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"
)

// TestWideCrawl runs three processes with sixty fetchers on thirty hosts, of which one stalls while it holds schedules and
// loses them. No host is asked by more than HostLoad at once, every document is recorded once, and the processes take few
// connections.
func TestWideCrawl(t *testing.T) {
	t.Parallel()
	const hosts, pages, processes, fetchers, load = 30, 12, 3, 20, 2
	const pool = 16 // connections of a process at most
	c := newWideCrowd(t, hosts, pages, 5*time.Millisecond)
	w := newWorld(t, c.sets())
	w.watchSchedules()
	all := make(map[string]running)
	for n := range processes {
		r := w.join(n+1, "--no-merge", fmt.Sprintf("-N%d", fetchers))
		all[fmt.Sprint(r.Process.Pid)] = r
		t.Cleanup(func() { _ = r.Process.Kill() }) // when the test has failed
	}
	connections := w.watchConnections()
	w.until(`SELECT count(*) = $1 FROM schedule WHERE status = 's'`, hosts)
	holder := w.one(`SELECT process_id FROM schedule WHERE status = 's' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`)
	pid := w.one(`SELECT substring(name from '[0-9]+$') FROM process WHERE process_id = $1::integer`, holder)
	stalled := all[pid]
	w.stall(t, stalled)
	w.rows(`UPDATE schedule SET deadline = schedule_time + interval '1 microsecond' WHERE status = 's' AND process_id = $1::integer`, holder)
	c.answer(math.MaxInt64)
	// The others take its schedules, and finish all there is.
	w.until(`SELECT count(*) = $1 FROM urlstate`, hosts*pages)
	if got := w.one(`SELECT count(*) > 0 FROM schedule WHERE attempt > 1`); got != "true" {
		t.Error("no schedule was issued again")
	}
	stalled.signal(t, syscall.SIGCONT)
	for _, r := range all {
		r.ends(t, exitDone)
	}
	if most := connections(); most > processes*pool {
		t.Errorf("%d connections, want at most %d of each process", most, pool)
	} else {
		t.Logf("%d connections of %d processes", most, processes)
	}
	if got := w.one(`SELECT sum(documents)::bigint FROM process`); got != fmt.Sprint(hosts*pages) {
		t.Errorf("the processes count %s documents, want %d", got, hosts*pages)
	}
	// Both holders of a schedule that was issued again may have asked.
	twice := map[string]bool{}
	for _, url := range w.rows(`SELECT DISTINCT w.url FROM issued i JOIN urlword w USING (url_id) WHERE i.attempt > 1`) {
		twice[url] = true
	}
	for _, h := range c.hosts {
		most := load
		for page := range pages {
			if twice[fmt.Sprintf("%s/%d", h.url, page)] {
				most = min(most+1, 2*load)
			}
		}
		if h.most > most {
			t.Errorf("host %d was asked by %d at once, want at most %d", h.n, h.most, most)
		}
		for path, n := range h.asked {
			if n > 1 && !twice[h.url+path] {
				t.Errorf("%s%s was asked for %d times", h.url, path, n)
			}
		}
	}
	w.checkWide(hosts * pages)
	if t.Failed() {
		t.Logf("stalled:\n%s", stalled.out)
	}
}

// checkWide merges, and checks that each page of the crowd is a document that was recorded once.
func (w *world) checkWide(pages int) {
	w.t.Helper()
	for what, query := range map[string]string{
		"recorded once, all":  `SELECT count(*) FILTER (WHERE attempts = 1 AND events = 1), count(*) FROM urlstate`,
		"journal rows, URLs":  `SELECT count(*), count(DISTINCT url_id) FROM journal`,
		"documents, contents": `SELECT (SELECT count(*) FROM urlword WHERE status = 200 AND deleted = 0), (SELECT count(*) FROM urlwords)`,
	} {
		if got := w.one(query); got != fmt.Sprintf("%d %[1]d", pages) {
			w.t.Errorf("%s: %s, want %d", what, got, pages)
		}
	}
	if got := w.rows(`SELECT end_reason FROM reindexing WHERE kind = 'crawl'`); len(got) != 1 || got[0] != "complete" {
		w.t.Errorf("runs %q, want one that ended complete", got)
	}
	w.index("-D")
	if got := w.one(`SELECT count(*), count(DISTINCT url_id) FROM word_postings('wideword')`); got != fmt.Sprintf("%d %[1]d", pages) {
		w.t.Errorf("postings of a word of all documents, documents: %s, want %d", got, pages)
	}
	if code, out, _ := w.try("-X1"); code != exitDone {
		w.t.Errorf("-X1: exit %d\n%s", code, out)
	}
}

// stall stops a process while none of its transactions is open, so that its locks are in nobody's way.
func (w *world) stall(t *testing.T, r running) {
	t.Helper()
	for {
		r.signal(t, syscall.SIGSTOP)
		time.Sleep(50 * time.Millisecond) // what the server is doing for it comes to its end
		if w.one(`
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'index%' AND state <> 'idle' AND wait_event = 'ClientRead'
				AND state_change < clock_timestamp() - interval '30 milliseconds'`) == "0" {
			return
		}
		r.signal(t, syscall.SIGCONT)
		time.Sleep(20 * time.Millisecond)
	}
}

// watchConnections counts the connections of index to the database, until the returned function is called. The pools keep
// what they have opened, so few looks see the most.
func (w *world) watchConnections() (most func() int) {
	ctx, stop := context.WithCancel(context.Background())
	seen := make(chan int)
	go func() {
		most := 0
		for ctx.Err() == nil {
			var now int
			err := w.pool.QueryRow(context.WithoutCancel(ctx), `
				SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'index%'`).Scan(&now)
			if err == nil {
				most = max(most, now)
			}
			time.Sleep(20 * time.Millisecond)
		}
		seen <- most
	}()
	return func() int {
		stop()
		return <-seen
	}
}
