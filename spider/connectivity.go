package spider

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// An outage of the network must not count against documents. So an attempt that failed as in an outage is recorded only after somebody has
// answered since: enough other hosts, or enough hosts of start URLs, which are asked then (connectivity_probe.go).
// When too few answer, the run ends with the reason outage, and the attempts that wait stay due.

const (
	// waitForAnswers is how long a failed attempt waits for answers to the other requests of the crawl.
	waitForAnswers = 2 * time.Second
	// ownFailure is how long the failures of a host are its own after a test has shown that the network is there; ownSilence is that of
	// a host that has not answered since.
	ownFailure = 5 * time.Second
	ownSilence = time.Minute
	// mostAnswers bounds the hosts that must have answered since a failure.
	mostAnswers = 10
)

// errOutage says that an attempt is not recorded, because the network is down.
var errOutage = fmt.Errorf("the network is down: %w", errHostPaused)

// Outage describes a network that is down: fewer start URLs are alive than ConnectivityShare asks for.
type Outage struct {
	Alive, Of int
	URL       string // that was asked for and has no answer
	Status    int
	Cause     string

	starts map[store.URLID]int64 // next visits of the start URLs before the run made them due
}

// PutBack restores the next visits of the start URLs that the run did not ask. It is called when the whole run has ended.
func (o *Outage) PutBack(ctx context.Context, s *crawl.Store) error {
	if len(o.starts) == 0 {
		return nil
	}
	return s.PutStartsBack(ctx, o.starts)
}

func (o *Outage) Error() string {
	what := numberedStatus(o.Status)
	if o.Cause != "" {
		what += ": " + o.Cause
	}
	return fmt.Sprintf("outage: %d of %d start URLs are alive; %s: %s", o.Alive, o.Of, o.URL, what)
}

func numberedStatus(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, fetch.StatusText(status)))
}

// network knows whether the network is there. A nil one takes it for granted.
type network struct {
	c      *crawler
	hosts  []probedHost
	enough int // hosts whose answers show that it is

	mu      sync.Mutex
	changed chan struct{}        // closed when something was learned
	asking  int                  // requests under way
	answers map[string]time.Time // when the last request to a host was sent that it answered
	own     map[string]time.Time // hosts whose failures are their own, since when
	tested  time.Time            // begin of the last test that found it
	testing bool
	outage  *Outage
	starts  map[store.URLID]int64 // next visits of the start URLs, known to the process that begins the run
}

// newNetwork returns the test of a crawl, nil when ConnectivityInterval is 0 or all start URLs are files.
func newNetwork(c *crawler) *network {
	n := &network{c: c, changed: make(chan struct{}), answers: make(map[string]time.Time), own: make(map[string]time.Time)}
	n.hosts = hostsOf(c.o.Servers)
	if c.o.ConnectivityInterval == 0 || len(n.hosts) == 0 {
		return nil
	}
	n.enough = min(aliveWanted(n.hosts, c.o.ConnectivityShare), len(n.hosts), mostAnswers)
	return n
}

// learned wakes those who wait; the caller has the lock.
func (n *network) learned() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// ask says that a request begins, answered that it has ended.
func (n *network) ask() {
	if n == nil {
		return
	}
	n.mu.Lock()
	n.asking++
	n.mu.Unlock()
}

func (n *network) answered(host string, a *fetch.Answer) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asking--; !n.failed(a.Status, a.Cause) {
		if len(n.answers) >= maxPolicies {
			clear(n.answers)
		}
		// What was sent before a failure may have been answered before it, too.
		if began := time.Now().Add(-a.Elapsed); began.After(n.answers[host]) {
			n.answers[host] = began
		}
	}
	n.learned()
}

// failed reports whether a request may have failed by an outage. A proxy or a name server can answer for all hosts, but not for one alone.
func (n *network) failed(status int, cause string) bool {
	switch fate := fateOf(status, cause); fate {
	case byAnswer:
		return len(n.hosts) > 1
	default:
		return fate == silent
	}
}

