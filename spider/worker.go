package spider

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

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

	workers, working := errgroup.WithContext(ctx)
	c.recorders = c.newRecorders(working)
	for _, name := range names {
		workers.Go(func() error { return c.worker(working, name) })
	}
	err := workers.Wait()
	c.recorders.close()
	end()
	aside.Wait()
	return err
}

// worker leases schedules until there are none.
func (c *crawler) worker(ctx context.Context, name string) error {
	defer c.idle.wake() // its sites are free for others now
	for c.soft.Err() == nil && c.over.Load() == nil {
		batch := c.reserve()
		if batch == 0 {
			return nil
		}
		seen := c.idle.generation()
		lease, idle, err := c.store.Lease(ctx, crawl.LeaseRequest{
			Run: c.run, Process: c.process.ID, Fetcher: name, Batch: batch, TimeOut: c.o.BatchTimeOut, Due: c.due,
			HopsFirst: c.o.HopsFirst, Limits: c.o.Limits, Hosts: c.o.Hosts(time.Now()), PerSite: c.o.runLimit(),
		})
		if err != nil {
			return err
		}
		if lease == nil {
			c.unreserve(batch)
			if idle.Over != "" {
				c.over.Store(idle.Over)
				return nil
			}
			if idle.Open > 0 {
				c.reapDeadProcesses(ctx) // their processes may be dead
			}
			c.idle.wait(ctx, c.soft, seen, idle.Until)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		if err := failpoint.Hit("schedule.after-lease"); err != nil {
			return err
		}
		c.unreserve(batch - len(lease.URLs))
		err = c.batch(ctx, lease) // the host it held is looked at again by this worker itself
		if errors.Is(err, store.ErrScheduleLost) {
			slog.WarnContext(ctx, "schedule lost to another fetcher", "schedule", lease.Seq, "attempt", lease.Attempt)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reserve takes a batch from the documents that -n leaves; 0 = none left.
func (c *crawler) reserve() int {
	if c.o.Count == 0 {
		return c.o.BatchSize
	}
	for {
		taken := c.taken.Load()
		n := min(int64(c.o.BatchSize), c.o.Count-taken)
		if n <= 0 {
			return 0
		}
		if c.taken.CompareAndSwap(taken, taken+n) {
			return int(n)
		}
	}
}

func (c *crawler) unreserve(n int) {
	if c.o.Count > 0 {
		c.taken.Add(-int64(n))
	}
}
