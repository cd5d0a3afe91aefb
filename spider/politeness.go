package spider

import (
	"context"
	"sync"
	"time"
)

// Slow hosts get a pause as long as their last answer took, when that was more than slowAnswer, and at most
// longestPause.
const (
	slowAnswer   = time.Second
	longestPause = 30 * time.Second
)

// politeness keeps the pauses between requests to a host, for pages and robots.txt alike. The number of
// requests under way is bounded by the batch that holds the host. Hosts whose pause is over are forgotten.
// The rest of a pause is stored in the database for other processes when a schedule is acknowledged.
type politeness struct {
	load func(host string, at time.Time) float64

	mu    sync.Mutex
	gates map[string]*gate
}

type gate struct {
	users int       // requests waiting or under way
	next  time.Time // no request starts before
	pace            // of a host that limits requests
}

// idle reports whether nothing is known of the host that matters any more.
func (g *gate) idle(now time.Time) bool {
	return g.users == 0 && !g.next.After(now) && !g.limits() && g.busy == ""
}

func newPoliteness(load func(host string, at time.Time) float64) *politeness {
	return &politeness{load: load, gates: make(map[string]*gate)}
}

// gate returns the gate of a host; the caller has the lock.
func (p *politeness) gate(host string) *gate {
	g := p.gates[host]
	if g == nil {
		g = &gate{}
		p.gates[host] = g
	}
	return g
}

// pause lets no request to the host start before a delay.
func (p *politeness) pause(host string, delay time.Duration) {
	if delay <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gate(host)
	if next := time.Now().Add(delay); next.After(g.next) {
		g.next = next
	}
}

// rest returns how much of the host's pause is left.
func (p *politeness) rest(host string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.gates[host]; g != nil {
		return max(0, time.Until(g.next))
	}
	return 0
}

// enter waits until a request to the host may start. Every enter that returns nil is followed by a release. For a pause
// that the host asked for it waits at most patience, else it returns errHostPaused.
func (p *politeness) enter(ctx context.Context, host string, delay, patience time.Duration) error {
	p.mu.Lock()
	g := p.gate(host)
	g.users++
	now := time.Now()
	wait := g.next.Sub(now)
	if delay = max(delay, g.Delay); delay > 0 { // the next one waits its turn behind this one
		g.next = now.Add(max(wait, 0) + delay)
	}
	for {
		pause := g.until.Sub(now)
		p.mu.Unlock()
		if pause > patience {
			p.release(host, 0, 0)
			return errHostPaused
		}
		if wait = max(wait, pause); wait <= 0 {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			p.release(host, 0, 0)
			return ctx.Err()
		}
		p.mu.Lock()
		now, wait = time.Now(), 0 // the host may have asked for a pause during the wait
	}
}

// release records that a request to the host ended after elapsed. A host whose load is below 1 is busy for
// that share of the time only.
func (p *politeness) release(host string, elapsed, delay time.Duration) {
	if load := p.load(host, time.Now()); load > 0 && load < 1 {
		delay = max(delay, time.Duration(float64(elapsed)*(1/load-1)))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gates[host]
	g.users--
	delay = max(delay, g.Delay)
	now := time.Now()
	if elapsed > slowAnswer {
		delay = max(delay, min(elapsed, longestPause))
	}
	if next := now.Add(delay); next.After(g.next) {
		g.next = next
	}
	if g.idle(now) {
		delete(p.gates, host)
	}
	if len(p.gates) > 1024 {
		for h, g := range p.gates {
			if g.busy = ""; g.idle(now) {
				delete(p.gates, h)
			}
		}
	}
}
