package spider

import (
	"errors"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store/crawl"
)

// Rate limits. A host that refuses a request (429, or 503 with Retry-After, or 503 to two different URLs in a row) pauses as
// long as it asks, and longer when further URLs are refused without another answer between. Afterwards it is asked with a
// delay, which each URL that is refused doubles and each answer shortens by a fiftieth: it is half as long after 35 answers.
// A page that refuses while others answer does not slow them down for good, nor does a Retry-After that is longer than a run
// waits: it tells of a quota that is used up, not of requests that came too fast. The table host_limit has the delay for the next
// fetcher of the host; a fetcher that holds the host is the only one that changes it, index -T aside.

const (
	firstDelay   = 100 * time.Millisecond // after the first refusal
	noDelay      = 20 * time.Millisecond  // a shorter delay is none
	speedUp      = 50
	shortPause   = time.Second      // without a Retry-After
	remembered   = 10 * time.Minute // how long a further 503 counts as a refusal when there is no delay any more
	longestLimit = 24 * time.Hour   // of a pause
	// After more than maxInRow URLs in a row the host is left alone for awayPause, which a run does not wait for.
	maxInRow  = 4
	awayPause = 10 * time.Minute
	// longestStay is how long a fetcher waits for the next request to a host. For more it gives the batch back, so that it
	// can work for another host.
	longestStay = time.Second
)

// errHostPaused says that a request was not sent, because the host pauses.
var errHostPaused = errors.New("the host asked for a pause")

// refusal says whether a host refused a request.
type refusal int

const (
	notRefused refusal = iota
	refused            // it limits the rate of requests
	inDoubt            // 503 without Retry-After: the host may be busy, or this URL may fail
	notAsked           // it pauses
)

// pace is how a host that limits requests may be asked.
type pace struct {
	crawl.Pace
	changed  bool            // since it was read or stored
	until    time.Time       // end of the pause that the host asked for
	slowed   time.Time       // what was sent before says nothing about the present delay
	busy     string          // URL of the last answer, if it is in doubt
	known    map[string]bool // URLs that were refused since the host limits: one that refuses alone does not slow it down
	row      map[string]int  // those refused since the last answer of another kind, and how often
	minDelay time.Duration
}

// maxKnown bounds pace.known.
const maxKnown = 1000

// limits reports whether the host limits requests at present.
func (g *pace) limits() bool {
	return g.Pace != crawl.Pace{} || g.until.After(time.Now()) || time.Since(g.slowed) < remembered
}

// hear learns from an answer of the host to a request that was sent at a time. It returns what the answer means; the length
// of the pause for a refusal.
func (p *politeness) hear(host, url string, delay time.Duration, a *fetch.Answer, began time.Time) (refusal, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gate(host)
	other := g.busy != "" && g.busy != url
	g.busy = ""
	switch {
	case a.Status == 429, a.Status == 503 && (a.Header.Get("Retry-After") != "" || other || g.limits()):
		g.minDelay = delay
		return refused, g.refuse(url, a.RetryAfter, began)
	case a.Status == 503:
		g.busy = url
		return inDoubt, 0
	case a.Status < 700 || a.Status > 799:
		g.good(began)
	}
	return notRefused, 0
}

// refuse pauses the host and slows it down. It returns the pause.
func (g *gate) refuse(url string, retryAfter time.Duration, began time.Time) time.Duration {
	now := time.Now()
	pause := max(retryAfter, shortPause)
	if g.known == nil {
		g.known = make(map[string]bool)
	}
	if g.row == nil {
		g.row = make(map[string]int)
	}
	if !began.Before(g.slowed) {
		alone := g.known[url] && g.Refusals == 0
		if quota := retryAfter > crawl.LongestWait; g.row[url] == 0 && !alone && !quota {
			g.Delay = min(max(firstDelay, 2*max(g.Delay, g.minDelay)), longestPause)
		}
		if g.row[url]++; g.row[url] == 1 {
			g.Refusals++
		}
		g.Refusals = max(g.Refusals, g.row[url])
		g.slowed, g.changed = now, true
		for n := 1; n < g.Refusals && pause < longestLimit; n++ {
			pause *= 2
		}
		if g.Refusals > maxInRow {
			pause = max(pause, awayPause)
		}
		pause = min(pause, longestLimit)
	}
	if len(g.known) < maxKnown {
		g.known[url] = true
	}
	if until := now.Add(pause); until.After(g.until) {
		g.until = until
	}
	if g.until.After(g.next) {
		g.next = g.until
	}
	return g.until.Sub(now)
}

// good shortens the delay after an answer.
func (g *pace) good(began time.Time) {
	if g.Pace == (crawl.Pace{}) || began.Before(g.slowed) {
		return
	}
	g.Refusals, g.row, g.changed = 0, nil, true
	if g.Delay -= g.Delay / speedUp; g.Delay < noDelay {
		g.Delay = 0
	}
}

// restore takes over the pace that the last fetcher of the host stored.
func (p *politeness) restore(host string, pace crawl.Pace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.gates[host]; g != nil || pace != (crawl.Pace{}) {
		g = p.gate(host)
		if g.changed = false; g.Delay.Milliseconds() != pace.Delay.Milliseconds() || g.Refusals != pace.Refusals {
			g.Pace, g.row = pace, nil
		}
	}
}

// store returns the pace of a host, and whether it has changed since it was stored last.
func (p *politeness) store(host string) (pace crawl.Pace, changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.gates[host]; g != nil {
		pace, changed = g.Pace, g.changed
		g.changed = false
	}
	return pace, changed
}

// stays reports whether the next request to the host is so far away that a fetcher works for another host until then.
func (p *politeness) stays(host string) bool { return p.rest(host) > longestStay }

// undecided reports whether the host's last answer is in doubt: another URL must be asked to find out.
func (p *politeness) undecided(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gates[host]
	return g != nil && g.busy != ""
}

// limited reports whether the host limits requests, as far as this process knows.
func (p *politeness) limited(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.gates[host]
	return g != nil && g.limits()
}
