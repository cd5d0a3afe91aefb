package store_test

import (
	"testing"

	"github.com/pgseek/pgseek/store/crawl"
)

// TestWindowViews: sender_window and receiver_window have as many schedules as fetchers are live, from the lowest open one on, whatever
// others acknowledge while it is open (YQ-03, YQ-08).
func TestWindowViews(t *testing.T) {
	f := newFrontier(t, "a p1", "b p2", "c p3", "d p4", "e p5", "f p6")
	f.begin(crawl.CrawlStart{})
	want := func(when, sender, receiver string) {
		t.Helper()
		if got := f.one(`SELECT coalesce(string_agg(seq::text || status::text, ' ' ORDER BY seq), '') FROM sender_window`); got != sender {
			t.Errorf("%s: sender_window has %q, want %q", when, got, sender)
		}
		if got := f.one(`SELECT coalesce(string_agg(schedule_seq::text || '.' || place::text, ' ' ORDER BY schedule_seq, place), '') FROM receiver_window`); got != receiver {
			t.Errorf("%s: receiver_window has %q, want %q", when, got, receiver)
		}
	}
	want("before the crawl", "", "")
	first, _ := f.ask(nil)
	want("one schedule", "1s", "")
	f.exec(`INSERT INTO fetcher (name, run_id, heartbeat) VALUES ('stale', 1, now() - interval '31 seconds'), ('other', 1, now())`)
	lease := func() *crawl.Lease {
		t.Helper()
		l, _ := f.ask(nil)
		if l == nil {
			t.Fatal("no lease")
		}
		f.exec(`INSERT INTO journal (schedule_seq, place, run_id, url_id, site_id, status) VALUES ($1, 0, 1, $2, $3, 200)`, l.Seq, l.URLs[0].ID, l.URLs[0].Site)
		return l
	}
	second := lease()
	want("two fetchers, two schedules", "1s 2s", "2.0")
	for range 3 {
		f.record(second)
		second = lease()
	}
	want("three are acknowledged meanwhile", "1s 2a", "2.0")
	if got := f.one(`SELECT string_agg(seq::text, ' ' ORDER BY seq) FROM open_schedules`); got != "1 5" {
		t.Errorf("open schedules: %s", got)
	}
	f.exec(`UPDATE fetcher SET heartbeat = now() - interval '1 hour'`)
	want("no fetcher is live: as many as are open", "1s 2a", "2.0")
	f.record(first)
	want("the lowest is acknowledged", "5s", "5.0")
	f.record(second)
	want("nothing is open", "", "")
}
