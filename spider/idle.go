package spider

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pgseek/pgseek/store"
)

// Notifier tells a crawl from outside that there may be work again.
type Notifier struct{ idle *idle }

// NewNotifier makes one for Options.News.
func NewNotifier() *Notifier { return &Notifier{idle: newIdle()} }

// Notify wakes the workers that wait.
func (n *Notifier) Notify() { n.idle.wake() }

// idle lets workers without work wait for others to find some. That nobody can is found out by store.Lease, which knows of
// all processes.
type idle struct {
	mu      sync.Mutex
	gen     int           // grows with every wake
	changed chan struct{} // closed by the next wake
}

// pollInterval is how often a waiting worker looks for work, for what no wake tells of: other processes, and pauses of hosts.
const pollInterval = time.Second

func newIdle() *idle { return &idle{changed: make(chan struct{})} }

// generation is taken before looking for work; wait returns at once when something happened since.
func (i *idle) generation() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.gen
}

// wake says that there may be work again, or that there is none for ever.
func (i *idle) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.gen++
	close(i.changed)
	i.changed = make(chan struct{})
}

// wait returns when it is worth looking for work again, after until (0 = pollInterval) at the latest, or when a context ended.
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

// wake says that sites have something that is due now. The one that the caller holds needs no waking: its acknowledgement
// looks again.
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
