package spider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/sitemap"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/failpoint"
)

// sitemapRedirects is how many redirects of a sitemap are followed.
const sitemapRedirects = 5

// read requests a sitemap and records the URLs that it names. When the site's host takes no request now, the error is errHostPaused
// and nothing is recorded.
func (s *siteSitemaps) read(ctx context.Context, m *crawl.Sitemap) error {
	at, err := weburl.ParseNormalized(m.URL)
	if err != nil {
		return s.failed(ctx, m, fetch.StatusNoLocation, err.Error())
	}
	body, err := spool()
	if err != nil {
		return s.failed(ctx, m, 0, "temporary file: "+err.Error())
	}
	defer func() { _ = body.Close() }() // it has no name any more
	a, err := s.ask(ctx, at, m, body)
	if errors.Is(err, errHostPaused) && at.Host != s.page.Host {
		return s.failed(ctx, m, fetch.StatusReadTimeout, at.Host+": "+err.Error())
	}
	if err != nil {
		return err
	}
	s.c.counts.sitemaps.Add(1)
	switch {
	case body.err != nil:
		return s.failed(ctx, m, a.Status, "temporary file: "+body.err.Error())
	case a.Status == 200:
		return s.record(ctx, m, at, a, body)
	case a.Status == 304:
		return s.c.store.SitemapUnchanged(ctx, m.ID, s.period)
	}
	return s.failed(ctx, m, a.Status, a.Cause)
}

// ask requests a sitemap and follows its redirects. What robots.txt forbids is 900, without a request.
func (s *siteSitemaps) ask(ctx context.Context, at weburl.URL, m *crawl.Sitemap, to io.Writer) (*fetch.Answer, error) {
	c := s.c
	for n := 0; ; n++ {
		p, err := c.robots.policy(ctx, at)
		if err != nil {
			return nil, err
		}
		if p.deferred {
			status, cause := p.unavailable()
			return &fetch.Answer{Status: status, Cause: cause}, nil
		}
		if cause := p.forbids(at.Path); cause != "" {
			return &fetch.Answer{Status: statusRobotsForbidden, Cause: cause}, nil
		}
		r := fetch.Request{URL: at.Text, Method: "GET", Save: to, SaveLimit: sitemap.MaxBytes + 1}
		if !c.o.Forced {
			r.ETag, r.LastModified = m.ETag, m.LastModified
		}
		server := c.o.Scope.Manners(at)
		if server != nil {
			r.Auth = server.Auth
		}
		a, said := c.fetch(ctx, at, server, r)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case said == notAsked:
			return nil, errHostPaused
		case a.Status < 300 || a.Status > 399 || a.Status == 304 || a.Location == "":
			return a, nil
		case n == sitemapRedirects:
			a.Cause = fmt.Sprintf("more than %d redirects in a row", n)
			return a, nil
		}
		if at, err = weburl.NewResolver(at, "", c.o.MaxURLLength).Resolve(a.Location); err != nil {
			a.Cause = "redirects to " + fetch.ValidText(a.Location, c.o.MaxURLLength) + ": " + err.Error()
			return a, nil
		}
	}
}

// record reads a fetched sitemap, registers the URLs that it names, and records the sitemap and these URLs.
func (s *siteSitemaps) record(ctx context.Context, m *crawl.Sitemap, at weburl.URL, a *fetch.Answer, body *spooled) error {
	c := s.c
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	e := newSitemapEntries(s, m, at)
	read, err := sitemap.Read(body, func(kind sitemap.Kind, entry sitemap.Entry) error { return e.add(ctx, kind, entry) })
	bad := (*sitemap.Error)(nil)
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	if err := e.flush(ctx); err != nil {
		return err
	}
	if err := e.flushKnown(ctx); err != nil {
		return err
	}
	if err := failpoint.Hit("sitemap.before-save"); err != nil {
		return err
	}
	r := crawl.SitemapRead{
		ID: m.ID, Site: s.site, Kind: string(read.Kind), Whole: bad == nil, Rules: s.rules, Entries: read.Entries,
		Named: e.named, Refused: e.refused, Refusals: e.refusals.String(), URLs: e.ids, Parts: e.parts, Next: s.period,
	}
	c.counts.sitemapEntries.Add(int64(read.Entries))
	c.counts.sitemapRefused.Add(int64(e.refused))
	attributes := []any{"url", printable.Log(m.URL), "entries", read.Entries, "refused", e.refused}
	switch {
	case bad != nil:
		c.counts.sitemapsFailed.Add(1)
		r.Error, r.Line, r.Next = bad.Reason, bad.Line, s.retryAfter(m.Failures)
		slog.WarnContext(ctx, "the sitemap is broken; what precedes the error and what its last good version named count",
			append(attributes, "line", bad.Line, "cause", printable.Log(bad.Reason))...)
	case read.More:
		r.Error = fmt.Sprintf("more than %d entries, the limit of the protocol", sitemap.MaxEntries)
		slog.WarnContext(ctx, "the sitemap has more than 50000 entries; the rest is not read: it belongs into further sitemaps and an index file",
			attributes...)
	default:
		r.ETag, r.LastModified = a.ETag, a.LastModified
		slog.DebugContext(ctx, "sitemap read", append(attributes, "why", printable.Log(r.Refusals))...)
	}
	return c.store.SaveSitemap(ctx, r)
}

// spooled is a temporary file without a name. It disappears with the process.
type spooled struct {
	*os.File
	err error // of writing
}

func spool() (*spooled, error) {
	f, err := os.CreateTemp("", "pgseek-sitemap-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // the other error says why
		return nil, err
	}
	return &spooled{File: f}, nil
}

// Write implements io.Writer.
func (s *spooled) Write(p []byte) (int, error) {
	n, err := s.File.Write(p)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n, err
}
