package spider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/robots"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
	"golang.org/x/sync/singleflight"
)

// robotsRedirects is how many redirects of a robots.txt are followed (RFC 9309 §2.3.1.2, B34).
const robotsRedirects = 5

// policy is the meaning of a host's robots.txt at present.
type policy struct {
	rules    *robots.Rules // never nil; the last good ones while the host is deferred
	deferred bool          // nothing may be fetched for now
	held     bool          // what the rules forbid is not fetched, but stays in the index (robotshold.go)
	status   int           // extended status of the answer
	cause    string        // why the host is deferred
	asked    time.Time     // of a host that an earlier run or another process asked: when; else zero
	expires  time.Time
}

// whyDeferred returns why nothing of the host is fetched, and when its robots.txt is asked for again.
func (p *policy) whyDeferred() string {
	why := strings.TrimSuffix(fmt.Sprintf("robots.txt answered %d: %s", p.status, p.cause), ": ")
	if !p.asked.IsZero() {
		why += fmt.Sprintf(" (at %s; asked again from %s on)", p.asked.Format(time.TimeOnly), p.expires.Format(time.TimeOnly))
	}
	return why
}

// robotsCache returns the policy of every host of the crawl. The table robots_cache keeps the files over
// restarts; memory keeps recent ones. At most one request a host is under way.
type robotsCache struct {
	store *crawl.Store
	fetch func(context.Context, weburl.URL, fetch.Request) (*fetch.Answer, refusal) // polite
	agent string
	ttl   time.Duration
	gsa   bool  // RobotsPolicy gsa
	limit int   // refusals in a row after which it closes a host
	start int64 // of the run
	// ignores reports whether the Server of a URL has Robots no; running returns how long the run has lasted.
	ignores func(weburl.URL) bool
	running func() time.Duration
	// sweep tests the known URLs of a host under rules that they were not tested under, and reports whether
	// it came to the end. nil = nothing is tested.
	sweep func(context.Context, weburl.URL, *policy) (whole bool, err error)

	// hold reports whether rules that forbid most of a site take nothing out yet.
	hold func(context.Context, weburl.URL, *policy, *crawl.RobotsFile) (held bool, over string, err error)

	endBan func(ctx context.Context, u weburl.URL, by string) error

	// pause lets no request to a host start for a time: after a robots.txt that asks for it. May be nil.
	pause func(host string, length time.Duration)

	// confirm returns an error when a failed request may be due to an outage of the network. May be nil.
	confirm func(ctx context.Context, hostInfo string, status int, cause string) error

	flight   singleflight.Group
	mu       sync.Mutex
	policies map[string]*policy
}

