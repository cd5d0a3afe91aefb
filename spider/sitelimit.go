package spider

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// MaxURLsPerServer: the URLs of a site are counted in the database when the first new one of a run is found, and from
// then on in memory. Other processes register URLs of the site, too, so the count is repeated now and then.

// recountAfter is the least time between two counts of a site's URLs. A count that takes long is repeated
// less often: recountCost times its duration passes first.
const (
	recountAfter = 10 * time.Second
	recountCost  = 100
)

// nearlyFull is the part of the limit, in percent, at which an operator is told.
const nearlyFull = 80

// siteLimits counts the URLs of the sites that have a limit.
type siteLimits struct {
	count func(context.Context, store.SiteID) (int, error)

	mu    sync.Mutex
	sites map[store.SiteID]*siteURLs
}

// siteURLs is the number of registered URLs of one site.
type siteURLs struct {
	mu     sync.Mutex
	urls   int
	next   time.Time // of the next count in the database
	warned int       // percent of the limit that an operator was told of
}

func newSiteLimits(s *crawl.Store) *siteLimits {
	return &siteLimits{count: s.CountSiteURLs, sites: make(map[store.SiteID]*siteURLs)}
}

// admit returns how many of n new URLs of a site may be registered, and counts them as registered.
func (l *siteLimits) admit(ctx context.Context, site store.SiteID, server *Server, url string, n int) (int, error) {
	l.mu.Lock()
	s := l.sites[site]
	if s == nil {
		s = &siteURLs{}
		l.sites[site] = s
	}
	l.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := server.MaxURLs
	if began := time.Now(); began.After(s.next) {
		urls, err := l.count(ctx, site)
		if err != nil {
			return 0, err
		}
		if s.next.IsZero() && urls < limit && urls*100 >= nearlyFull*limit {
			s.warned = nearlyFull // it was told in an earlier run
		}
		s.urls = urls
		s.next = time.Now().Add(max(recountAfter, recountCost*time.Since(began)))
	}
	admitted := max(0, min(n, limit-s.urls))
	s.urls += admitted
	switch {
	case admitted < n && s.warned < 100:
		s.warned = 100
		slog.WarnContext(ctx, "the site has as many URLs as MaxURLsPerServer allows; links to more are counted as over_limit and not stored",
			"url", printable.Log(url), "limit", limit, "line", server.Where)
	case s.urls*100 >= nearlyFull*limit && s.warned < nearlyFull:
		s.warned = nearlyFull
		slog.WarnContext(ctx, "the site has 80 % of the URLs that MaxURLsPerServer allows; view url_patterns shows what they are",
			"url", printable.Log(url), "urls", s.urls, "limit", limit, "line", server.Where)
	}
	return admitted, nil
}
