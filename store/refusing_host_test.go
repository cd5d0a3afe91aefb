package store_test

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/store/crawl"
)

// TestRefusingHost: a host that refuses pauses for every fetcher. A run waits for a short pause, and ends without the rest
// when only hosts with long ones are left. The pace of the host comes with its next lease, until it is asked without a delay.
func TestRefusingHost(t *testing.T) {
	f := newFrontier(t, "a one", "a two", "b other")
	f.begin(crawl.CrawlStart{})
	refuse := func(pause time.Duration) {
		t.Helper()
		err := f.s.HostRefused(t.Context(), crawl.Refusal{
			Host: "a", Pace: crawl.Pace{Delay: 200 * time.Millisecond, Refusals: 1}, Pause: pause, Status: 429, URL: "http://a/one",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	refuse(time.Minute)
	if l, _ := f.ask(nil); f.paths(l) != "other" {
		t.Fatalf("leased %s, want other", f.paths(l))
	} else if err := f.acknowledge(l, 0); err != nil {
		t.Fatal(err)
	}
	f.exec(`UPDATE urlword SET next_index_time = next_index_time + 100000 WHERE url LIKE 'http://b/%'`)
	f.exec(`UPDATE sitestate SET next_class = 9 WHERE host = 'b'`)
	if l, idle := f.ask(nil); l != nil || idle.Over != "" || idle.Until <= 0 || idle.Until > time.Minute {
		t.Fatalf("lease %v, %+v; want to wait a minute", l, idle)
	}
	refuse(time.Hour)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverPaused {
		t.Fatalf("lease %v, %+v; want the run to be over as paused", l, idle)
	}
	list, err := f.s.LimitedHosts(t.Context(), "")
	if err != nil || len(list) != 1 || list[0].Host != "a" || !list[0].Due || list[0].Status != 429 || time.Until(list[0].Until) < 59*time.Minute {
		t.Errorf("limited hosts %+v, %v", list, err)
	}
	f.exec(`UPDATE sitestate SET ready_at = now()`)
	f.exec(`UPDATE host_limit SET pause_until = now()`)
	l, _ := f.ask(nil)
	if want := (crawl.Pace{Delay: 200 * time.Millisecond, Refusals: 1}); f.paths(l) != "one two" || l.Pace != want {
		t.Errorf("leased %s at %+v, want %+v", f.paths(l), l.Pace, want)
	}
	if err := f.s.SavePace(t.Context(), "a", crawl.Pace{Delay: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if got := f.one(`SELECT delay_ms, refusals FROM host_limit`); got != "100 0" {
		t.Errorf("pace %s", got)
	}
	if err := f.s.SavePace(t.Context(), "a", crawl.Pace{}); err != nil {
		t.Fatal(err)
	}
	if got := f.one(`SELECT count(*) FROM host_limit`); got != "0" {
		t.Errorf("%s hosts left", got)
	}
}

// TestPauseOfAHost (P11, across processes): a host that pauses is not leased, and the run is not over
// meanwhile.
func TestPauseOfAHost(t *testing.T) {
	f := newFrontier(t, "a x", "a y")
	f.begin(crawl.CrawlStart{})
	one := func(r *crawl.LeaseRequest) { r.Batch = 1 }
	l, _ := f.ask(one)
	f.exec(`UPDATE urlword SET status = 200, next_index_time = $2 WHERE url_id = $1`, l.URLs[0].ID, f.process.Run.Start+1000)
	if err := f.acknowledge(l, time.Minute); err != nil {
		t.Fatal(err)
	}
	next, idle := f.ask(one)
	if next != nil || idle.Over != "" || idle.Until <= 50*time.Second || idle.Until > time.Minute {
		t.Fatalf("lease %q, %+v; want to wait a minute", f.paths(next), idle)
	}
	f.exec(`UPDATE sitestate SET ready_at = now()`)
	if next, _ = f.ask(one); f.paths(next) != "y" {
		t.Errorf("after the pause: %s, want y", f.paths(next))
	}
}