// newRobotsCache returns the cache of a crawl. It requests politely, and when the rules of a host have
// changed, its URLs are swept before anything more of it is fetched.
func newRobotsCache(c *crawler) *robotsCache {
	polite := func(ctx context.Context, u weburl.URL, r fetch.Request) (*fetch.Answer, refusal) {
		return c.fetch(ctx, u, c.o.Scope.Manners(u), r)
	}
	return &robotsCache{
		store: c.store, fetch: polite, agent: c.o.UserAgent, ttl: c.o.RobotsTTL, gsa: c.o.RobotsGSA, limit: c.o.LostLimit, start: c.start,
		ignores: c.o.Scope.ignoresRobots, running: func() time.Duration { return c.now().Sub(time.Unix(c.start, 0)) },
		sweep: c.sweepHost, hold: c.holdsBan, endBan: c.endBan, pause: c.polite.pause,
		confirm: func(ctx context.Context, hostInfo string, status int, cause string) error {
			return c.network.confirm(ctx, hostInfo, status, cause)
		}, policies: make(map[string]*policy),
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// RobotsRetry is how often the robots.txt of a deferred host is asked for at most.
const RobotsRetry = time.Minute

// fresh returns how long the stored state of a host's robots.txt holds: RobotsTTL, but a failure from before this run RobotsRetry
// only. So each run asks again.
func (c *robotsCache) fresh(file *crawl.RobotsFile) time.Duration {
	if file.Failures > 0 && file.Age > c.running() {
		return min(c.ttl, RobotsRetry)
	}
	return c.ttl
}

// without is the policy of a host whose robots.txt is not obeyed (Robots no).
func (c *robotsCache) without() *policy {
	return &policy{rules: robots.Parse(nil, c.agent), status: 404}
}

// maxPolicies bounds the memory of the cache; beyond it expired ones, then any, are forgotten.
const maxPolicies = 4096

// known returns the policy of a host when no request is needed, nil otherwise.
func (c *robotsCache) known(u weburl.URL) *policy {
	if c.ignores(u) {
		return c.without()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.policies[u.HostInfo]; p != nil && time.Now().Before(p.expires) {
		return p
	}
	return nil
}

// policy returns the policy of a URL's host. It requests robots.txt when the stored one is older than
// RobotsTTL.
func (c *robotsCache) policy(ctx context.Context, u weburl.URL) (*policy, error) {
	if p := c.known(u); p != nil {
		return p, nil
	}
	p, err, _ := c.flight.Do(u.HostInfo, func() (any, error) {
		if p := c.known(u); p != nil {
			return p, nil
		}
		p, err := c.load(ctx, u)
		if err != nil {
			return nil, err
		}
		c.remember(u.HostInfo, p)
		return p, nil
	})
	if err != nil {
		return nil, err
	}
	return p.(*policy), nil
}

func (c *robotsCache) remember(hostInfo string, p *policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.policies) >= maxPolicies {
		for h, old := range c.policies {
			if time.Now().After(old.expires) || len(c.policies) >= maxPolicies {
				delete(c.policies, h)
			}
		}
	}
	c.policies[hostInfo] = p
}

// load uses the stored file when it is fresh, else requests it. New rules are applied to all URLs of the
// host; an interrupted sweep is repeated.
func (c *robotsCache) load(ctx context.Context, u weburl.URL) (*policy, error) {
	file, err := c.store.LoadRobots(ctx, u.HostInfo)
	if err != nil {
		return nil, err
	}
	var p *policy
	if file != nil && file.Age < c.fresh(file) {
		p = c.stored(file)
		p.expires = time.Now().Add(c.fresh(file) - file.Age)
		if p.deferred {
			p.asked = time.Now().Add(-file.Age)
		}
	} else if p, err = c.refetch(ctx, u, file); err != nil {
		return nil, err
	}
	hash := p.rules.Hash()
	swept := file != nil && bytes.Equal(file.Swept, hash[:])
	if p.deferred || swept && file.Ban == nil {
		return p, nil
	}
	var over string
	if p.held, over, err = c.hold(ctx, u, p, file); err != nil || p.held || swept || c.sweep == nil {
		return p, err
	}
	whole, err := c.sweep(ctx, u, p)
	if err != nil || !whole {
		return p, err
	}
	if err := c.store.SweptRobots(ctx, u.HostInfo, hash[:]); err != nil || over == "" {
		return p, err
	}
	return p, c.endBan(ctx, u, over)
}

// stored returns the policy of a stored file, without a request.
func (c *robotsCache) stored(file *crawl.RobotsFile) *policy {
	p := &policy{status: file.Status, deferred: file.Failures > 0, cause: file.Cause}
	if c.closes(file.Status, file.Refusals) {
		p.close(file.Refusals)
	} else {
		p.rules = robots.Parse(file.Body, c.agent)
	}
	return p
}

// refetch requests robots.txt. file is the stored one, nil for none.
func (c *robotsCache) refetch(ctx context.Context, u weburl.URL, file *crawl.RobotsFile) (*policy, error) {
	answer, silent, err := c.ask(ctx, u)
	if err != nil {
		return nil, err
	}
	p := &policy{status: answer.Status, expires: time.Now().Add(c.ttl)}
	switch {
	case answer.Status == 200:
		if answer.Truncated { // half a rule would be a rule of its own: "Disallow: /" of "Disallow: /private"
			answer.Body = answer.Body[:bytes.LastIndexAny(answer.Body, "\r\n")+1]
		}
		p.rules = robots.Parse(answer.Body, c.agent)
		if delay := min(p.rules.CrawlDelay(), MaxCrawlDelay); delay > 0 && c.pause != nil {
			c.pause(u.Host, delay)
			p.expires = later(p.expires, time.Now().Add(2*MaxCrawlDelay)) // not over when the first page may be asked for
		}
	case noRobots(answer.Status, c.gsa):
		answer.Body = nil
		p.rules = robots.Parse(nil, c.agent)
	default:
		if c.confirm != nil {
			if err := c.confirm(ctx, u.HostInfo, answer.Status, answer.Cause); err != nil {
				return nil, err
			}
		}
		return p, c.fail(ctx, u, p, answer, silent, file)
	}
	var again *crawl.DueAgain
	if file != nil && file.Failures > 0 {
		again = &crawl.DueAgain{Site: u.Site, At: c.start}
	}
	woken, err := c.store.SaveRobots(ctx,
		crawl.RobotsFile{HostInfo: u.HostInfo, Status: answer.Status, Body: answer.Body},
		texts(p.rules.Disallow()), texts(p.rules.Allow()), again)
	if err == nil && len(woken) > 0 {
		err = c.store.WakeSites(ctx, woken, c.start)
	}
	return p, err
}

// fail defers a host whose answer decides nothing. With RobotsPolicy gsa a host that keeps refusing is
// closed.
func (c *robotsCache) fail(ctx context.Context, u weburl.URL, p *policy, answer *fetch.Answer, silent bool, file *crawl.RobotsFile) error {
	// Checks count that are RobotsTTL apart, however often a run asks.
	refused := c.gsa && !silent && isHTTPStatus(answer.Status) && (file == nil || file.Failures == 0 || file.Age >= c.ttl)
	refusals, err := c.store.FailRobots(ctx, u.HostInfo, answer.Status, answer.Cause, refused)
	if err != nil {
		return err
	}
	if c.closes(answer.Status, refusals) {
		slog.WarnContext(ctx, "robots.txt is refused; host closed", "host", u.HostInfo, "status", answer.Status, "times", refusals)
		p.close(refusals)
		return nil
	}
	slog.InfoContext(ctx, "robots.txt out of reach; host deferred", "host", u.HostInfo, "status", answer.Status, "cause", answer.Cause)
	p.deferred, p.cause = true, answer.Cause
	var last []byte
	if file != nil {
		last = file.Body
	}
	p.rules = robots.Parse(last, c.agent)
	return nil
}

// closes reports whether the policy of this crawl closes a host.
func (c *robotsCache) closes(status, refusals int) bool {
	return c.gsa && ClosesHost(status, refusals, c.limit)
}

// ClosesHost reports whether RobotsPolicy gsa forbids everything on a host whose robots.txt was refused
// with an HTTP status at least limit (LostLimit) times in a row. A host that does not answer is never
// closed.
func ClosesHost(status, refusals, limit int) bool { return refusals >= limit && isHTTPStatus(status) }

// ClosedWhy describes why a host is closed, for use after the words robots.txt.
func ClosedWhy(status, refusals int) string {
	return fmt.Sprintf("answered %d, %d times in a row", status, refusals)
}

func isHTTPStatus(status int) bool { return status >= 100 && status < 600 }

// isSilence reports whether a status is that of a request without an answer.
func isSilence(status int) bool { return status >= 700 && status < 800 }

// close forbids everything.
func (p *policy) close(refusals int) {
	p.deferred, p.rules = false, robots.Closed(ClosedWhy(p.status, refusals))
}

// unavailable returns the status and the cause of the URLs of a deferred host. A host that does not answer is
// out of reach for all its URLs: what the request for robots.txt met is theirs, and none of them is asked. A
// robots.txt that is answered, but cannot be had, says nothing about them.
func (p *policy) unavailable() (status int, cause string) {
	if isSilence(p.status) {
		return p.status, "robots.txt: " + cmp.Or(p.cause, fetch.StatusText(p.status))
	}
	return statusRobotsUnavailable, p.whyDeferred()
}

// forbids returns the line that forbids a path, in words; empty when the path may be fetched.
func (p *policy) forbids(path string) string {
	allowed, rule := p.rules.Allowed(path)
	switch {
	case allowed:
		return ""
	case rule.Line == 0:
		return "robots.txt " + rule.String()
	}
	return "robots.txt line " + rule.String()
}

// ask requests robots.txt and follows its redirects. After five redirects the 3xx is the answer, and so is one that leads to where
// nobody answers: the host itself did. silent says that the last request had no answer. The error is errHostPaused when the
// host is known to limit requests, and refuses this one.
func (c *robotsCache) ask(ctx context.Context, u weburl.URL) (answer *fetch.Answer, silent bool, err error) {
	at, err := weburl.Normalize(u.Site+"robots.txt", 0)
	if err != nil {
		return nil, false, fmt.Errorf("robots.txt of %s: %w", u.Site, err)
	}
	var redirect *fetch.Answer
	for n := 0; ; n++ {
		var said refusal
		answer, said = c.fetch(ctx, at, fetch.Request{URL: at.Text, Method: "GET", Robots: true})
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if silent = isSilence(answer.Status); silent && redirect != nil {
			redirect.Cause = at.Text + ": " + cmp.Or(answer.Cause, fetch.StatusText(answer.Status))
			return redirect, silent, nil
		}
		if (said == refused || said == notAsked) && at.Host == u.Host { // asked again after the pause
			return nil, false, errHostPaused
		}
		if answer.Status < 300 || answer.Status > 399 || answer.Location == "" || n == robotsRedirects {
			return answer, silent, nil
		}
		next, err := weburl.NewResolver(at, "", 0).Resolve(answer.Location)
		if err != nil {
			if !errors.Is(err, weburl.ErrScheme) {
				answer.Cause = err.Error()
			}
			return answer, silent, nil
		}
		at, redirect = next, answer
	}
}

// maxRobotsText is the longest pattern that the tables show, in bytes. A longer one is longer than any URL,
// and than an entry of their index may be (B35).
const maxRobotsText = weburl.DefaultMaxLength

// texts makes path patterns fit for a text column (B1).
func texts(patterns []string) []string {
	list := patterns[:0]
	for _, p := range patterns {
		if p = fetch.ValidText(p, len(p)*utf8.UTFMax); len(p) <= maxRobotsText {
			list = append(list, p)
		}
	}
	return list
}
