package spider

import (
	"context"
	"sync"
	"time"
)

// idle lets workers without work wait for others to find some, and tells when nobody can: a run is over when all
// workers wait, for only a worker at work finds new URLs.
type idle struct {
	mu      sync.Mutex
	workers int
	waiting int
	gen     int           // grows with every wake
	changed chan struct{} // closed by the next wake
	over    bool
}

func newIdle(workers int) *idle { return &idle{workers: workers, changed: make(chan struct{})} }

// generation is taken before looking for work; wait returns at once when something happened since.
func (i *idle) generation() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.gen
}

// wake says that there may be work again.
func (i *idle) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.signal()
}

func (i *idle) signal() {
	i.gen++
	close(i.changed)
	i.changed = make(chan struct{})
}

// wait returns true when it is worth looking for work again, false when the run is over or a context ended.
func (i *idle) wait(ctx, soft context.Context, seen int) bool {
	i.mu.Lock()
	if i.over || i.gen != seen {
		over := i.over
		i.mu.Unlock()
		return !over
	}
	i.waiting++
	if i.waiting == i.workers {
		i.over = true
		i.signal()
	}
	changed := i.changed
	over := i.over
	i.mu.Unlock()
	if !over {
		select {
		case <-changed:
		case <-ctx.Done():
		case <-soft.Done():
		case <-time.After(time.Second): // a pause that ended, a site that another process gave back
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.waiting--
	return !i.over && ctx.Err() == nil && soft.Err() == nil
}

// leave says that a worker ended; what it held may be another's work now.
func (i *idle) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.workers--
	if i.waiting == i.workers {
		i.over = true
	}
	i.signal()
}
