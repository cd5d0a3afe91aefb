package spider

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// DuplicateHost: URLs of a duplicate host become URLs of the canonical host wherever they enter. One that is registered already stays
// until the page of the canonical host is in the index, so that a host that is no duplicate after all loses nothing.

// Unduplicated returns the URL on the canonical host, the URL itself when its host is no duplicate.
func (s *Scope) Unduplicated(u weburl.URL) weburl.URL {
	if len(s.DuplicateHosts) == 0 || u.IsFile() {
		return u
	}
	host, ok := s.DuplicateHosts[u.Host]
	if !ok {
		return u
	}
	scheme, rest, _ := strings.Cut(u.Text, "://")
	to, err := weburl.Normalize(scheme+"://"+host+strings.TrimPrefix(rest, u.Host), 0)
	if err != nil {
		return u
	}
	return to
}

// matchDuplicate tests a registered URL of a duplicate host by the rules of the URL that replaces it, and by patterns that match itself.
func (s *Scope) matchDuplicate(page, canonical weburl.URL, hops int) ruleMatch {
	r := s.match(canonical, hops)
	if verdict, where := s.Filter(page); verdict == Disallow && r.refused == "" {
		r.refused, r.where = "refused by "+where, where
	}
	r.page, r.canonical = page, canonical
	return r
}

// settleDuplicate refuses a URL of a duplicate host whose page on the canonical host is in the index.
func (c *crawler) settleDuplicate(ctx context.Context, r *ruleMatch) error {
	if r.canonical.Text == "" || r.refused != "" {
		return nil
	}
	live, err := c.store.IsLive(ctx, r.canonical.Text)
	if live {
		r.refused = fmt.Sprintf("its host is a duplicate of %s (DuplicateHost)", r.canonical.Host)
		r.duplicate = true
	}
	return err
}

// visitsDuplicate registers the page of the canonical host before a page of a duplicate host is visited.
func (v *visit) visitsDuplicate(ctx context.Context) error {
	if v.canonical.Text == "" || v.server == nil {
		return nil
	}
	if err := v.c.settleDuplicate(ctx, &v.ruleMatch); err != nil || v.refused != "" {
		return err
	}
	site, err := v.c.store.RegisterSite(ctx, v.canonical.Site, v.canonical.Host)
	if v.c.refused(ctx, err, v.canonical.Text) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = v.register(ctx, []crawl.NewURL{{
		URL: v.canonical.Text, Hash: store.HashURL(v.canonical.Text), Site: site, Hops: v.due.Hops, Referrer: v.due.ID, Tag: v.server.Tag,
	}})
	return err
}
