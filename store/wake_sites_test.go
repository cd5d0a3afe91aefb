package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// TestNewsOfAHeldSite: URLs that are registered while a site is held, or while its schedule is being
// acknowledged, are found.
func TestNewsOfAHeldSite(t *testing.T) {
	f := newFrontier(t, "a x", "b y")
	f.begin(crawl.CrawlStart{})
	l, _ := f.ask(nil)
	site := l.Sites[0]
	id, _, err := f.s.RegisterURL(t.Context(), crawl.NewURL{URL: "http://a/new", Hash: store.HashURL("http://a/new"), Site: site}, f.process.Run.Start)
	if err != nil {
		t.Fatal(err)
	}
	f.names[id] = "new"
	if err := f.s.WakeSites(t.Context(), []store.SiteID{site}, f.process.Run.Start); err != nil {
		t.Fatal(err)
	}
	f.record(l)
	got, _ := f.all(nil)
	slices.Sort(got)
	if d := cmp.Diff([]string{"new", "y"}, got); d != "" {
		t.Errorf("batches (-want +got):\n%s", d)
	}
}

// id returns the URL of a path.
func (f *frontier) id(path string) store.URLID {
	f.t.Helper()
	for id, name := range f.names {
		if name == path {
			return id
		}
	}
	f.t.Fatalf("no URL is called %q", path)
	return 0
}

// register registers a new URL that an URL of a lease links to, as a worker does, but wakes nobody.
func (f *frontier) register(site store.SiteID, host, path string, from store.URLID) {
	f.t.Helper()
	url := "http://" + host + "/" + path
	id, _, err := f.s.RegisterURL(f.t.Context(), crawl.NewURL{URL: url, Hash: store.HashURL(url), Site: site, Hops: 1, Referrer: from}, f.process.Run.Start)
	if err != nil {
		f.t.Fatal(err)
	}
	f.names[id] = path
}

// TestNewsOfTheDead (P6): a fetcher dies between registering or reaching a URL of another site and waking
// that site. The fetcher that takes over its schedule finds the URL registered, or reached. The run is not
// complete without it.
func TestNewsOfTheDead(t *testing.T) {
	for _, c := range []struct {
		name string
		run  crawl.CrawlStart
		find func(f *frontier, l *crawl.Lease)
		want string
	}{
		{"registered", crawl.CrawlStart{}, func(f *frontier, l *crawl.Lease) {
			site, err := f.s.RegisterSite(f.t.Context(), "http://b/", "b")
			if err != nil {
				f.t.Fatal(err)
			}
			f.register(site, "b", "new", l.URLs[0].ID)
		}, "new"},
		{"reached", crawl.CrawlStart{Respider: true}, func(f *frontier, l *crawl.Lease) {
			if _, err := f.s.Reach(f.t.Context(), f.process.Run.ID, l.URLs[0].ID, 1, []store.URLID{f.id("known")}); err != nil {
				f.t.Fatal(err)
			}
		}, "known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFrontier(t, "a start next_index_time=0", "b known status=200 next_index_time=START+5000")
			settle(f)
			f.begin(c.run)
			ours := func(r *crawl.LeaseRequest) {
				if c.run.Respider {
					r.Due = 0
				}
			}
			other := f.enter(crawl.CrawlRequest{Program: "two"})
			held, _ := f.ask(func(r *crawl.LeaseRequest) { ours(r); r.Process = other.ID })
			c.find(f, held)
			f.kill(other)
			if err := f.process.ReapDead(t.Context()); err != nil {
				t.Fatal(err)
			}
			again, _ := f.ask(ours)
			if f.paths(again) != "start" {
				t.Fatalf("issued again: %s", f.paths(again))
			}
			f.record(again)
			l, idle := f.ask(ours)
			if f.paths(l) != c.want {
				t.Fatalf("got %s, %+v; want %s", f.paths(l), idle, c.want)
			}
			f.record(l)
			if l, idle := f.ask(ours); l != nil || idle.Over != crawl.OverComplete {
				t.Errorf("after it: %s, %+v", f.paths(l), idle)
			}
		})
	}
}

// TestCompleteWithinLimits: URLs that a run does not visit by its limits, or not at this time of day, do not
// prevent its end.
func TestCompleteWithinLimits(t *testing.T) {
	f := newFrontier(t, "a mine status=404", "a other status=200", "b closed status=404")
	limited := func(r *crawl.LeaseRequest) {
		r.Limits.Statuses = []int32{404}
		r.Hosts.Except = []string{"b"}
	}
	f.begin(crawl.CrawlStart{})
	f.exec(`UPDATE sitestate SET next_class = 9`) // as if nobody had said so
	if got, over := f.all(limited); strings.Join(got, ", ") != "mine" || over != crawl.OverTime {
		t.Errorf("batches %q, over as %q", got, over)
	}
	if got, over := f.all(func(r *crawl.LeaseRequest) { r.Limits.Statuses = []int32{404} }); strings.Join(got, ", ") != "closed" || over != crawl.OverComplete {
		t.Errorf("batches %q, over as %q", got, over)
	}
}

// TestNewsWhileALeaseLooks: while a lease lowers the urgency of a site, URLs of the site become due. The site
// keeps the higher urgency. A trigger makes the lease slow.
func TestNewsWhileALeaseLooks(t *testing.T) {
	f := newFrontier(t, "a first next_index_time=0 status=200", "b later status=200 next_index_time=START+5000")
	f.begin(crawl.CrawlStart{})
	b, err := f.s.RegisterSite(t.Context(), "http://b/", "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.s.WakeSites(t.Context(), []store.SiteID{b}, f.process.Run.Start); err != nil { // too late: b has nothing any more
		t.Fatal(err)
	}
	first, _ := f.ask(nil)
	f.exec(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END $$`)
	f.exec(`CREATE TRIGGER slow BEFORE UPDATE OF next_class ON sitestate FOR EACH ROW WHEN (OLD.next_class = 1 AND NEW.next_class = 3) EXECUTE FUNCTION slow()`)
	gate, err := f.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.Exec(t.Context(), `SELECT pg_advisory_xact_lock(77)`); err != nil {
		t.Fatal(err)
	}
	other := f.enter(crawl.CrawlRequest{Program: "two"})
	done := make(chan error, 2)
	ctx := t.Context()
	go func() {
		_, _, err := f.s.Lease(ctx, crawl.LeaseRequest{Run: f.process.Run.ID, Process: other.ID, Fetchers: []string{"other"}, Batch: 3, TimeOut: time.Hour, Due: f.process.Run.Start})
		done <- err
	}()
	waits := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`
	until := func(query string) {
		for f.one(waits, query) != "1" {
			time.Sleep(time.Millisecond)
		}
	}
	until("%store.Lease%")
	f.register(b, "b", "new", first.URLs[0].ID)
	go func() { done <- f.s.WakeSites(ctx, []store.SiteID{b}, f.process.Run.Start) }()
	until("%store.WakeSites%")
	if err := gate.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if got := f.one(`SELECT next_class < 9 OR lease_seq <> 0 FROM sitestate WHERE host = 'b'`); got != "true" {
		t.Errorf("the site has work and says it has none")
	}
}
