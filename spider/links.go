package spider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// foundLinks are the links of a page that pass the filter.
type foundLinks struct {
	ids     []store.URLID // of URLs that this process knows
	others  []otherLink   // registered or not
	deep    []crawl.DeepLink
	dropped int // links that are no URLs for us
}

// otherLink is a link that passes, whether it is registered or not.
type otherLink struct {
	url    weburl.URL
	hash   store.Hash
	server *Server
}

// links applies the link filter to a page's links and registers new URLs, due in this run. It returns the ids of all that
// pass, ascending, without duplicates and without the page itself.
func (v *visit) links(ctx context.Context, doc *document.Document) ([]store.URLID, error) {
	return v.registerLinks(ctx, v.filterLinks(doc))
}

// filterLinks resolves a page's links and applies the link filter.
func (v *visit) filterLinks(doc *document.Document) (found foundLinks) {
	c := v.c
	list := references(doc)
	resolver := weburl.NewResolverIn(v.page, doc.Base, doc.Charset, c.o.MaxURLLength)
	seen := make(map[store.Hash]bool, len(list))
	for i := range list {
		u, err := resolver.Resolve(list[i].Href)
		if err == nil {
			u, err = v.replaced(u)
		}
		if err != nil {
			found.dropped++
			continue
		}
		hash := store.HashURL(u.Text)
		if seen[hash] || v.reorders(u) {
			continue
		}
		seen[hash] = true
		if id, ok := v.passed(u, hash); ok {
			found.ids = append(found.ids, id)
			continue
		}
		switch server, deep := v.admit(u); {
		case server == nil:
		case deep:
			found.deep = append(found.deep, crawl.DeepLink{Hash: hash, MaxHops: server.MaxHops})
		default:
			found.others = append(found.others, otherLink{u, hash, server})
		}
	}
	return found
}

// references returns the links of a document, and its META refresh when that is no redirect.
func references(doc *document.Document) []document.Link {
	if doc.Refresh == "" || doc.RefreshAfter <= maxRefresh {
		return doc.Links
	}
	return append(doc.Links[:len(doc.Links):len(doc.Links)], document.Link{Href: doc.Refresh, Tag: "meta"})
}

// pageLinks are the links of a page that pass the filter, on their way to the database.
type pageLinks struct {
	v     *visit
	found foundLinks
	ids   []store.URLID // the result: those of all links, ascending, without duplicates and without the page itself
}

// registerLinks registers those of a page's links that are new, and returns the ids of all.
func (v *visit) registerLinks(ctx context.Context, found foundLinks) ([]store.URLID, error) {
	page := &pageLinks{v: v, found: found}
	err := v.c.registerLinks(ctx, []*pageLinks{page})
	return page.ids, err
}

// registerLinks registers the new URLs of some pages together, due in this run, wakes their sites, and sets the ids of each page.
func (c *crawler) registerLinks(ctx context.Context, pages []*pageLinks) error {
	var n newURLs
	for _, p := range pages {
		if err := n.add(ctx, p); err != nil {
			return err
		}
	}
	if err := c.registerNew(ctx, &n); err != nil {
		return err
	}
	for k, p := range pages {
		p.ids = make([]store.URLID, 0, len(p.found.ids)+len(p.found.others)) // never nil: no links are not the links of before
		p.ids = append(p.ids, p.found.ids...)
		for _, at := range n.places[k] {
			if id := n.ids[at]; id != 0 { // else it was not admitted
				p.ids = append(p.ids, id)
			}
		}
		slices.Sort(p.ids)
		p.ids = slices.Compact(p.ids)
		if at, found := slices.BinarySearch(p.ids, p.v.due.ID); found {
			p.ids = slices.Delete(p.ids, at, at+1)
		}
	}
	return nil
}

// newURLs are the URLs of some pages that may be new. A URL that several pages name belongs to the first one.
type newURLs struct {
	urls   []crawl.NewURL
	owners []*visit // by URL
	ids    []store.URLID
	places [][]int // by page: where its URLs are
	byHash map[store.Hash]int
}

// add adds the links of a page.
func (n *newURLs) add(ctx context.Context, p *pageLinks) error {
	v := p.v
	nearer, err := v.c.store.Nearer(ctx, p.found.deep)
	if err != nil {
		return err
	}
	p.found.ids = append(p.found.ids, nearer...)
	if n.byHash == nil {
		n.byHash = make(map[store.Hash]int)
	}
	var places []int
	for _, l := range p.found.others {
		at, known := n.byHash[l.hash]
		if !known {
			u, ok, err := v.newURL(ctx, l.url, l.hash, l.server)
			if err != nil {
				return err
			}
			if !ok {
				p.found.dropped++
				continue
			}
			at = len(n.urls)
			n.byHash[l.hash], n.urls, n.owners = at, append(n.urls, u), append(n.owners, v)
		}
		places = append(places, at)
	}
	n.places = append(n.places, places)
	if p.found.dropped > 0 {
		slog.DebugContext(ctx, "links dropped", "url", printable.Log(v.page.Text), "links", p.found.dropped)
		v.c.counts.dropped.Add(int64(p.found.dropped))
		p.found.dropped = 0
	}
	return nil
}

