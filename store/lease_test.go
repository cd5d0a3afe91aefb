package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
)

// twoSites adds a second site, with one URL, to each host.
func (f *frontier) twoSites(hosts ...string) {
	f.t.Helper()
	for _, host := range hosts {
		site, err := f.s.RegisterSite(f.t.Context(), "https://"+host+"/", host)
		if err != nil {
			f.t.Fatal(err)
		}
		url := "https://" + host + "/s"
		id, _, err := f.s.RegisterURL(f.t.Context(), crawl.NewURL{URL: url, Hash: store.HashURL(url), Site: site}, 1000)
		if err != nil {
			f.t.Fatal(err)
		}
		f.names[id] = "s-" + host
		f.exec(`INSERT INTO urlstate (url_id) VALUES ($1)`, id)
	}
}

// live makes the process have many fetchers.
func (f *frontier) live(p *crawl.Process, n int) []string {
	f.t.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("fetcher %d of %d", i, p.ID)
	}
	if err := p.Heartbeat(f.t.Context(), names, store.Counts{}); err != nil {
		f.t.Fatal(err)
	}
	return names
}

// TestLeasesSideBySide: leases of several processes at once never share a host, whichever of its sites they find; every URL is leased
// once; the hosts get their turns; and all processes find the end of the run.
func TestLeasesSideBySide(t *testing.T) {
	const hosts, leasers, fetchers, rounds = 24, 6, 3, 5
	var lines, names []string
	for h := range hosts {
		names = append(names, fmt.Sprintf("h%d", h))
		for i := range rounds {
			lines = append(lines, fmt.Sprintf("h%d %d-%d", h, h, i))
		}
	}
	f := newFrontier(t, lines...)
	f.twoSites(names...)
	f.begin(crawl.CrawlStart{})

	var mu sync.Mutex
	holder := make(map[string]int) // by host
	leased := make(map[store.URLID]int)
	turns := make(map[string]int)
	widest := 0
	ctx := t.Context()
	worker := func(n int, p *crawl.Process, s *crawl.Store, idle []string) error {
		for {
			leases, why, err := s.Lease(ctx, crawl.LeaseRequest{
				Run: p.Run.ID, Process: p.ID, Fetchers: idle, Batch: 1, TimeOut: time.Hour, Due: p.Run.Start,
			})
			if err != nil {
				return err
			}
			if why.Over != "" {
				if why.Over != crawl.OverComplete {
					return fmt.Errorf("the run is over as %s", why.Over)
				}
				return nil
			}
			if len(leases) == 0 {
				time.Sleep(time.Millisecond)
			}
			mu.Lock()
			for _, l := range leases {
				if other, held := holder[l.Host]; held {
					err = fmt.Errorf("host %s is leased to %d and %d", l.Host, other, n)
				}
				holder[l.Host] = n
				turns[l.Host]++
				for _, u := range l.URLs {
					leased[u.ID]++
				}
			}
			least, most := 1<<30, 0
			for _, host := range names {
				least, most = min(least, turns[host]), max(most, turns[host])
			}
			widest = max(widest, most-least)
			mu.Unlock()
			if err != nil {
				return err
			}
			var done []crawl.Finished
			for _, l := range leases {
				for _, u := range l.URLs {
					if _, err := f.pool.Exec(ctx, `UPDATE urlword SET status = 200, next_index_time = $2 WHERE url_id = $1`, u.ID, p.Run.Start+1000); err != nil {
						return err
					}
				}
				done = append(done, crawl.Finished{Lease: l})
			}
			mu.Lock()
			for _, l := range leases {
				delete(holder, l.Host)
			}
			mu.Unlock()
			if len(done) > 0 {
				lost, err := s.Acknowledge(ctx, done...)
				if err != nil || slices.Contains(lost, true) {
					return fmt.Errorf("acknowledged: lost %v, %w", lost, err)
				}
			}
		}
	}
	ended := make(chan error, leasers)
	for n := range leasers {
		p := f.enter(crawl.CrawlRequest{Program: "leaser"})
		idle := f.live(p, fetchers)
		s := crawl.New(openStore(t, f.dsn))
		go func() { ended <- worker(n, p, s, idle) }()
	}
	for range leasers {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	for id, name := range f.names {
		if leased[id] != 1 {
			t.Errorf("%s was leased %d times", name, leased[id])
		}
	}
	if widest > 8 {
		t.Errorf("a host had %d leases more than another one", widest)
	}
	if got := f.one(`SELECT count(*) FROM schedule WHERE status = 's'`); got != "0" {
		t.Errorf("%s schedules are open", got)
	}
}

// lockSite locks the row of a site until the returned function is called.
func (f *frontier) lockSite(url string) (release func()) {
	f.t.Helper()
	tx, err := f.pool.Begin(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	var id int
	err = tx.QueryRow(context.Background(), `SELECT site_id FROM sitestate WHERE site_id = (SELECT site_id FROM sites WHERE site = $1) FOR UPDATE`, url).Scan(&id)
	if err != nil {
		f.t.Fatal(err)
	}
	release = sync.OnceFunc(func() { _ = tx.Rollback(context.Background()) })
	f.t.Cleanup(release)
	return release
}

// TestLeasePassesOverALockedHost: a lease does not wait for a host of which another transaction has locked a row, and comes back to it.
func TestLeasePassesOverALockedHost(t *testing.T) {
	f := newFrontier(t, "a x", "b y", "c z")
	f.twoSites("a", "b", "c")
	f.begin(crawl.CrawlStart{})
	f.live(f.process, 10)
	release := []func(){f.lockSite("http://a/"), f.lockSite("https://b/")}
	leases, idle := f.askFor(3, nil)
	if len(leases) != 1 || leases[0].Host != "c" || idle.Until <= 0 || idle.Until > 100*time.Millisecond {
		t.Fatalf("%d leases, %+v; want host c, and to ask again soon", len(leases), idle)
	}
	f.record(leases[0])
	if l, idle := f.ask(nil); l != nil || idle.Over != "" || idle.Until <= 0 || idle.Until > 100*time.Millisecond {
		t.Fatalf("lease %s, %+v; want to ask again soon", f.paths(l), idle)
	}
	for _, r := range release {
		r()
	}
	leases, _ = f.askFor(3, nil)
	var got []string
	for _, l := range leases {
		got = append(got, l.Host+": "+f.paths(l))
		f.record(l)
	}
	if want := "a: x s-a, b: y s-b"; strings.Join(got, ", ") != want {
		t.Errorf("after the locks: %q, want %s", got, want)
	}
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Errorf("lease %s, %+v; want the run to be over", f.paths(l), idle)
	}
}

// TestEndWaitsForALeaseUnderWay: a schedule that another lease has not committed yet is not overlooked, neither by what decides that the
// run is over nor by the plan of a merge.
func TestEndWaitsForALeaseUnderWay(t *testing.T) {
	f := newFrontier(t, "a x next_index_time=START+5000 status=200")
	f.begin(crawl.CrawlStart{})
	lease, err := f.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lease.Rollback(context.Background()) }()
	var b pgx.Batch
	b.Queue(`SELECT pg_advisory_xact_lock_shared($1)`, int64(store.LeaseLock))
	b.Queue(`INSERT INTO schedule (run_id, fetcher, process_id, deadline, site_ids, url_ids)
		SELECT $1, 'other', 0, now() + interval '1 hour', ARRAY[site_id], ARRAY[url_id] FROM urlword`, f.process.Run.ID)
	b.Queue(`UPDATE sitestate SET lease_seq = (SELECT max(seq) FROM schedule)`)
	if err := lease.SendBatch(t.Context(), &b).Close(); err != nil {
		t.Fatal(err)
	}
	f.live(f.process, 10)
	type answer struct {
		leases []*crawl.Lease
		idle   crawl.Idle
		err    error
	}
	answered := make(chan answer, 2)
	for range 2 {
		r := f.request(2)
		go func() {
			var a answer
			a.leases, a.idle, a.err = f.s.Lease(context.Background(), r)
			answered <- a
		}()
	}
	planned := make(chan index.MergePlan, 1)
	f.exec(`INSERT INTO journal (schedule_seq, run_id, url_id, site_id, status, fetched_at) SELECT 2, 1, url_id, site_id, 200, now() FROM urlword`)
	go func() {
		plan, err := index.New(f.s.DB).PlanMerge(context.Background(), 1<<20, 0)
		if err != nil {
			t.Error(err)
		}
		planned <- plan
	}()
	for f.one(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) != "3" {
		time.Sleep(time.Millisecond)
	}
	if err := lease.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if a := <-answered; a.err != nil || len(a.leases) > 0 || a.idle.Over != "" || a.idle.Open != 1 {
			t.Errorf("%d leases, %+v, %v; want none while a schedule is open", len(a.leases), a.idle, a.err)
		}
	}
	if plan := <-planned; len(plan.Ranges) > 0 || plan.Waiting != 1 {
		t.Errorf("plan %+v; want the version of schedule 2 to wait for schedule 1", plan)
	}
	f.exec(`UPDATE schedule SET status = 'a'`)
	f.exec(`UPDATE sitestate SET lease_seq = 0`)
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Errorf("lease %s, %+v; want the run to be over", f.paths(l), idle)
	}
}

