package spider

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pgseek/pgseek/store/crawl"
)

// leaser takes leases for all fetchers of this process that have none, in one query. It asks when a fetcher
// becomes idle, when there is news of work (idle), and when a pause is over. Only crawl.Store.Lease can find
// out that there is no work left, because only the database knows all processes.
type leaser struct {
	c     *crawler
	lease func(context.Context, crawl.LeaseRequest) ([]*crawl.Lease, crawl.Idle, error)

	mu    sync.Mutex
	idle  []idleFetcher // the one that has waited longest first
	all   int           // fetchers
	ended bool          // there are no more leases
}

type idleFetcher struct {
	name  string
	lease chan *crawl.Lease // receives one, nil when there are no more
}

// leasesAtOnce bounds the hosts that one transaction locks.
const leasesAtOnce = 32

func newLeaser(c *crawler, fetchers int) *leaser {
	return &leaser{c: c, lease: c.store.Lease, all: fetchers}
}

// next waits for a lease of a fetcher; nil means that there are no more.
func (l *leaser) next(ctx context.Context, name string) (*crawl.Lease, error) {
	f := idleFetcher{name, make(chan *crawl.Lease, 1)}
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return nil, nil
	}
	l.idle = append(l.idle, f)
	l.mu.Unlock()
	l.c.idle.wake() // the host that it held may have work
	select {
	case lease := <-f.lease:
		return lease, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run takes leases until there are no more.
func (l *leaser) run(ctx context.Context) error {
	defer l.end()
	for l.c.soft.Err() == nil && l.c.over.Load() == nil {
		seen := l.c.idle.generation() // what comes during the query is asked for by the next one
		more, until, err := l.ask(ctx)
		if err != nil {
			return err
		}
		if l.c.over.Load() != nil || l.done() {
			return nil
		}
		if more {
			continue
		}
		l.c.idle.wait(ctx, l.c.soft, seen, until)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// ask takes leases for the fetchers that are idle. more says that it is worth asking for further ones at once.
func (l *leaser) ask(ctx context.Context) (more bool, until time.Duration, err error) {
	c := l.c
	names := l.names()
	if len(names) == 0 {
		return false, 0, nil
	}
	batch, n := c.reserve(len(names))
	if n == 0 {
		return false, 0, nil
	}
	leases, idle, err := l.lease(ctx, crawl.LeaseRequest{
		Run: c.run, Process: c.process.ID, Fetchers: names[:n], Batch: batch, TimeOut: c.o.BatchTimeOut, Due: c.due,
		HopsFirst: c.o.HopsFirst, Limits: c.o.Limits, Hosts: c.o.Hosts(time.Now()), PerSite: c.o.runLimit(),
		DocumentLimit: c.o.DocumentLimit > 0,
	})
	if err != nil {
		return false, 0, err
	}
	reserved := n * batch
	for _, lease := range leases {
		reserved -= len(lease.URLs)
		c.held.add(lease)
	}
	c.unreserve(reserved)
	left := l.handOut(leases)
	if idle.Over != "" {
		c.noRoom.Store(idle.Full)
		c.over.Store(idle.Over)
		return false, 0, nil
	}
	if len(leases) < n && idle.Open > 0 {
		c.reapDeadProcesses(ctx) // their processes may be dead
	}
	return len(leases) == n && left > 0, idle.Until, nil
}

// names returns the names of idle fetchers.
func (l *leaser) names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := make([]string, min(len(l.idle), leasesAtOnce))
	for i := range names {
		names[i] = l.idle[i].name
	}
	return names
}

// handOut gives leases to their fetchers, and returns how many fetchers are idle.
func (l *leaser) handOut(leases []*crawl.Lease) (left int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lease := range leases {
		i := slices.IndexFunc(l.idle, func(f idleFetcher) bool { return f.name == lease.Fetcher })
		l.idle[i].lease <- lease
		l.idle = slices.Delete(l.idle, i, i+1)
	}
	return len(l.idle)
}

// done reports whether all documents of -n are taken: no fetcher gives any back.
func (l *leaser) done() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.idle) == l.all && l.c.allTaken()
}

// end tells the fetchers that there are no more leases.
func (l *leaser) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for _, f := range l.idle {
		f.lease <- nil
	}
	l.idle = nil
}
