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

// When sitemaps are read. The holder of a lease reads the sitemaps of its batch's sites before it visits the batch's URLs. So only one
// process reads them at a time, and the pauses of the host hold. When the time of the lease is over, the URLs of the batch stay due,
// and the next lease reads the other sitemaps. Each sitemap is recorded by a transaction of its own (sitemapread.go), so a process that
// dies loses one.

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

// sitemapSites has the sites whose sitemaps were read, and until when they are not due again.
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

// lookAtSitemaps reads the due sitemaps of the sites of a batch. It returns false when it leaves some for the next lease: because
// leased returns false, or because the next request to the host has to wait.
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

// look records the list of the site's sitemaps, and reads those that are due.
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

// named returns the sitemaps that robots.txt and sets.cnf name for the site, and the shortest Period of its Servers. There are none
// with Sitemap no, or for a site without a Server line (FollowOutside): one link to such a site would bring all of it.
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

// reach makes the URLs that a sitemap names due in this --respider run.
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
		if err := c.wake(ctx, sites); err != nil {
			return err
		}
		last = ids[len(ids)-1]
	}
}

// sitemapHops is the depth of a URL that only a sitemap names, as if a start page linked to it.
const sitemapHops = 1

// retryAfter returns when to look again after a number of failures in a row.
func (s *siteSitemaps) retryAfter(failures int) time.Duration {
	return min(sitemapRetry<<min(failures, 11), max(sitemapPeriod, sitemapRetry))
}

// failed records that a sitemap cannot be had. It warns the first time.
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
