package spider

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
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
}

func newPoliteness(load func(host string, at time.Time) float64) *politeness {
	return &politeness{load: load, gates: make(map[string]*gate)}
}

// pause lets no request to the host start before a delay.
func (p *politeness) pause(host string, delay time.Duration) {
	if delay <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gates[host]
	if g == nil {
		g = &gate{}
		p.gates[host] = g
	}
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

// enter waits until a request to the host may start. Every enter that returns nil is followed by a release.
func (p *politeness) enter(ctx context.Context, host string, delay time.Duration) error {
	p.mu.Lock()
	g := p.gates[host]
	if g == nil {
		g = &gate{}
		p.gates[host] = g
	}
	g.users++
	now := time.Now()
	wait := g.next.Sub(now)
	if delay > 0 { // the next one waits its turn behind this one
		g.next = now.Add(max(wait, 0) + delay)
	}
	p.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		p.release(host, 0, 0)
		return ctx.Err()
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
	now := time.Now()
	if elapsed > slowAnswer {
		delay = max(delay, min(elapsed, longestPause))
	}
	if next := now.Add(delay); next.After(g.next) {
		g.next = next
	}
	if g.users == 0 && !g.next.After(now) {
		delete(p.gates, host)
	}
	if len(p.gates) > 1024 {
		for h, g := range p.gates {
			if g.users == 0 && !g.next.After(now) {
				delete(p.gates, h)
			}
		}
	}
}

// fetch sends a request after the host's pause. A request that may have met a connection which the server
// was just closing is sent once more, on a new connection and after the pause, unless it was to have a new one at once.
func (c *crawler) fetch(ctx context.Context, host string, delay time.Duration, r fetch.Request) *fetch.Answer {
	a := c.fetchOnce(ctx, host, delay, r)
	if a.Unheard && !r.Fresh && ctx.Err() == nil {
		slog.DebugContext(ctx, "repeating the request on a new connection", "url", printable.Log(r.URL), "cause", a.Cause)
		r.Fresh = true
		a = c.fetchOnce(ctx, host, delay, r)
	}
	return a
}

func (c *crawler) fetchOnce(ctx context.Context, host string, delay time.Duration, r fetch.Request) *fetch.Answer {
	if err := c.polite.enter(ctx, host, delay); err != nil {
		return &fetch.Answer{Status: fetch.StatusReadTimeout, Cause: err.Error()}
	}
	if c.realtime != nil {
		if err := c.realtime.turn(ctx, host, delay); err != nil {
			c.polite.release(host, 0, 0)
			return &fetch.Answer{Status: fetch.StatusReadTimeout, Cause: err.Error()}
		}
	}
	a := c.o.Fetcher.Fetch(ctx, r)
	c.polite.release(host, a.Elapsed, delay)
	return a
}
