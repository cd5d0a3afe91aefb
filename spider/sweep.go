package spider

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"golang.org/x/sync/errgroup"
)

// A sweep tests registered URLs against changed rules: all of them after a change of sets.cnf, those of a
// host after a change of its robots.txt (docs/reference/behavior.md, Sweeps). T-12 withdraws URLs that are
// forbidden now; T-15 restores URLs that T-12 withdrew and that are allowed now. The work of an interrupted
// sweep is kept and skipped the next time.

// sweepPage is how many URLs are read at once.
const sweepPage = 1000

// decision is the change that a sweep makes to a URL.
type decision struct {
	url    crawl.RegisteredURL
	status int // statusConfigForbidden, statusRobotsForbidden, statusPrivate, statusNoFile, statusAllowedAgain; none is kept
	cause  string
	ruleMatch
}

// sweeper tests URLs against the configuration, and withdrawn ones also against the stored robots.txt
// files.
type sweeper struct {
	c        *crawler
	policies map[string]*policy // of hosts with something that may come back; nil = none is stored
	// looked is called for each URL with what was found out about it; changed says whether the sweep changes it. May be nil.
	looked func(d *decision, changed bool)
}

// decide returns the change that the configuration makes to a URL; ok is false for none.
func (s *sweeper) decide(ctx context.Context, k crawl.RegisteredURL) (d decision, ok bool, err error) {
	if k.Deleted && k.WithdrawnBy != "T-12" {
		return decision{url: k}, false, nil
	}
	r := s.c.o.Scope.rule(k.URL, k.Hops)
	if err := s.c.settleDuplicate(ctx, &r); err != nil {
		return decision{}, false, err
	}
	d = decision{url: k, ruleMatch: r}
	if r.refused == "" {
		if d.status, _, err = s.c.fileState(ctx, r.page); err != nil {
			return d, false, err
		}
	}
	if !k.Deleted {
		if !refusedFile(d.status) { // that of another is the answer of its visit
			d.status = 0
		}
		if d.cause = fetch.StatusText(d.status); r.refused != "" {
			d.status, d.cause = statusConfigForbidden, r.refused
		}
		return d, d.cause != "", nil
	}
	if r.refused != "" || d.status != 0 {
		return d, false, nil
	}
	p, err := s.policy(ctx, r.page)
	if err != nil || p != nil && p.forbids(r.page.Path) != "" {
		return d, false, err
	}
	d.status = statusAllowedAgain
	return d, true, nil
}

// policy returns the policy of the stored robots.txt of a host, nil when there is none: then it is
// requested before the fetch.
func (s *sweeper) policy(ctx context.Context, u weburl.URL) (p *policy, err error) {
	if s.c.robots.ignores(u) {
		return s.c.robots.without(), nil
	}
	p, ok := s.policies[u.HostInfo]
	if ok {
		return p, nil
	}
	file, err := s.c.store.LoadRobots(ctx, u.HostInfo)
	if err != nil {
		return nil, err
	}
	if file != nil {
		p = s.c.robots.stored(file)
	}
	if len(s.policies) >= maxPolicies {
		clear(s.policies)
	}
	s.policies[u.HostInfo] = p
	return p, nil
}

// walk calls f with the decisions about all registered URLs, a page at a time, until f returns more =
// false.
func (s *sweeper) walk(ctx context.Context, f func(looked int, page []decision) (more bool, err error)) error {
	upto := store.URLID(math.MaxInt32)
	for {
		known, err := s.c.store.KnownURLs(ctx, upto, sweepPage)
		if err != nil || len(known) == 0 {
			return err
		}
		upto = known[len(known)-1].ID - 1
		var page []decision
		for _, k := range known {
			d, ok, err := s.decide(ctx, k)
			if err != nil {
				return err
			}
			if ok {
				page = append(page, d)
			}
			if s.looked != nil {
				s.looked(&d, ok)
			}
		}
		if more, err := f(len(known), page); err != nil || !more {
			return err
		}
	}
}

// sweep tests all registered URLs when the configuration differs from that of the last complete sweep. It
// runs before the first fetch of a run, and before BeginCrawl, which makes restored URLs due.
func (c *crawler) sweep(ctx context.Context) error {
	swept, err := c.store.SweptHash(ctx)
	if err != nil || string(swept) == string(c.o.ConfigHash[:]) {
		return err
	}
	var (
		s                    = sweeper{c: c, policies: make(map[string]*policy)}
		began, reported      = time.Now(), time.Now()
		looked, hidden, back int
		stopped              bool
	)
	err = s.walk(ctx, func(n int, page []decision) (bool, error) {
		rules, err := c.decideAllWithoutFetch(ctx, page)
		looked, hidden, back = looked+n, hidden+rules["T-12"], back+rules["T-15"]
		if time.Since(reported) > 10*time.Second {
			reported = time.Now()
			slog.InfoContext(ctx, "checking registered URLs against the changed configuration", "looked_at", looked, "hidden", hidden, "brought_back", back)
		}
		stopped = c.soft.Err() != nil
		return !stopped, err
	})
	if err != nil || stopped { // the next run starts again
		return err
	}
	if looked > 0 && swept != nil || hidden+back > 0 {
		slog.InfoContext(ctx, "registered URLs checked against the changed configuration", "looked_at", looked, "hidden", hidden, "brought_back", back,
			"elapsed", time.Since(began).Round(10*time.Millisecond))
	}
	return c.store.SetSwept(ctx, c.o.ConfigHash[:])
}

