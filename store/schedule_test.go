package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// TestWindow: no more schedules are open than fetchers live; a host that is held is not leased again; and
// a run is not over while a schedule is open.
func TestWindow(t *testing.T) {
	f := newFrontier(t, "a x", "b y", "c z")
	f.begin(crawl.CrawlStart{})
	first, _ := f.ask(nil)
	if l, idle := f.ask(nil); l != nil || idle.Over != "" || idle.Open != 1 {
		t.Fatalf("with one fetcher and one schedule: lease %q, %+v", f.paths(l), idle)
	}
	f.exec(`INSERT INTO fetcher (name, run_id, heartbeat) VALUES ('stale', 1, now() - interval '31 seconds'), ('other', 1, now())`)
	second, _ := f.ask(nil)
	if f.paths(first) != "x" || f.paths(second) != "y" {
		t.Fatalf("leased %q and %q, want x and y", f.paths(first), f.paths(second))
	}
	if l, idle := f.ask(nil); l != nil || idle.Open != 2 {
		t.Fatalf("with two fetchers and two schedules: lease %q, %+v", f.paths(l), idle)
	}
	f.record(second)
	third, _ := f.ask(nil)
	f.record(third)
	if l, idle := f.ask(nil); l != nil || idle.Over != "" {
		t.Errorf("lease %q, %+v: the first schedule is open", f.paths(l), idle)
	}
	f.record(first)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Errorf("lease %q, %+v; want the run to be over", f.paths(l), idle)
	}
}

// TestReissue: a late schedule comes first, with its number, without what is recorded; its former
// holder can do nothing more with it.
func TestReissue(t *testing.T) {
	f := newFrontier(t, "a one next_index_time=1", "a two next_index_time=2", "b urgent next_index_time=0")
	f.exec(`UPDATE sitestate SET lease_seq = 0`)
	f.begin(crawl.CrawlStart{})
	urgent, _ := f.ask(nil)
	f.record(urgent)
	late, _ := f.ask(func(r *crawl.LeaseRequest) { r.TimeOut = time.Microsecond })
	f.exec(`UPDATE urlstate SET last_attempt = now() WHERE url_id = $1`, late.URLs[0].ID)
	f.exec(`UPDATE urlword SET next_index_time = 0 WHERE url_id = $1`, urgent.URLs[0].ID) // it does not come before
	again, _ := f.ask(nil)
	if again == nil || again.Seq != late.Seq || again.Attempt != 2 || f.paths(again) != "two" || again.Host != "a" || again.URLs[0].Place != 1 {
		t.Fatalf("got %+v, want the rest of schedule %d", again, late.Seq)
	}
	if err := f.acknowledge(late, 0); !errors.Is(err, store.ErrScheduleLost) {
		t.Errorf("its former holder acknowledges it: %v", err)
	}
	if got := f.one(`SELECT status::text, reschedule_count, process_id = $2 FROM schedule WHERE seq = $1`, late.Seq, f.process.ID); got != "s 1 true" {
		t.Errorf("schedule: %s", got)
	}
	// All of it is recorded but not acknowledged: no fetcher needs to take it over.
	f.exec(`UPDATE urlstate SET last_attempt = now()`)
	f.exec(`UPDATE urlword SET next_index_time = $1`, f.process.Run.Start+1000)
	f.exec(`UPDATE schedule SET deadline = schedule_time + interval '1 microsecond' WHERE status = 's'`)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Errorf("lease %q, %+v; want the run to be over", f.paths(l), idle)
	}
}

// TestLostAnswer (P6): a fetcher that asks while it holds a schedule has not received the answer, and gets
// the schedule at once, whatever its deadline.
func TestLostAnswer(t *testing.T) {
	f := newFrontier(t, "a x", "b y")
	f.begin(crawl.CrawlStart{})
	same := func(r *crawl.LeaseRequest) { r.Fetchers = []string{"forgetful"} }
	lost, _ := f.ask(same)
	again, _ := f.ask(same)
	if again == nil || again.Seq != lost.Seq || again.Attempt != 2 || f.paths(again) != "x" {
		t.Errorf("got %+v, want schedule %d again", again, lost.Seq)
	}
}