// down reports whether the network was found down.
func (n *network) down() bool {
	if n == nil {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.outage != nil
}

// confirm returns nil when an attempt at a host is to be recorded: it has not failed as in an outage, or the network was there since. Else
// it is errOutage. It waits for that.
func (n *network) confirm(ctx context.Context, host string, status int, cause string) error {
	if n == nil || !n.failed(status, cause) {
		return nil
	}
	failedAt := time.Now()
	patience := time.NewTimer(waitForAnswers)
	defer patience.Stop()
	for hurry := false; ; {
		n.mu.Lock()
		switch {
		case n.outage != nil, n.c.soft.Err() != nil: // after a stop nobody waits
			n.mu.Unlock()
			return errOutage
		case n.isOwn(host), n.answersSince(failedAt) >= n.enough:
			n.mu.Unlock()
			return nil
		case !n.tested.Before(failedAt):
			if len(n.own) >= maxPolicies {
				clear(n.own)
			}
			n.own[host] = time.Now()
			n.mu.Unlock()
			return nil
		}
		test := !n.testing && (hurry || n.asking == 0)
		n.testing = n.testing || test
		changed := n.changed
		n.mu.Unlock()
		if test {
			if err := n.test(ctx); err != nil {
				return err
			}
			continue
		}
		select {
		case <-changed:
		case <-patience.C:
			hurry = true
		case <-n.c.soft.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isOwn reports whether a host was found to fail while the network was there, a moment ago, or since when it has not answered.
func (n *network) isOwn(host string) bool {
	since, ok := n.own[host]
	return ok && (time.Since(since) < ownFailure || time.Since(since) < ownSilence && n.answers[host].Before(since))
}

// answersSince counts the hosts that have answered requests which were sent since a time.
func (n *network) answersSince(t time.Time) (hosts int) {
	for _, at := range n.answers {
		if !at.Before(t) {
			hosts++
		}
	}
	return hosts
}

// test asks the hosts of the start URLs, and ends the crawl of this process when too few are alive.
func (n *network) test(ctx context.Context) error {
	began := time.Now()
	found, err := n.probe(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	defer n.learned()
	n.testing = false
	if err != nil {
		return err
	}
	if found == nil {
		n.tested = began
		return nil
	}
	if n.outage == nil {
		n.outage, found.starts = found, n.starts
		n.c.over.Store(EndOutage)
		n.c.idle.wake()
		slog.WarnContext(ctx, "the network is down; the crawl ends, and what failed stays due", "alive", found.Alive, "start_urls", found.Of,
			"example", printable.Log(found.URL), "status", numberedStatus(found.Status), "cause", printable.Log(found.Cause))
	}
	return nil
}

// stillDown tests the network before a run takes schedules, when it was down the last time. The error is errOutage when it is.
func (c *crawler) stillDown(ctx context.Context) error {
	if c.network == nil {
		return nil
	}
	down, err := c.store.NetworkDown(ctx)
	if err != nil || !down {
		return err
	}
	if err := c.network.test(ctx); err != nil || !c.network.down() {
		return err
	}
	return errOutage
}

// remember notes when start URLs would be visited next, before a run makes them due.
func (n *network) remember(ctx context.Context, starts []store.URLID) (err error) {
	if n == nil || len(starts) == 0 {
		return nil
	}
	n.starts, err = n.c.store.StartVisits(ctx, starts)
	return err
}

// watch tests the network when nobody has answered for ConnectivityInterval, until ctx ends.
func (n *network) watch(ctx context.Context) {
	if n == nil {
		return
	}
	tick := time.NewTicker(n.c.o.ConnectivityInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n.mu.Lock()
		last := time.Now().Add(-n.c.o.ConnectivityInterval)
		test := !n.testing && n.asking > 0 && n.answersSince(last) == 0 && n.tested.Before(last)
		n.testing = n.testing || test
		n.mu.Unlock()
		if test {
			if err := n.test(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "cannot test the network", "cause", err)
			}
		}
	}
}
