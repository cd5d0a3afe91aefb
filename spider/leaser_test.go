package spider

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store/crawl"
)

// lender leases schedules of a few hosts, as the database would.
type lender struct {
	mu    sync.Mutex
	free  int // hosts
	left  int // schedules
	open  int
	asked int // queries
	named int // most fetchers in a query
}

func (b *lender) lease(_ context.Context, r crawl.LeaseRequest) (leases []*crawl.Lease, idle crawl.Idle, err error) {
	time.Sleep(100 * time.Microsecond)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	b.named = max(b.named, len(r.Fetchers))
	idle.Open = b.open
	for _, name := range r.Fetchers {
		if b.free == 0 || b.left == 0 {
			break
		}
		b.free--
		b.left--
		b.open++
		leases = append(leases, &crawl.Lease{Fetcher: name, Attempt: 1, URLs: make([]crawl.Due, r.Batch)})
	}
	if b.left == 0 && b.open == 0 {
		idle.Over = crawl.OverComplete
	}
	return leases, idle, nil
}

func (b *lender) back() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free++
	b.open--
}

func leaserOf(t *testing.T, b *lender, fetchers int, count int64) (*crawler, *leaser) {
	c := &crawler{
		soft: t.Context(), idle: newIdle(), held: newHeldSites(), process: &crawl.Process{},
		o: Options{BatchSize: 10, Count: count, Hosts: func(time.Time) crawl.Hosts { return crawl.Hosts{} }, Scope: &Scope{}},
	}
	c.lastReap.Store(time.Now().Add(time.Hour).UnixMilli())
	return c, &leaser{c: c, lease: b.lease, all: fetchers}
}

// TestLeaserAsksOncePerNews: a thousand fetchers of five hosts cost about one query for each schedule that ends, none while nothing
// happens, and all of them end.
func TestLeaserAsksOncePerNews(t *testing.T) {
	const fetchers, hosts, schedules = 1000, 5, 200
	b := &lender{free: hosts, left: schedules}
	c, l := leaserOf(t, b, fetchers, 0)
	var all sync.WaitGroup
	all.Go(func() {
		if err := l.run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	got := make(chan string, schedules)
	for i := range fetchers {
		all.Go(func() {
			for {
				lease, err := l.next(t.Context(), fmt.Sprint("fetcher ", i))
				if err != nil {
					t.Error(err)
				}
				if lease == nil {
					return
				}
				time.Sleep(time.Millisecond)
				b.back()
				got <- lease.Fetcher
			}
		})
	}
	all.Wait()
	if len(got) != schedules || c.over.Load() != crawl.OverComplete {
		t.Errorf("%d schedules, over as %v", len(got), c.over.Load())
	}
	if most := fetchers + schedules + 10; b.asked > most { // each fetcher that comes is news
		t.Errorf("%d queries, want at most %d", b.asked, most)
	}
	if b.named > leasesAtOnce {
		t.Errorf("%d fetchers in a query", b.named)
	}
}

// TestLeaserWaits: fetchers that wait cost a query in pollInterval.
func TestLeaserWaits(t *testing.T) {
	b := &lender{free: 0, left: 1, open: 1}
	_, l := leaserOf(t, b, 100, 0)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = l.run(ctx) })
	for i := range 100 {
		all.Go(func() { _, _ = l.next(ctx, fmt.Sprint(i)) })
	}
	asked := func() int {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.asked
	}
	time.Sleep(pollInterval / 5)
	before := asked()
	time.Sleep(pollInterval / 2)
	if got := asked() - before; got > 1 {
		t.Errorf("%d queries while nothing happened", got)
	}
	cancel()
	all.Wait()
}

// TestLeaserCounts is -n: as many documents as it says are taken, the last schedule is smaller, and what is given back is taken again.
func TestLeaserCounts(t *testing.T) {
	b := &lender{free: 10, left: 100}
	c, l := leaserOf(t, b, 4, 25)
	var all sync.WaitGroup
	all.Go(func() {
		if err := l.run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	var mu sync.Mutex
	taken := 0
	for i := range 4 {
		all.Go(func() {
			for {
				lease, _ := l.next(t.Context(), fmt.Sprint(i))
				if lease == nil {
					return
				}
				visited := min(len(lease.URLs), 7)
				mu.Lock()
				taken += visited
				mu.Unlock()
				c.unreserve(len(lease.URLs) - visited)
				b.back()
			}
		})
	}
	all.Wait()
	if taken != 25 || c.taken.Load() != 25 {
		t.Errorf("%d documents taken, counted %d, want 25", taken, c.taken.Load())
	}
}
