package spider

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Notifier tells a crawl from outside that there may be work.
type Notifier struct{ idle *idle }

// NewNotifier returns a Notifier for Options.Notifier.
func NewNotifier() *Notifier { return &Notifier{idle: newIdle()} }

// Notify wakes the leaser if it waits.
func (n *Notifier) Notify() { n.idle.wake() }

// idle lets the leaser wait until fetchers find work.
type idle struct {
	mu      sync.Mutex
	gen     int           // grows with every wake
	changed chan struct{} // closed by the next wake
}

// pollInterval is how often idle fetchers look for work that nothing in this process announces: URLs
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

// wake wakes the leaser: there may be work.
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

// wokenTogether bounds the calls that one transaction wakes sites for.
const wokenTogether = 256

// join makes the joiners of what the fetchers ask of the database.
func (c *crawler) join(ctx context.Context) {
	c.held = newHeldSites()
	c.acks = newJoiner(ctx, acknowledgedTogether, func(ctx context.Context, done []crawl.Finished) ([]bool, error) {
		return c.store.Acknowledge(ctx, done...)
	})
	c.wakes = newJoiner(ctx, wokenTogether, func(ctx context.Context, lists [][]store.SiteID) ([]bool, error) {
		sites := slices.Concat(lists...)
		slices.Sort(sites)
		news, err := c.store.Wake(ctx, slices.Compact(sites), c.foundDue())
		return slices.Repeat([]bool{news}, len(lists)), err
	})
}

// wake marks sites as having work that is due now. Sites that this process holds are left out: their
// acknowledgement looks for work again.
func (c *crawler) wake(ctx context.Context, sites []store.SiteID) error {
	if sites = c.held.others(sites); len(sites) == 0 {
		return nil
	}
	news, err := c.wakes.do(ctx, sites)
	if news {
		c.idle.wake()
	}
	return err
}
