package spider

import (
	"context"
	"crypto/md5"
	"errors"
	"log/slog"
	"slices"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// linksHash identifies the rules under which a page's links are read: the configuration and its host's robots.txt (C-04).
func (c *crawler) linksHash(p *policy) []byte {
	robots := p.rules.Hash()
	sum := md5.Sum(append(c.o.ConfigHash[:], robots[:]...))
	return sum[:]
}

// links resolves a page's links, lets pass what belongs to the document set, and registers what is new, due in this run.
// It returns their ids, ascending, without duplicates and without the page itself.
func (c *crawler) links(ctx context.Context, due *crawl.Due, page weburl.URL, doc *document.Document) ([]store.URLID, error) {
	resolver := weburl.NewResolver(page, doc.Base, c.o.MaxURLLength)
	ids := make([]store.URLID, 0, len(doc.Links))
	seen := make(map[store.Hash]bool, len(doc.Links))
	var (
		fresh   []crawl.NewURL
		dropped int
	)
	for i := range doc.Links {
		u, err := resolver.Resolve(doc.Links[i].Href)
		if err != nil {
			dropped++
			continue
		}
		hash := store.HashURL(u.Text)
		if seen[hash] {
			continue
		}
		seen[hash] = true
		// What this process knows has passed the rules already. Only robots.txt is asked again: it may not have been known then.
		if id, ok := c.knownURL(hash); ok {
			if !c.forbids(u) {
				ids = append(ids, id)
			}
			continue
		}
		server := c.admit(u, due.Hops+1)
		if server == nil {
			continue
		}
		site, err := c.store.RegisterSite(ctx, u.Site, u.Host)
		if c.refused(ctx, err, u.Text) {
			dropped++
			continue
		}
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, crawl.NewURL{
			URL: u.Text, Hash: hash, Site: site, Hops: due.Hops + 1, Referrer: due.ID, Tag: server.Tag,
		})
	}
	if dropped > 0 {
		slog.DebugContext(ctx, "links dropped", "url", printable.Log(page.Text), "links", dropped)
		c.counts.dropped.Add(int64(dropped))
	}
	registered, err := c.register(ctx, fresh, due.Site)
	if err != nil {
		return nil, err
	}
	ids = append(ids, registered...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if at, found := slices.BinarySearch(ids, due.ID); found {
		ids = slices.Delete(ids, at, at+1)
	}
	return ids, nil
}

// knownURL is the id of a URL that this process has registered, since it passed the rules. Those that an operator types are registered
// whatever the rules say, so index -T asks these of each link.
func (c *crawler) knownURL(h store.Hash) (store.URLID, bool) {
	if c.realtime != nil {
		return 0, false
	}
	return c.store.KnownURL(h)
}

// linksTo reports whether a document links to a URL, its own.
func linksTo(doc *document.Document, url string) bool {
	page, err := weburl.ParseNormalized(url)
	if err != nil {
		return false
	}
	resolver := weburl.NewResolver(page, doc.Base, 0)
	return slices.ContainsFunc(doc.Links, func(l document.Link) bool {
		u, err := resolver.Resolve(l.Href)
		return err == nil && u.Text == url
	})
}

// admit is the link filter of rules.md 3.5, after the scheme: the Server that rules a URL which passes, nil for one that
// does not. A host's robots.txt is looked at when it is known; a URL of an unknown host is looked at again before its
// fetch.
func (c *crawler) admit(u weburl.URL, hops int) *Server {
	server := c.o.Scope.Server(u)
	if server == nil || hops > server.MaxHops {
		return nil
	}
	if verdict, _ := c.o.Scope.Filter(u); verdict == Disallow {
		return nil
	}
	if c.forbids(u) {
		return nil
	}
	return server
}

// forbids reports whether the robots.txt of a URL's host, as far as it is known, forbids it.
func (c *crawler) forbids(u weburl.URL) bool {
	p := c.robots.known(u)
	if p == nil {
		return false
	}
	allowed, _ := p.rules.Allowed(u.Path)
	return !allowed
}

// register makes rows for new URLs, due in this run, and wakes their sites.
func (c *crawler) register(ctx context.Context, urls []crawl.NewURL, held store.SiteID) ([]store.URLID, error) {
	if len(urls) == 0 {
		return nil, nil
	}
	ids, created, err := c.store.RegisterURLs(ctx, urls, c.foundDue())
	if c.refused(ctx, err, urls[0].URL) {
		all := len(ids)
		ids = slices.DeleteFunc(ids, func(id store.URLID) bool { return id == 0 })
		c.counts.dropped.Add(int64(all - len(ids)))
		err = nil
	}
	if err != nil || created == 0 {
		return ids, err
	}
	c.counts.found.Add(int64(created))
	var sites []store.SiteID
	for i := range urls {
		if s := urls[i].Site; !slices.Contains(sites, s) {
			sites = append(sites, s)
		}
	}
	return ids, c.wake(ctx, sites, held)
}

// refused reports whether err says that the database takes no new URL or site: links that it has not are dropped then, and
// counted; everything else goes on (P8, P9, D-12).
func (c *crawler) refused(ctx context.Context, err error, url string) bool {
	if !errors.Is(err, store.ErrUsedUp) {
		return false
	}
	c.full.Do(func() {
		slog.WarnContext(ctx, "dropping links to new URLs", "url", printable.Log(url), "cause", err)
	})
	return true
}

// foundDue is the next_index_time of what is found in this run: within its threshold.
func (c *crawler) foundDue() int64 {
	if c.o.Respider {
		return crawl.DueReached
	}
	return c.start
}

// wake says that sites have something that is due now. The one that the caller holds needs no waking: its acknowledgement
// looks again.
func (c *crawler) wake(ctx context.Context, sites []store.SiteID, held store.SiteID) error {
	if c.realtime == nil { // index -T holds none
		sites = slices.DeleteFunc(sites, func(s store.SiteID) bool { return s == held })
	}
	if len(sites) == 0 {
		return nil
	}
	slices.Sort(sites)
	if err := c.store.WakeSites(ctx, sites, c.foundDue()); err != nil {
		return err
	}
	c.idle.wake()
	return nil
}

// target registers the target of a redirect and returns its id: 0 when it is filtered, refused or would be the ninth in a row
// (rules.md 4.5, B29). An error means that the Location cannot be used at all (B28).
func (c *crawler) target(ctx context.Context, due *crawl.Due, page weburl.URL, location string) (store.URLID, error) {
	u, err := weburl.NewResolver(page, "", c.o.MaxURLLength).Resolve(location)
	if errors.Is(err, weburl.ErrScheme) || errors.Is(err, weburl.ErrTooLong) {
		return 0, nil // B6, B10: the source keeps its 3xx
	}
	if err != nil {
		return 0, badLocation{err}
	}
	if u.Text == page.Text {
		return due.ID, nil
	}
	hash := store.HashURL(u.Text)
	if id, ok := c.knownURL(hash); ok && !c.forbids(u) {
		return id, nil
	}
	server := c.admit(u, due.Hops+1)
	if server == nil {
		return 0, nil
	}
	before, err := c.store.RedirectsBefore(ctx, due.ID, maxRedirects)
	if err != nil || before >= maxRedirects {
		return 0, err
	}
	site, err := c.store.RegisterSite(ctx, u.Site, u.Host)
	if c.refused(ctx, err, u.Text) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	ids, err := c.register(ctx, []crawl.NewURL{{
		URL: u.Text, Hash: hash, Site: site, Hops: due.Hops + 1, Referrer: due.ID, Tag: server.Tag,
	}}, due.Site)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 8

// badLocation is a Location that is no URL.
type badLocation struct{ err error }

func (b badLocation) Error() string { return "location: " + b.err.Error() }
func (b badLocation) Unwrap() error { return b.err }
