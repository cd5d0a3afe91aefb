package spider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/sitemap"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// sitemapBatch is how many entries are registered at once.
const sitemapBatch = 1000

// tooNew is the age below which a date does not count: a sitemap that is made for each request may date everything at that moment.
// At the next reading the date is older, and the page becomes due by it.
const tooNew = time.Minute

// sitemapEntries accepts or refuses the entries of one sitemap, and registers those that it accepts.
type sitemapEntries struct {
	s     *siteSitemaps
	m     *crawl.Sitemap
	hosts [2]string // of the site that names the sitemap, and of the sitemap

	urls  []crawl.NewURL   // not registered yet
	dates []time.Time      // theirs
	known []crawl.DeepLink // URLs that pass only if they are registered already
	first string           // of them
	ids   []store.URLID
	parts []crawl.SitemapPart

	named, refused int
	refusals       refusals
}

func newSitemapEntries(s *siteSitemaps, m *crawl.Sitemap, at weburl.URL) *sitemapEntries {
	return &sitemapEntries{s: s, m: m, hosts: [2]string{s.page.Host, at.Host}, refusals: make(refusals)}
}

// add takes an entry.
func (e *sitemapEntries) add(ctx context.Context, kind sitemap.Kind, entry sitemap.Entry) error {
	u, err := weburl.Normalize(entry.URL, e.s.c.o.MaxURLLength)
	if err == nil {
		u, err = e.s.c.o.Scope.Manners(e.s.page).replaced(u, e.s.c.o.MaxURLLength)
	}
	if err == nil {
		u = e.s.c.o.Scope.Unduplicated(u)
	}
	switch {
	case entry.URL == "":
		e.refuse("", "no URL")
	case err != nil:
		why, _, _ := strings.Cut(err.Error(), ":")
		e.refuse(entry.URL, why)
	case !slices.Contains(e.hosts[:], u.Host):
		e.refuse(u.Text, "another host")
	case kind == sitemap.Index && e.m.NamedIn == "":
		e.refuse(u.Text, "an index file that an index file names")
	case kind == sitemap.Index:
		e.named++
		e.parts = append(e.parts, crawl.SitemapPart{URL: u.Text, LastMod: entry.LastMod})
	default:
		return e.page(ctx, u, entry.LastMod)
	}
	return nil
}

// page takes the URL of a page.
func (e *sitemapEntries) page(ctx context.Context, u weburl.URL, modified time.Time) error {
	c := e.s.c
	match := c.o.Scope.match(u, sitemapHops)
	switch {
	case match.refused != "":
		e.refuse(u.Text, match.refused)
		return nil
	case c.o.Scope.Skips(u):
		e.refuse(u.Text, Skipped)
		return nil
	case match.server.NoSitemaps:
		e.refuse(u.Text, "Sitemap no of "+match.server.Where)
		return nil
	case u.HostInfo == e.s.page.HostInfo && !e.s.policy.held:
		if cause := e.s.policy.forbids(u.Path); cause != "" {
			e.refuse(u.Text, cause)
			return nil
		}
	}
	if c.o.Scope.Skips(u) {
		if len(e.known) == 0 {
			e.first = u.Text
		}
		e.known = append(e.known, crawl.DeepLink{Hash: store.HashURL(u.Text), MaxHops: match.server.MaxHops})
		if len(e.known) == sitemapBatch {
			return e.flushKnown(ctx)
		}
		return nil
	}
	site, err := c.store.RegisterSite(ctx, u.Site, u.Host)
	if c.refused(ctx, err, u.Text) {
		e.refuse(u.Text, "the database takes no new site")
		return nil
	}
	if err != nil {
		return err
	}
	e.urls = append(e.urls, crawl.NewURL{URL: u.Text, Hash: store.HashURL(u.Text), Site: site, Hops: sitemapHops, Tag: match.server.Tag})
	e.dates = append(e.dates, modified)
	if len(e.urls) == sitemapBatch {
		return e.flush(ctx)
	}
	return nil
}

// flushKnown accepts URLs with an extension of SkipExtensions if they are registered already.
func (e *sitemapEntries) flushKnown(ctx context.Context) error {
	ids, err := e.s.c.store.Nearer(ctx, e.known)
	if err != nil {
		return err
	}
	e.named += len(ids)
	e.ids = append(e.ids, ids...)
	for range len(e.known) - len(ids) {
		e.refuse(e.first, Skipped)
	}
	e.known = e.known[:0]
	return nil
}

// flush registers the collected URLs as due in this run. It makes known URLs due that were modified after their last visit.
func (e *sitemapEntries) flush(ctx context.Context) error {
	c := e.s.c
	if len(e.urls) == 0 {
		return nil
	}
	ids, created, err := c.store.RegisterAdmitted(ctx, e.urls, c.foundDue(), func(places []int) ([]int, error) {
		return c.admitNew(ctx, e.urls, places)
	})
	if err != nil && !c.refused(ctx, err, e.urls[0].URL) {
		return err
	}
	c.counts.found.Add(int64(created))
	sites := make(map[store.SiteID]bool)
	var modified []crawl.ModifiedURL
	for i, id := range ids {
		if id == 0 {
			e.refuse(e.urls[i].URL, e.notAdmitted(e.urls[i].URL, err))
			continue
		}
		e.named++
		e.ids = append(e.ids, id)
		sites[e.urls[i].Site] = true
		if at := e.dates[i]; !at.IsZero() && !c.o.Respider && at.Before(c.now().Add(-tooNew)) {
			modified = append(modified, crawl.ModifiedURL{ID: id, At: at})
		}
	}
	again, err := c.store.Modified(ctx, modified, c.foundDue())
	if err != nil {
		return err
	}
	e.urls, e.dates = e.urls[:0], e.dates[:0]
	if created == 0 && len(again) == 0 {
		return nil
	}
	return c.wake(ctx, slices.Collect(maps.Keys(sites)))
}

// notAdmitted returns why a URL that passes the rules was not registered.
func (e *sitemapEntries) notAdmitted(url string, err error) string {
	switch {
	case err != nil:
		return "the database takes no new URL"
	case e.s.c.patterns.of(url) != "":
		return "its pattern is paused"
	}
	return "MaxURLsPerServer"
}

// refuse counts an entry that is not accepted.
func (e *sitemapEntries) refuse(url, why string) {
	e.refused++
	e.refusals.add(fetch.ValidText(url, maxExample), why)
}

const (
	maxReasons = 20  // that are told apart
	maxExample = 200 // bytes of a URL
)

// refusals counts entries by the reason why they were refused.
type refusals map[string]*refusedEntries

type refusedEntries struct {
	n     int
	first string // URL
}

func (r refusals) add(url, why string) {
	if r[why] == nil && len(r) >= maxReasons {
		why = "other reasons"
	}
	if r[why] == nil {
		r[why] = &refusedEntries{first: url}
	}
	r[why].n++
}

// String is "2 another host (http://h/a), 1 refused by sets.cnf:3 (http://h/b)", the most frequent first.
func (r refusals) String() string {
	reasons := slices.SortedFunc(maps.Keys(r), func(a, b string) int { return cmp.Or(cmp.Compare(r[b].n, r[a].n), cmp.Compare(a, b)) })
	for i, why := range reasons {
		reasons[i] = strings.TrimSuffix(fmt.Sprintf("%d %s (%s)", r[why].n, why, r[why].first), " ()")
	}
	return strings.Join(reasons, ", ")
}
