package spider

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pgseek/pgseek/store"
)

// Notifier wakes the idle workers of a crawl from outside.
type Notifier struct{ idle *idle }

// NewNotifier returns a Notifier for Options.Notifier.
func NewNotifier() *Notifier { return &Notifier{idle: newIdle()} }

// Notify wakes the workers that wait.
func (n *Notifier) Notify() { n.idle.wake() }

// idle lets workers without work wait until other workers find some. Only crawl.Store.Lease can find out
// that there is none left, because only the database knows all processes.
type idle struct {
	mu      sync.Mutex
	gen     int           // grows with every wake
	changed chan struct{} // closed by the next wake
}

// pollInterval is how often an idle worker looks for work that nothing in this process announces: URLs
// found by other processes, and ended pauses of hosts.
const pollInterval = time.Second

func newIdle() *idle { return &idle{changed: make(chan struct{})} }

// generation returns a number to be taken before looking for work: wait returns at once when wake was
// called since.
func (i *idle) generation() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.gen
}

// wake wakes the waiting workers: there may be work, or the run is over.
func (i *idle) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.gen++
	close(i.changed)
	i.changed = make(chan struct{})
}

// wait returns after the next wake, after until (0 = pollInterval) at the latest, or when a context ended.
func (i *idle) wait(ctx, soft context.Context, seen int, until time.Duration) {
	i.mu.Lock()
	news, changed := i.gen != seen, i.changed
	i.mu.Unlock()
	if news {
		return
	}
	if until <= 0 || until > pollInterval {
		until = pollInterval
	}
	look := time.NewTimer(until)
	defer look.Stop()
	select {
	case <-changed:
	case <-ctx.Done():
	case <-soft.Done():
	case <-look.C:
	}
}

// wake marks sites as having work that is due now, and wakes the workers. The site that the caller holds is
// left out: its acknowledgement looks for work again.
func (c *crawler) wake(ctx context.Context, sites []store.SiteID, held store.SiteID) error {
	if c.realtime == nil { // index -T holds none
		sites = slices.DeleteFunc(sites, func(s store.SiteID) bool { return s == held })
	}
	if len(sites) == 0 {
		return nil
	}
	slices.Sort(sites)
	if err := c.store.WakeSites(ctx, sites, c.foundDue()); err != nil {
		return err
	}
	c.idle.wake()
	return nil
}
