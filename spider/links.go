package spider

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// links resolves a page's links, applies the link filter, and registers new URLs, due in this run. It
// returns the ids of all that pass, ascending, without duplicates and without the page itself.
func (v *visit) links(ctx context.Context, doc *document.Document) ([]store.URLID, error) {
	c, due := v.c, v.due
	resolver := weburl.NewResolver(v.page, doc.Base, c.o.MaxURLLength)
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
		// What this process knows has passed the rules already. Only robots.txt is asked again: it may not
		// have been known then.
		if id, ok := c.knownURL(hash); ok {
			if !c.forbids(u) {
				ids = append(ids, id)
			}
			continue
		}
		server := v.admit(u)
		if server == nil {
			continue
		}
		found, ok, err := v.newURL(ctx, u, hash, server)
		if err != nil {
			return nil, err
		}
		if !ok {
			dropped++
			continue
		}
		fresh = append(fresh, found)
	}
	if dropped > 0 {
		slog.DebugContext(ctx, "links dropped", "url", printable.Log(v.page.Text), "links", dropped)
		c.counts.dropped.Add(int64(dropped))
	}
	registered, err := v.register(ctx, fresh)
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

// knownURL returns the id of a URL that this process has registered, and which passed the rules then. In
// index -T it returns none: URLs of the command line are registered without a test, so every link is
// tested.
func (c *crawler) knownURL(h store.Hash) (store.URLID, bool) {
	if c.realtime != nil {
		return 0, false
	}
	return c.store.KnownURL(h)
}

// linksToItself reports whether a document of this URL links to the URL.
func (v *visit) linksToItself(doc *document.Document) bool {
	if v.page.Text == "" { // no URL
		return false
	}
	resolver := weburl.NewResolver(v.page, doc.Base, 0)
	return slices.ContainsFunc(doc.Links, func(l document.Link) bool {
		u, err := resolver.Resolve(l.Href)
		return err == nil && u.Text == v.page.Text
	})
}

// admit applies the link filter (docs/reference/behavior.md, Link filter) after the scheme. It returns the
// Server that rules a URL which passes, nil for one that does not. A host's robots.txt is looked at when it
// is known; a URL of an unknown host is looked at again before its fetch.
func (v *visit) admit(u weburl.URL) *Server {
	c := v.c
	server := c.o.Scope.Server(u)
	if server == nil || v.due.Hops+1 > server.MaxHops {
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

// newURL registers the site of a new URL and returns the row to register for the URL. ok is false when the
// database takes no new site.
func (v *visit) newURL(ctx context.Context, u weburl.URL, hash store.Hash, server *Server) (_ crawl.NewURL, ok bool, err error) {
	site, err := v.c.store.RegisterSite(ctx, u.Site, u.Host)
	if v.c.refused(ctx, err, u.Text) {
		return crawl.NewURL{}, false, nil
	}
	return crawl.NewURL{
		URL: u.Text, Hash: hash, Site: site, Hops: v.due.Hops + 1, Referrer: v.due.ID, Tag: server.Tag,
	}, err == nil, err
}

// register registers new URLs, due in this run, and wakes their sites.
func (v *visit) register(ctx context.Context, urls []crawl.NewURL) ([]store.URLID, error) {
	c := v.c
	if len(urls) == 0 {
		return nil, nil
	}
	var admitted []int
	ids, created, err := c.store.RegisterAdmitted(ctx, urls, c.foundDue(), func(places []int) (_ []int, err error) {
		admitted, err = c.admitNew(ctx, urls, places)
		return admitted, err
	})
	c.noteNew(v.page.Text, urls, ids, admitted)
	if c.refused(ctx, err, urls[0].URL) {
		all := len(ids)
		ids = slices.DeleteFunc(ids, func(id store.URLID) bool { return id == 0 })
		c.counts.dropped.Add(int64(all - len(ids)))
		err = nil
	}
	ids = slices.DeleteFunc(ids, func(id store.URLID) bool { return id == 0 }) // not admitted
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
	return ids, c.wake(ctx, sites, v.due.Site)
}

// refused reports whether err says that the database takes no new URL or site. Such links are dropped and
// counted; everything else goes on (P8, P9).
func (c *crawler) refused(ctx context.Context, err error, url string) bool {
	if !errors.Is(err, store.ErrUsedUp) {
		return false
	}
	c.full.Do(func() {
		slog.WarnContext(ctx, "dropping links to new URLs", "url", printable.Log(url), "cause", err)
	})
	return true
}

// follow evaluates a redirect: 303 and 307 count as 302, 308 as 301.
func (v *visit) follow(ctx context.Context, o *outcome) (err error) {
	status := o.status
	switch {
	case status == 308 && v.c.o.ModernRedirects:
		status = 301
	case (status == 303 || status == 307) && v.c.o.ModernRedirects:
		status = 302
	case status > 302:
		return nil // like any other answer
	}
	o.target, err = v.target(ctx, o.answer.Location)
	if bad := (badLocation{}); errors.As(err, &bad) {
		o.status, o.cause = fetch.StatusNoLocation, bad.Error()
		return nil
	}
	o.status = status
	return err
}

// target registers the target of a redirect and returns its id: 0 when the link filter or the database
// rejects it, or when it would be the ninth redirect in a row (B29). An error means that the Location
// cannot be used at all (B28).
func (v *visit) target(ctx context.Context, location string) (store.URLID, error) {
	c, due := v.c, v.due
	u, err := weburl.NewResolver(v.page, "", c.o.MaxURLLength).Resolve(location)
	if errors.Is(err, weburl.ErrScheme) || errors.Is(err, weburl.ErrTooLong) {
		return 0, nil // B6, B10: the source keeps its 3xx
	}
	if err != nil {
		return 0, badLocation{err}
	}
	if u.Text == v.page.Text {
		return due.ID, nil
	}
	hash := store.HashURL(u.Text)
	if id, ok := c.knownURL(hash); ok && !c.forbids(u) {
		return id, nil
	}
	server := v.admit(u)
	if server == nil {
		return 0, nil
	}
	before, err := c.store.RedirectsBefore(ctx, due.ID, maxRedirects)
	if err != nil || before >= maxRedirects {
		return 0, err
	}
	found, ok, err := v.newURL(ctx, u, hash, server)
	if err != nil || !ok {
		return 0, err
	}
	ids, err := v.register(ctx, []crawl.NewURL{found})
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
