package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// settle makes the test's server count as one that has not just started: then a missing lock means a dead
// process.
func settle(f *frontier) {
	f.t.Helper()
	for f.one(`SELECT pg_postmaster_start_time() < now() - interval '5 seconds'`) != "true" {
		time.Sleep(50 * time.Millisecond)
	}
}

// kill simulates the death of a process: its session ends, and with it the lock.
func (f *frontier) kill(p *crawl.Process) {
	f.t.Helper()
	f.exec(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid::bigint = 1885827952 AND objid::bigint = $1`, int64(p.ID))
	for f.one(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = 1885827952 AND objid::bigint = $1`, int64(p.ID)) != "0" {
		time.Sleep(time.Millisecond)
	}
}

// TestDeadProcess: what a dead process held is free at once, whatever its deadline; the run goes on with the
// others.
func TestDeadProcess(t *testing.T) {
	f := newFrontier(t, "a x")
	settle(f)
	f.begin(crawl.CrawlStart{})
	other := f.enter(crawl.CrawlRequest{Program: "two"})
	if other.First || other.Run.ID != f.process.Run.ID || other.Run.Start != f.process.Run.Start {
		t.Fatalf("the second process is in %+v (first %v), want %+v", other.Run, other.First, f.process.Run)
	}
	held, _ := f.ask(func(r *crawl.LeaseRequest) { r.Process = other.ID })
	if err := f.process.ReapDead(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l, _ := f.ask(nil); l != nil {
		t.Fatalf("a living process's schedule was issued again: %+v", l)
	}
	f.kill(other)
	if err := f.process.ReapDead(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, _ := f.ask(nil)
	if again == nil || again.Seq != held.Seq || again.Attempt != 2 {
		t.Fatalf("got %+v, want schedule %d again", again, held.Seq)
	}
	if got := f.one(`SELECT left_at IS NOT NULL, (SELECT count(*) FROM fetcher WHERE process_id = $1) FROM process WHERE process_id = $1`, other.ID); got != "true 0" {
		t.Errorf("the dead process has left, its fetchers: %s", got)
	}
	f.record(again)
	ended, err := f.process.Leave(t.Context(), "complete", store.Counts{})
	if err != nil || !ended {
		t.Errorf("the last one leaves: ended %v, %v", ended, err)
	}
}

// TestWhoEndsARun: the last process to leave ends the run with its own reason. The counts are the sums of
// all.
func TestWhoEndsARun(t *testing.T) {
	f := newFrontier(t)
	f.begin(crawl.CrawlStart{})
	other := f.enter(crawl.CrawlRequest{Program: "two"})
	ended, err := f.process.Leave(t.Context(), "count", store.Counts{Documents: 3, Bytes: 10})
	if err != nil || ended {
		t.Fatalf("the first one leaves: ended %v, %v", ended, err)
	}
	if got := f.one(`SELECT coalesce(end_reason, 'open') FROM reindexing`); got != "open" {
		t.Fatalf("the run ended as %s, and a process is in it", got)
	}
	ended, err = other.Leave(t.Context(), "complete", store.Counts{Documents: 4, Bytes: 20})
	if err != nil || !ended {
		t.Fatalf("the last one leaves: ended %v, %v", ended, err)
	}
	if got := f.one(`SELECT end_reason, documents, bytes FROM reindexing`); got != "complete 7 30" {
		t.Errorf("the run: %s", got)
	}
	if _, idle := f.ask(nil); idle.Over != crawl.OverEnded {
		t.Errorf("a lease on a run that has ended: %+v", idle)
	}
}

// TestEnterCrawl: which processes may join, which are refused, and what a new run finds of one whose
// processes died.
func TestEnterCrawl(t *testing.T) {
	f := newFrontier(t, "a x")
	settle(f)
	f.begin(crawl.CrawlStart{})
	for _, wish := range []crawl.CrawlRequest{{Program: "w", Work: "-a"}, {Program: "w", Config: []byte("other")}} {
		_, err := f.s.EnterCrawl(t.Context(), wish)
		if held := (*store.HeldError)(nil); !errors.As(err, &held) {
			t.Errorf("%+v: %v, want a HeldError", wish, err)
		}
	}
	if _, err := f.s.Lock(t.Context(), "crawl"); err == nil {
		t.Error("the crawl's lock was given while a process crawls")
	}
	if err := f.s.AskStop(t.Context(), crawl.StopWish); err != nil {
		t.Fatal(err)
	}
	if reason, err := f.s.StopAsked(t.Context(), f.process.Run.ID); reason != crawl.StopWish || err != nil {
		t.Errorf("asked to stop as %q, %v", reason, err)
	}
	f.ask(nil)
	f.kill(f.process)
	next := f.enter(crawl.CrawlRequest{Program: "next", Work: "-a"})
	if !next.First || next.Run.ID == f.process.Run.ID {
		t.Fatalf("entered %+v, first %v; want a run of its own", next.Run, next.First)
	}
	if got := f.one(`SELECT end_reason FROM reindexing WHERE run_id = $1`, f.process.Run.ID); got != "stopped" {
		t.Errorf("the dead run ended as %s", got)
	}
	if reason, err := f.s.StopAsked(t.Context(), next.Run.ID); reason != "" || err != nil {
		t.Errorf("the wish of the run before stops this one, too: %q, %v", reason, err)
	}
	if got := f.one(`SELECT deadline < now() FROM schedule`); got != "true" {
		t.Error("the dead run's schedule is not late")
	}
}

// TestOthersWaitForTheBeginning: a process that enters while another one begins a run joins it when it has
// begun.
func TestOthersWaitForTheBeginning(t *testing.T) {
	f := newFrontier(t)
	came := make(chan error, 1)
	var other *crawl.Process
	go func() {
		var err error
		other, err = f.s.EnterCrawl(context.Background(), crawl.CrawlRequest{Program: "two"})
		came <- err
	}()
	for f.one(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = 1885827952
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) != "2" {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-came:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	f.begin(crawl.CrawlStart{})
	if err := <-came; err != nil || other.First {
		t.Fatalf("first %v, %v; want to have joined", other != nil && other.First, err)
	}
	if _, err := other.Leave(t.Context(), "stopped", store.Counts{}); err != nil {
		t.Error(err)
	}
}

// TestTheOpenerDies: the process that opened a run dies before the frontier is ready. No process joins that
// run: it ends as stopped, and the waiting process opens one of its own. When the first one is alive after
// all, it begins nothing, and defines no orphans.
func TestTheOpenerDies(t *testing.T) {
	f := newFrontier(t, "a start", "a later next_index_time=START+5000")
	settle(f)
	starts := []store.URLID{}
	for id, name := range f.names {
		if name == "start" {
			starts = append(starts, id)
		}
	}
	f.exec(`UPDATE process SET started_at = now() - interval '1 minute'`)
	f.kill(f.process)
	next := f.enter(crawl.CrawlRequest{Program: "two"})
	if !next.First || next.Run.ID == f.process.Run.ID {
		t.Fatalf("entered %+v, first %v; want a run of its own", next.Run, next.First)
	}
	before := f.one(`SELECT string_agg(next_index_time::text, ' ' ORDER BY url_id) FROM urlword`)
	err := f.s.BeginCrawl(t.Context(), crawl.CrawlStart{Run: f.process.Run.ID, Start: f.process.Run.Start, Respider: true, Starts: starts})
	if !errors.Is(err, crawl.ErrRunEnded) {
		t.Errorf("the run that was ended begins: %v", err)
	}
	if got := f.one(`SELECT string_agg(next_index_time::text, ' ' ORDER BY url_id) FROM urlword`); got != before {
		t.Errorf("it changed what is due from %s to %s", before, got)
	}
	if got := f.one(`SELECT end_reason, begun_at IS NULL FROM reindexing WHERE run_id = $1`, f.process.Run.ID); got != "stopped true" {
		t.Errorf("the run of the dead one: %s", got)
	}
	f.exec(`UPDATE reindexing SET end_reason = 'complete', respider = true WHERE run_id = $1`, f.process.Run.ID)
	if since, err := f.s.LastRespider(t.Context()); err != nil || !since.IsZero() {
		t.Errorf("a run that never began defines orphans: %v, %v", since, err)
	}
	f.exec(`UPDATE reindexing SET begun_at = now() WHERE run_id = $1`, f.process.Run.ID)
	if since, err := f.s.LastRespider(t.Context()); err != nil || !since.IsZero() {
		t.Errorf("a run without start URLs defines orphans: %v, %v", since, err)
	}
	f.exec(`UPDATE reindexing SET starts = $2 WHERE run_id = $1`, f.process.Run.ID, starts)
	if since, err := f.s.LastRespider(t.Context()); err != nil || since.IsZero() {
		t.Errorf("a complete one with start URLs defines none: %v, %v", since, err)
	}
}

// TestBeginningTwice (P6): the commit of the beginning was unknown. The second attempt changes nothing,
// because other processes may be working already.
func TestBeginningTwice(t *testing.T) {
	f := newFrontier(t, "a start")
	start := crawl.CrawlStart{}
	for id := range f.names {
		start.Starts = append(start.Starts, id)
	}
	f.begin(start)
	l, _ := f.ask(nil)
	f.record(l)
	f.begin(start)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Errorf("the start URL is due again: %s, %+v", f.paths(l), idle)
	}
}

// TestWatchTakesTheLocksAgain (F4): the session with the locks is ended from outside. The process takes them
// again, and gets the requests made meanwhile.
func TestWatchTakesTheLocksAgain(t *testing.T) {
	f := newFrontier(t)
	f.begin(crawl.CrawlStart{})
	watching, end := context.WithCancel(t.Context())
	asked, news, done := make(chan string, 9), make(chan struct{}, 9), make(chan error, 1)
	go func() {
		done <- f.process.Watch(watching, func(reason string) { asked <- reason }, func() { news <- struct{}{} })
	}()
	const holders = `FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = 1885827952
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	before := f.one(`SELECT pid ` + holders)
	f.exec(`SELECT pg_terminate_backend($1::integer)`, before)
	for f.one(`SELECT count(*) `+holders+` AND pid <> $1::integer`, before) != "1" {
		time.Sleep(time.Millisecond)
	}
	// It may not listen yet, but it reads the row after it has begun to listen.
	if err := f.s.AskStop(t.Context(), crawl.StopTakeover); err != nil {
		t.Fatal(err)
	}
	if reason := <-asked; reason != crawl.StopTakeover {
		t.Errorf("asked to end as %q", reason)
	}
	if _, err := f.s.Recrawl(t.Context(), "%"); err != nil {
		t.Fatal(err)
	}
	<-news
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