// sweepHost tests the registered URLs of a host against its robots.txt. It runs in the worker that
// requested the file and holds the host's sites: their acknowledgement finds restored URLs. whole is false
// when the crawl was stopped meanwhile.
func (c *crawler) sweepHost(ctx context.Context, u weburl.URL, p *policy) (whole bool, err error) {
	site, err := c.store.RegisterSite(ctx, u.Site, u.Host)
	if err != nil {
		return false, err
	}
	var looked, hidden, back int
	for part := crawl.SiteNew; part < crawl.SiteParts; part++ {
		last := crawl.RegisteredURL{Next: math.MinInt64}
		for {
			known, err := c.store.SiteURLs(ctx, site, part, last, c.start, sweepPage)
			if err != nil {
				return false, err
			}
			if len(known) == 0 {
				break
			}
			last = known[len(known)-1]
			looked += len(known)
			rules, err := c.decideAllWithoutFetch(ctx, c.hostDecisions(known, p))
			if err != nil {
				return false, err
			}
			hidden, back = hidden+rules["T-12"], back+rules["T-15"]
			if c.soft.Err() != nil {
				return false, nil
			}
			if len(known) < sweepPage {
				break
			}
		}
	}
	if hidden+back > 0 {
		slog.InfoContext(ctx, "URLs checked against the changed robots.txt", "host", u.HostInfo, "looked_at", looked, "hidden", hidden, "brought_back", back)
	}
	return true, nil
}

// hostDecisions returns the changes that a host's robots.txt makes to some of its URLs. URLs that the
// configuration refuses are left to its own sweep.
func (c *crawler) hostDecisions(known []crawl.RegisteredURL, p *policy) (list []decision) {
	for _, k := range known {
		if k.Deleted && k.WithdrawnBy != "T-12" {
			continue
		}
		r := c.o.Scope.rule(k.URL, k.Hops)
		if r.refused != "" || k.Deleted && r.canonical.Text != "" {
			continue
		}
		forbidden := p.forbids(r.page.Path)
		if r.server.IgnoreRobots {
			forbidden = ""
		}
		switch {
		case forbidden != "" && !k.Deleted:
			list = append(list, decision{url: k, status: statusRobotsForbidden, cause: forbidden, ruleMatch: r})
		case forbidden == "" && k.Deleted:
			list = append(list, decision{url: k, status: statusAllowedAgain, ruleMatch: r})
		}
	}
	return list
}

// decideAllWithoutFetch records decisions, some at once, the highest ids first (see crawl.Store.KnownURLs),
// and counts them by rule. A decision that no longer fits, because the URL has changed meanwhile, is not
// counted.
func (c *crawler) decideAllWithoutFetch(ctx context.Context, list []decision) (rules map[string]int, err error) {
	slices.SortFunc(list, func(a, b decision) int { return cmp.Compare(b.url.ID, a.url.ID) })
	ruleOf := make([]string, len(list))
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(max(1, c.o.Workers))
	for i, d := range list {
		group.Go(func() (err error) {
			ruleOf[i], err = c.decideWithoutFetch(working, d.url.ID, &d.ruleMatch, &outcome{status: d.status, cause: d.cause, server: d.server})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	rules = make(map[string]int)
	for _, rule := range ruleOf {
		rules[rule]++
	}
	return rules, nil
}

// decideWithoutFetch records an outcome without a fetch: statusConfigForbidden or statusRobotsForbidden
// (T-12), statusAllowedAgain (T-15), statusOrphaned (SR-09), statusPurged (T-18). It is no attempt. The
// rule is empty when the state of the URL no longer fits, for example because it is withdrawn already.
// match is the result of testing the URL, nil when it was not tested.
func (c *crawler) decideWithoutFetch(ctx context.Context, id store.URLID, match *ruleMatch, o *outcome) (rule string, err error) {
	due, err := c.store.Look(ctx, id)
	if err != nil {
		return "", err
	}
	v := &visit{c: c, token: crawl.Token{Run: c.run}, due: &due}
	if match != nil {
		v.ruleMatch = *match
	} else {
		v.ruleMatch = c.o.Scope.rule(due.URL, due.Hops)
	}
	o.due, o.settled, o.opt, o.start = v.due, true, &c.o, c.start
	_, rule, err = v.record(ctx, o)
	return rule, err
}
