package spider

import (
	"cmp"
	"context"
	"crypto/md5"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Sitemaps: when they are looked at. The holder of a lease looks at the sitemaps of the sites of its batch before it visits the
// batch's URLs, so only one process does at a time, and the pauses of the host hold. What remains when the lease's time is over
// is done with the next lease: until then no URL of the batch is visited, so that they stay due. Each sitemap is recorded by a
// transaction of its own (sitemapread.go), so a process that dies loses one.

const (
	sitemapPeriod = 24 * time.Hour // between two looks at a sitemap, or the Period of its site, if that is shorter
	sitemapRetry  = time.Minute    // after the first failure; doubled by each further one, up to sitemapPeriod
	sitemapQuiet  = time.Hour      // after all sitemaps of a site were looked at, until a long run asks for due ones again
	sitemapPage   = 100            // rows read at once
	reachPage     = 5000           // URLs made due at once
)

// Sitemap is a Sitemap line of sets.cnf.
type Sitemap struct {
	URL   weburl.URL
	Where string // file:line
}

// sitemapSites are the sites whose sitemaps were looked at, and until when that holds.
type sitemapSites struct {
	mu    sync.Mutex
	until map[store.SiteID]time.Time
}

func (s *sitemapSites) quiet(site store.SiteID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.until[site])
}

// maxQuietSites bounds the memory; beyond it all are forgotten.
const maxQuietSites = 100_000

func (s *sitemapSites) done(site store.SiteID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until == nil || len(s.until) > maxQuietSites {
		s.until = make(map[store.SiteID]time.Time)
	}
	s.until[site] = time.Now().Add(sitemapQuiet)
}

// siteSitemaps looks at the sitemaps of one site.
type siteSitemaps struct {
	c      *crawler
	site   store.SiteID
	page   weburl.URL // any URL of the site
	policy *policy    // of its robots.txt
	rules  []byte     // hash of what decides which entries are accepted
	period time.Duration
}

// lookAtSitemaps looks at the sitemaps of the sites of a batch that are due. It returns false when some are left for the next
// lease, because leased no longer returns true, or because the next request to the host may not be sent soon.
func (c *crawler) lookAtSitemaps(ctx context.Context, host string, visits []*visit, leased func() bool) (done bool, err error) {
	asked := 0
	open := func() bool {
		asked++
		return leased() && (asked == 1 || !c.polite.stays(host))
	}
	for _, v := range visits {
		if v.refused != "" || c.sitemapSites.quiet(v.due.Site) || v.pausedBy() != "" { // robots.txt is not asked for these
			continue
		}
		if !strings.HasPrefix(v.page.Site, "http") {
			continue
		}
		p, err := c.robots.policy(ctx, v.page)
		if errors.Is(err, errHostPaused) {
			return true, nil // so are the visits
		}
		if err != nil {
			return false, err
		}
		if !p.deferred { // nothing is fetched from this host
			s := siteSitemaps{c: c, site: v.due.Site, page: v.page, policy: p, rules: c.sitemapRules(p)}
			if done, err = s.look(ctx, open); err != nil || !done {
				return done, err
			}
		}
		c.sitemapSites.done(v.due.Site)
	}
	return true, nil
}

// sitemapRules returns the hash of what decides which entries are accepted.
func (c *crawler) sitemapRules(p *policy) []byte {
	robots := p.rules.Hash()
	sum := md5.Sum(slices.Concat(c.o.ConfigHash[:], robots[:]))
	return sum[:]
}