// TestSeveralAcknowledged: of five schedules that are acknowledged together one was lost; that one stays as it is.
func TestSeveralAcknowledged(t *testing.T) {
	f := newFrontier(t, "a x", "b x", "c x", "d x", "e x")
	f.twoSites("c", "d")
	f.begin(crawl.CrawlStart{})
	f.live(f.process, 10)
	leases, _ := f.askFor(5, nil)
	if len(leases) != 5 {
		t.Fatalf("%d leases", len(leases))
	}
	f.exec(`UPDATE schedule SET attempt = 2, fetcher = 'other' WHERE seq = $1`, leases[2].Seq)
	done := make([]crawl.Finished, 5)
	for i, l := range leases {
		done[i] = crawl.Finished{Lease: l, Pause: time.Duration(i) * time.Minute}
	}
	slices.Reverse(done)
	lost, err := f.s.Acknowledge(t.Context(), done...)
	if err != nil || fmt.Sprint(lost) != "[false false true false false]" {
		t.Errorf("lost %v, %v; want the third", lost, err)
	}
	got := f.one(`SELECT string_agg(s.status::text || s.attempt, ' ' ORDER BY s.seq) FROM schedule s`)
	if want := "a1 a1 s2 a1 a1"; got != want {
		t.Errorf("schedules %s, want %s", got, want)
	}
	got = f.one(`SELECT string_agg(host || ' ' || (lease_seq <> 0) || ' ' || round(extract(epoch FROM greatest(ready_at, now()) - now()) / 60), ', ' ORDER BY host, site_id) FROM sitestate`)
	if want := "a false 0, b false 1, c true 0, c true 0, d false 3, d false 3, e false 4"; got != want {
		t.Errorf("sites %s\nwant  %s", got, want)
	}
}

