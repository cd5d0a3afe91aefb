package spider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"github.com/pgseek/pgseek/store"
)

// robotsRedirects is how many redirects of a robots.txt are followed (RFC 9309 §2.3.1.2, B34).
const robotsRedirects = 5

// policy is what a host's robots.txt means just now.
type policy struct {
	rules    *Robots // never nil; the last good ones while the host is deferred
	deferred bool    // nothing may be fetched for now (C-13)
	status   int     // extended status of the answer
	cause    string  // why the host is deferred, as far as this process asked it
	expires  time.Time
}

// robotsCache knows the policy of every host that is being crawled. The table robots_cache keeps the files over
// restarts; memory holds what was asked for lately, one request a host at a time.
type robotsCache struct {
	store *store.Store
	fetch func(context.Context, URL, Request) *Answer // polite
	agent string
	ttl   time.Duration

	flight   singleflight.Group
	mu       sync.Mutex
	policies map[string]*policy
}

// maxPolicies bounds the memory of the cache; beyond it expired ones, then any, are forgotten.
const maxPolicies = 4096

// known returns the policy of a host when it needs no question, nil otherwise.
func (c *robotsCache) known(u URL) *policy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.policies[u.HostInfo]; p != nil && time.Now().Before(p.expires) {
		return p
	}
	return nil
}

// policy returns the policy of a URL's host, asking the host when what is known is older than RobotsTTL.
func (c *robotsCache) policy(ctx context.Context, u URL) (*policy, error) {
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

// load takes the stored file when it is fresh, else the host's.
func (c *robotsCache) load(ctx context.Context, u URL) (*policy, error) {
	file, err := c.store.LoadRobots(ctx, u.HostInfo)
	if err != nil {
		return nil, err
	}
	if file != nil && file.Age < c.ttl {
		return &policy{
			rules: ParseRobots(file.Body, c.agent), deferred: file.Failures > 0, status: file.Status,
			expires: time.Now().Add(c.ttl - file.Age),
		}, nil
	}
	answer, err := c.ask(ctx, u)
	if err != nil {
		return nil, err
	}
	p := &policy{status: answer.Status, expires: time.Now().Add(c.ttl)}
	switch {
	case answer.Status == 200:
		if answer.Truncated { // half a rule would be a rule of its own: "Disallow: /" of "Disallow: /private"
			answer.Body = answer.Body[:bytes.LastIndexAny(answer.Body, "\r\n")+1]
		}
		p.rules = ParseRobots(answer.Body, c.agent)
	case answer.Status >= 400 && answer.Status < 500 && answer.Status != 429:
		answer.Body = nil
		p.rules = ParseRobots(nil, c.agent)
	default:
		slog.Warn("robots.txt out of reach, host deferred", "host", u.HostInfo, "status", answer.Status, "cause", answer.Cause)
		p.deferred, p.cause = true, answer.Cause
		var last []byte
		if file != nil {
			last = file.Body
		}
		p.rules = ParseRobots(last, c.agent)
		return p, c.store.FailRobots(ctx, u.HostInfo, answer.Status)
	}
	return p, c.store.SaveRobots(ctx,
		store.RobotsFile{HostInfo: u.HostInfo, Status: answer.Status, Body: answer.Body},
		texts(p.rules.Disallow()), texts(p.rules.Allow()))
}

// ask requests robots.txt and follows its redirects; what is not resolved after five comes back as its 3xx.
func (c *robotsCache) ask(ctx context.Context, u URL) (*Answer, error) {
	at, err := Normalize(u.Site+"robots.txt", 0)
	if err != nil {
		return nil, fmt.Errorf("robots.txt of %s: %w", u.Site, err)
	}
	for n := 0; ; n++ {
		answer := c.fetch(ctx, at, Request{URL: at.Text, Method: "GET", Robots: true})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if answer.Status < 300 || answer.Status > 399 || answer.Location == "" || n == robotsRedirects {
			return answer, nil
		}
		next, err := NewResolver(at, "", 0).Resolve(answer.Location)
		if err != nil {
			if !errors.Is(err, ErrScheme) {
				answer.Cause = err.Error()
			}
			return answer, nil
		}
		at = next
	}
}

// maxRobotsText is the longest pattern that the tables show, in bytes. A longer one is longer than any URL, and than an
// entry of their index may be (B35).
const maxRobotsText = defaultMaxURLLength

// texts makes path patterns fit for a text column (B1).
func texts(patterns []string) []string {
	list := patterns[:0]
	for _, p := range patterns {
		if p = validText(p, len(p)*utf8.UTFMax); len(p) <= maxRobotsText {
			list = append(list, p)
		}
	}
	return list
}