// look records which sitemaps the site has, and looks at those that are due.
func (s *siteSitemaps) look(ctx context.Context, open func() bool) (done bool, err error) {
	c := s.c
	named, period := s.named(ctx)
	s.period = min(period, sitemapPeriod)
	if err := c.store.NameSitemaps(ctx, s.site, named); err != nil || len(named) == 0 {
		return true, err
	}
	request := crawl.SitemapsRequest{
		Site: s.site, Run: c.run, Start: c.start, All: c.o.All || c.o.Forced || c.o.Respider, Respider: c.o.Respider, Rules: s.rules,
		Limit: sitemapPage,
	}
	for {
		list, err := c.store.DueSitemaps(ctx, request)
		if err != nil || len(list) == 0 {
			return true, err
		}
		for i := range list {
			if m := &list[i]; m.Due {
				if !open() {
					return false, nil
				}
				err := s.read(ctx, m)
				if errors.Is(err, errHostPaused) {
					return false, nil
				}
				if err != nil {
					return false, err
				}
			}
			if request.Respider {
				if err := s.reach(ctx, list[i].ID); err != nil {
					return false, err
				}
			}
		}
	}
}

// named returns the sitemaps that robots.txt and sets.cnf name for the site, and the shortest Period of its Servers. With
// Sitemap no there are none, and neither are there of a site without a Server line (FollowOutside): one link to a site would bring
// all of it.
func (s *siteSitemaps) named(ctx context.Context) (list []crawl.NamedSitemap, period time.Duration) {
	c := s.c
	known := make(map[string]bool)
	add := func(url, in string) {
		if !known[url] {
			known[url] = true
			list = append(list, crawl.NamedSitemap{URL: url, In: in})
		}
	}
	wanted := false
	for _, server := range c.o.Scope.bySite[s.page.Site] {
		if server.NoSitemaps {
			continue
		}
		if !wanted || server.Period < period {
			period = server.Period
		}
		wanted = true
		for _, m := range server.Sitemaps {
			add(m.URL.Text, m.Where)
		}
	}
	if !wanted {
		return nil, 0
	}
	resolver := weburl.NewResolver(s.page, "", c.o.MaxURLLength)
	for _, line := range s.policy.rules.Sitemaps() {
		u, err := resolver.Resolve(line)
		if err != nil {
			slog.WarnContext(ctx, "robots.txt names a sitemap that is no URL", "site", s.page.Site, "sitemap", printable.Log(line), "cause", err)
			continue
		}
		add(u.Text, "robots.txt")
	}
	return list, period
}

// reach makes what a sitemap names due in this --respider run.
func (s *siteSitemaps) reach(ctx context.Context, id int32) error {
	c := s.c
	for last := store.URLID(0); ; {
		ids, err := c.store.NamedURLs(ctx, crawl.Source{Kind: crawl.BySitemap, ID: id}, last, reachPage)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return c.store.ReachedSitemap(ctx, id, c.run)
		}
		sites, err := c.store.Reach(ctx, c.run, 0, sitemapHops, ids)
		if err != nil {
			return err
		}
		slices.Sort(sites)
		if err := c.wake(ctx, slices.Compact(sites), s.site); err != nil {
			return err
		}
		last = ids[len(ids)-1]
	}
}

// sitemapHops is the depth of a URL that only a sitemap names: that of a page to which a start page links.
const sitemapHops = 1

// retryAfter returns when to look again after a number of failures in a row.
func (s *siteSitemaps) retryAfter(failures int) time.Duration {
	return min(sitemapRetry<<min(failures, 11), max(sitemapPeriod, sitemapRetry))
}

// failed records that a sitemap cannot be had. The first time it is a warning.
func (s *siteSitemaps) failed(ctx context.Context, m *crawl.Sitemap, status int, cause string) error {
	level := slog.LevelInfo
	if m.Failures == 0 {
		level = slog.LevelWarn
	}
	s.c.counts.sitemapsFailed.Add(1)
	slog.Log(ctx, level, "sitemap cannot be had; what its last good version named stays", "url", printable.Log(m.URL), "status", status,
		"cause", printable.Log(cause), "named_in", cmp.Or(m.NamedIn, "an index file"))
	return s.c.store.SitemapFailed(ctx, m.ID, status, cause, s.retryAfter(m.Failures))
}