// TestSeveralLate: a process that was killed before it used what it leased leaves late schedules. One answer has them all, in the order
// of their numbers, and then new ones. The answer that was lost comes again, each schedule to its fetcher.
func TestSeveralLate(t *testing.T) {
	f := newFrontier(t, "a x", "b x", "c x", "d x", "e x", "f x")
	settle(f)
	f.begin(crawl.CrawlStart{})
	f.live(f.process, 10)
	other := f.enter(crawl.CrawlRequest{Program: "two"})
	killed, _ := f.askFor(3, func(r *crawl.LeaseRequest) { r.Process = other.ID })
	f.exec(`UPDATE urlstate SET last_attempt = now() WHERE url_id = $1`, killed[1].URLs[0].ID) // recorded, not acknowledged
	f.exec(`UPDATE urlword SET next_index_time = $2 WHERE url_id = $1`, killed[1].URLs[0].ID, f.process.Run.Start+1000)
	f.kill(other)
	if err := f.process.ReapDead(t.Context()); err != nil {
		t.Fatal(err)
	}
	four := f.request(4)
	same := func(r *crawl.LeaseRequest) { *r = four }
	show := func(leases []*crawl.Lease) string {
		var list []string
		for _, l := range leases {
			list = append(list, fmt.Sprint(l.Host, l.Attempt, l.Fetcher[len("worker "):]))
		}
		return strings.Join(list, " ")
	}
	first, _ := f.askFor(0, same)
	if got := f.one(`SELECT status::text FROM schedule WHERE seq = $1`, killed[1].Seq); got != "a" || len(first) != 4 || !strings.HasPrefix(show(first), "a2") {
		t.Fatalf("leases %s, what was recorded has status %s", show(first), got)
	}
	want := map[string]bool{"a2": true, "c2": true, "d1": true, "e1": true}
	fetcher := make(map[string]string)
	for _, l := range first {
		if !want[fmt.Sprint(l.Host, l.Attempt)] {
			t.Errorf("lease of %s, attempt %d", l.Host, l.Attempt)
		}
		fetcher[l.Host] = l.Fetcher
	}
	again, _ := f.askFor(0, same)
	if len(again) != 4 {
		t.Fatalf("leases %s, want those of before", show(again))
	}
	for _, l := range again {
		if fetcher[l.Host] != l.Fetcher {
			t.Errorf("host %s: %s, before %s", l.Host, l.Fetcher, fetcher[l.Host])
		}
	}
}
