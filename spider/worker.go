package spider

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/failpoint"
	"golang.org/x/sync/errgroup"
)

// work runs the workers and the reports until the workers end.
func (c *crawler) work(ctx context.Context, names []string) error {
	side, end := context.WithCancel(ctx)
	var aside sync.WaitGroup
	aside.Go(func() { c.report(side) })
	aside.Go(func() { c.network.watch(side) })

	workers, working := errgroup.WithContext(ctx)
	c.recorders = c.newRecorders(working)
	l := newLeaser(c, len(names))
	workers.Go(func() error { return l.run(working) })
	for _, name := range names {
		workers.Go(func() error { return c.worker(working, l, name) })
	}
	err := workers.Wait()
	c.recorders.close()
	end()
	aside.Wait()
	return err
}

// worker visits the URLs of one lease after the other until there are none.
func (c *crawler) worker(ctx context.Context, l *leaser, name string) error {
	for {
		lease, err := l.next(ctx, name)
		if lease == nil || err != nil {
			return err
		}
		if err := failpoint.Hit("schedule.after-lease"); err != nil {
			return err
		}
		err = c.batch(ctx, lease)
		if errors.Is(err, store.ErrScheduleLost) {
			slog.WarnContext(ctx, "schedule lost to another fetcher", "schedule", lease.Seq, "attempt", lease.Attempt)
			c.held.remove(lease)
			err = c.store.WakeSites(ctx, lease.Sites, c.foundDue()) // its new holder may have acknowledged it before our last links
		}
		if err != nil {
			return err
		}
	}
}

// acknowledgedTogether bounds the schedules that one transaction acknowledges.
const acknowledgedTogether = 64

// acknowledge gives a lease back, together with others that have ended meanwhile. The error is
// ErrScheduleLost when it is not ours any more.
func (c *crawler) acknowledge(ctx context.Context, lease *crawl.Lease) error {
	c.held.remove(lease)
	lost, err := c.acks.do(ctx, crawl.Finished{Lease: lease, Pause: c.polite.rest(lease.Host)})
	if err == nil && lost {
		err = store.ErrScheduleLost
	}
	return err
}

// reserve takes equal batches for up to n fetchers from the documents that -n leaves.
func (c *crawler) reserve(n int) (batch, fetchers int) {
	if c.o.Count == 0 {
		return c.o.BatchSize, n
	}
	for {
		taken := c.taken.Load()
		left := c.o.Count - taken
		size := min(int64(c.o.BatchSize), left)
		if size <= 0 || n == 0 {
			return 0, 0
		}
		fetchers := min(int64(n), left/size)
		if c.taken.CompareAndSwap(taken, taken+size*fetchers) {
			return int(size), int(fetchers)
		}
	}
}

func (c *crawler) unreserve(n int) {
	if c.o.Count > 0 {
		c.taken.Add(-int64(n))
	}
}

// allTaken reports whether -n leaves no documents.
func (c *crawler) allTaken() bool { return c.o.Count > 0 && c.taken.Load() >= c.o.Count }