// linksToItself reports whether a document of this URL links to the URL.
func (v *visit) linksToItself(doc *document.Document) bool {
	if v.page.Text == "" { // no URL
		return false
	}
	list := references(doc)
	resolver := weburl.NewResolverIn(v.page, doc.Base, doc.Charset, 0)
	return slices.ContainsFunc(list, func(l document.Link) bool {
		u, err := resolver.Resolve(l.Href)
		if err == nil {
			u, err = v.replaced(u)
		}
		return err == nil && u.Text == v.page.Text
	})
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

// register registers new URLs that a visit found, due in this run, and wakes their sites. Those that are not admitted have no id.
func (v *visit) register(ctx context.Context, urls []crawl.NewURL) ([]store.URLID, error) {
	n := newURLs{urls: urls, owners: make([]*visit, len(urls))}
	for i := range n.owners {
		n.owners[i] = v
	}
	err := v.c.registerNew(ctx, &n)
	return slices.DeleteFunc(n.ids, func(id store.URLID) bool { return id == 0 }), err
}

// registerNew registers URLs, due in this run, wakes their sites, and sets their ids.
func (c *crawler) registerNew(ctx context.Context, n *newURLs) (err error) {
	if len(n.urls) == 0 {
		return nil
	}
	var admitted []int
	var created int
	n.ids, created, err = c.store.RegisterAdmitted(ctx, n.urls, c.foundDue(), func(places []int) (_ []int, err error) {
		admitted, err = c.admitNew(ctx, n.urls, places)
		return admitted, err
	})
	if c.refused(ctx, err, n.urls[0].URL) {
		for _, id := range n.ids {
			if id == 0 {
				c.counts.dropped.Add(1)
			}
		}
		err = nil
	}
	if err != nil {
		return err
	}
	c.noteNew(n, admitted)
	if created == 0 {
		return nil
	}
	c.counts.found.Add(int64(created))
	sites := make([]store.SiteID, len(n.urls))
	for i := range n.urls {
		sites[i] = n.urls[i].Site
	}
	return c.wake(ctx, sites)
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
	o.target, o.cause, err = v.target(ctx, o.answer.Location)
	if bad := (badLocation{}); errors.As(err, &bad) {
		o.status, o.cause = fetch.StatusNoLocation, bad.Error()
		return nil
	}
	o.status = status
	return err
}

// target registers the target of a redirect and returns its id: 0 when the link filter or the database
// rejects it, or when it would be the ninth redirect in a row (B29). refused is the target that is not
// followed, and why: "to URL: reason". An error means that the Location cannot be used at all (B28).
func (v *visit) target(ctx context.Context, location string) (id store.URLID, refused string, err error) {
	c, due := v.c, v.due
	u, err := weburl.NewResolver(v.page, "", c.o.MaxURLLength).Resolve(location)
	if errors.Is(err, weburl.ErrScheme) || errors.Is(err, weburl.ErrTooLong) {
		return 0, notFollowed(fetch.ValidText(location, c.o.MaxURLLength), err.Error()), nil // B6, B10: the source keeps its 3xx
	}
	if err != nil {
		return 0, "", badLocation{err}
	}
	if u.Text == v.page.Text {
		return due.ID, "", nil
	}
	u = v.replacedTarget(u)
	hash := store.HashURL(u.Text)
	if id, ok := v.passed(u, hash); ok {
		return id, "", nil
	}
	server, deep := v.admit(u)
	if server == nil {
		return 0, notFollowed(u.Text, v.refusal(u)), nil
	}
	if deep {
		ids, err := c.store.Nearer(ctx, []crawl.DeepLink{{Hash: hash, MaxHops: server.MaxHops}})
		if err != nil || len(ids) == 0 {
			return 0, notFollowed(u.Text, v.refusal(u)), err
		}
		return ids[0], "", nil
	}
	before, err := c.store.RedirectsBefore(ctx, due.ID, maxRedirects)
	if err != nil || before >= maxRedirects {
		return 0, notFollowed(u.Text, fmt.Sprintf("more than %d redirects in a row", maxRedirects)), err
	}
	found, ok, err := v.newURL(ctx, u, hash, server)
	if err != nil || !ok {
		return 0, notFollowed(u.Text, "the database takes no new site"), err
	}
	ids, err := v.register(ctx, []crawl.NewURL{found})
	if err != nil || len(ids) == 0 {
		return 0, notFollowed(u.Text, "the database takes no new URL"), err
	}
	return ids[0], "", nil
}

// notFollowed is the cause of a redirect that leads nowhere. The end of a run and --explain read the target from it.
func notFollowed(to, why string) string { return redirectsTo + to + ": " + why }

// redirectsTo is the beginning of such a cause.
const redirectsTo = "redirects to "

// RefusedTarget returns the target of a redirect that was not followed, and why, from the cause in crawl_history. ok is false for
// another cause.
func RefusedTarget(cause string) (to, why string, ok bool) {
	rest, ok := strings.CutPrefix(cause, redirectsTo)
	if !ok {
		return "", "", false
	}
	to, why, _ = strings.Cut(rest, ": ")
	return to, why, true
}

// refusal returns which rule refuses a URL that admit does not let pass.
func (v *visit) refusal(u weburl.URL) string {
	if r := v.c.o.Scope.match(u, v.due.Hops+1); r.refused != "" {
		return r.refused
	}
	if v.c.o.Scope.Skips(u) {
		return Skipped
	}
	if p := v.c.robots.known(u); p != nil {
		return p.forbids(u.Path)
	}
	return "a rule refuses it"
}

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 8

// badLocation is a Location that is no URL.
type badLocation struct{ err error }

func (b badLocation) Error() string { return "location: " + b.err.Error() }
func (b badLocation) Unwrap() error { return b.err }
