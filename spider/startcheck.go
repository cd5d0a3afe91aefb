package spider

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/robots"
	"github.com/pgseek/pgseek/spider/weburl"
)

// A StartAnswer is what a start URL answered when it was asked once, without a database.
type StartAnswer struct {
	URL         weburl.URL // the last one, behind the redirects
	Redirects   []string   // statuses and URLs to which it was redirected, all of them in scope
	Status      int        // HTTP or extended
	Rule        string     // the transition that a crawl would take, of those that refuse; else empty
	Cause       string
	ContentType string
	Robots      string // what the robots.txt of its host answered; empty when it was not asked
}

// startRedirects is how many redirects of a start URL are followed.
const startRedirects = 5

// A StartChecker asks start URLs. The robots.txt of a host is asked for once. It is used by one goroutine.
type StartChecker struct {
	o      *Options
	pause  func(ctx context.Context, u weburl.URL, asked time.Duration)
	robots map[string]*policy
}

// NewStartChecker returns a checker with the options of a crawl. It calls pause before each request, with the Crawl-delay of the host.
func NewStartChecker(o *Options, pause func(context.Context, weburl.URL, time.Duration)) *StartChecker {
	return &StartChecker{o: o, pause: pause, robots: map[string]*policy{}}
}

// Check asks a start URL, and what it redirects to within the scope.
func (c *StartChecker) Check(ctx context.Context, start weburl.URL) (a StartAnswer) {
	a.URL = start
	for {
		m := c.o.Scope.match(a.URL, 0)
		if m.refused != "" {
			a.Status, a.Rule, a.Cause = statusConfigForbidden, "T-12", m.refused
			return a
		}
		if !c.obeys(ctx, &a) {
			return a
		}
		method := "GET"
		if m.verdict == CheckOnly {
			method = "HEAD"
		}
		c.pause(ctx, a.URL, c.delay(a.URL))
		answer := c.o.Fetcher.Fetch(ctx, fetch.Request{URL: a.URL.Text, Method: method, Auth: m.server.Auth})
		answer.Discard()
		a.Status, a.Cause, a.ContentType = answer.Status, answer.Cause, answer.ContentType
		if answer.Status < 300 || answer.Status > 399 || answer.Location == "" {
			return a
		}
		to, err := weburl.NewResolver(a.URL, "", c.o.MaxURLLength).Resolve(answer.Location)
		if err != nil {
			a.Rule, a.Cause = "T-05", "redirects to what is no URL: "+err.Error()
			return a
		}
		if why := c.o.Scope.match(to, 0).refused; why != "" {
			a.Rule, a.Cause = "T-05", notFollowed(to.Text, why)
			return a
		}
		if len(a.Redirects) == startRedirects {
			a.Rule, a.Cause = "T-05", notFollowed(to.Text, fmt.Sprintf("more than %d redirects", startRedirects))
			return a
		}
		a.Redirects = append(a.Redirects, fmt.Sprintf("%d to %s", answer.Status, to.Text))
		a.URL = to
	}
}

// obeys reports whether the robots.txt of the host lets the URL be asked for, and else says why not.
func (c *StartChecker) obeys(ctx context.Context, a *StartAnswer) bool {
	if a.Robots = ""; c.o.Scope.ignoresRobots(a.URL) {
		return true
	}
	p := c.policy(ctx, a.URL)
	if p.deferred {
		a.Status, a.Cause = p.unavailable()
		return false
	}
	a.Robots = fmt.Sprintf("robots.txt %d", p.status)
	if delay := p.rules.CrawlDelay(); delay > 0 {
		a.Robots += fmt.Sprintf(", Crawl-delay %s", min(delay, MaxCrawlDelay))
	}
	if cause := p.forbids(a.URL.Path); cause != "" {
		a.Status, a.Rule, a.Cause = statusRobotsForbidden, "T-12", cause
		return false
	}
	return true
}

// delay returns the Crawl-delay of a host whose robots.txt was asked for.
func (c *StartChecker) delay(u weburl.URL) time.Duration {
	if p := c.robots[u.Site]; p != nil {
		return min(p.rules.CrawlDelay(), MaxCrawlDelay)
	}
	return 0
}

// policy asks for the robots.txt of a host, once.
func (c *StartChecker) policy(ctx context.Context, u weburl.URL) *policy {
	if p := c.robots[u.Site]; p != nil {
		return p
	}
	cache := &robotsCache{agent: c.o.UserAgent, fetch: func(ctx context.Context, at weburl.URL, r fetch.Request) (*fetch.Answer, refusal) {
		if server := c.o.Scope.Manners(at); server != nil {
			r.Auth = server.Auth
		}
		c.pause(ctx, at, 0)
		return c.o.Fetcher.Fetch(ctx, r), notRefused
	}}
	p := &policy{rules: robots.Parse(nil, c.o.UserAgent), deferred: true}
	answer, _, err := cache.ask(ctx, u)
	switch {
	case err != nil:
		p.status, p.cause = fetch.StatusReadTimeout, err.Error()
	case answer.Status == 200:
		if answer.Truncated {
			answer.Body = answer.Body[:bytes.LastIndexAny(answer.Body, "\r\n")+1]
		}
		p.status, p.deferred, p.rules = answer.Status, false, robots.Parse(answer.Body, c.o.UserAgent)
	default:
		p.status, p.cause = answer.Status, answer.Cause
		p.deferred = !noRobots(answer.Status, c.o.RobotsGSA)
	}
	c.robots[u.Site] = p
	return p
}

// noRobots reports whether a status of robots.txt means that there are no rules.
func noRobots(status int, gsa bool) bool {
	return status == 404 || !gsa && status >= 400 && status < 500 && status != 429
}
