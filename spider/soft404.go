package spider

import (
	"context"
	"hash/maphash"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/endless"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// soft404 recognizes the pages of sites that answer 200 for addresses which do not exist. Nothing is asked of a site until two
// of its pages are equal. Then it is asked for an address that cannot exist (soft404_probe.go), and pages that equal a 200
// for that get status 905.
//
// What it remembers of pages is in the memory of one process and one run, and has a bounded size.
type soft404 struct {
	mu    sync.Mutex
	sites map[store.SiteID]*soft404Site
	pages map[uint64]soft404Page // by site, and by body or text
}

// soft404Site holds the probe of a site. Its lock is held while the site is asked.
type soft404Site struct {
	mu     sync.Mutex
	loaded bool
	probe  *soft404Probe // nil for none
}

// soft404Page is the first page with a body or a text.
type soft404Page struct {
	id    store.URLID
	place uint64 // see placeOf
	crc   string
	fresh bool // it was no document before
}

const maxSoft404Pages = 100_000

func newSoft404(o *Options) *soft404 {
	if !o.Soft404 {
		return nil
	}
	return &soft404{sites: make(map[store.SiteID]*soft404Site), pages: make(map[uint64]soft404Page)}
}

// site returns what is known of a site.
func (s *soft404) site(id store.SiteID) *soft404Site {
	s.mu.Lock()
	defer s.mu.Unlock()
	site := s.sites[id]
	if site == nil {
		if len(s.sites) >= maxPolicies {
			clear(s.sites)
		}
		site = &soft404Site{}
		s.sites[id] = site
	}
	return site
}

// note remembers a page under some keys and returns an earlier one of another place that is equal; ok is false for none.
func (s *soft404) note(page soft404Page, keys ...uint64) (first soft404Page, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pages)+len(keys) > maxSoft404Pages {
		clear(s.pages)
	}
	for _, key := range keys {
		if p, known := s.pages[key]; !known {
			s.pages[key] = page
		} else if p.place != page.place {
			first, ok = p, true
		}
	}
	return first, ok
}

// soft404 reports whether a page is equal to the answer of its site for an address that cannot exist, and makes it a 905.
func (v *visit) soft404(ctx context.Context, o *outcome) (bool, error) {
	s := v.c.soft404
	if s == nil || v.page.IsFile() { // what is no file is not answered
		return false, nil
	}
	text := textOf(o.doc)
	page := soft404Page{id: v.due.ID, place: placeOf(v.page.Text), crc: o.crc, fresh: v.due.Status.Base() != 200}
	salt := uint64(v.due.Site) * 0x9E3779B97F4A7C15
	keys := []uint64{salt ^ hashOf(o.crc)}
	if key, ok := text.key(v.page.Text); ok {
		keys = append(keys, salt+key)
	}
	first, suspicious := s.note(page, keys...)
	if v.isStart() {
		return false, nil
	}
	site := s.site(v.due.Site)
	equal := func(p *soft404Probe) bool { return p.equals(v.page.Text, o.crc, text) }
	if same, err := v.compare(ctx, site, equal, suspicious || v.due.Status.Base() == statusSoft404); !same || err != nil {
		return false, err
	}
	if suspicious && first.fresh && first.id != v.due.ID {
		if err := v.takeBack(ctx, first.id, first.crc); err != nil {
			return false, err
		}
	}
	return v.becomeSoft404(ctx, o, o.crc)
}

// stillSoft404 is soft404 for a document that has not changed. Its text is read only when its size is about that of the answer.
func (v *visit) stillSoft404(ctx context.Context, o *outcome) (bool, error) {
	s := v.c.soft404
	if s == nil || v.page.IsFile() || v.due.Status.Base() != 200 || v.isStart() {
		return false, nil
	}
	var text pageText
	read := false
	var fault error
	equal := func(p *soft404Probe) bool {
		if p.CRC != v.due.CRC && !read {
			read = true
			text, fault = v.storedText(ctx, p.Size)
		}
		return p.equals(v.page.Text, v.due.CRC, text)
	}
	same, err := v.compare(ctx, s.site(v.due.Site), equal, false)
	if err == nil {
		err = fault
	}
	if !same || err != nil {
		return false, err
	}
	return v.becomeSoft404(ctx, o, v.due.CRC)
}

// storedText returns the text of the stored content, none when its size is far from another one.
func (v *visit) storedText(ctx context.Context, near int64) (t pageText, err error) {
	id := v.due.ID
	if v.due.Origin != 0 {
		id = v.due.Origin
	}
	size, err := v.c.store.StoredSize(ctx, id)
	if err != nil || size < 0 || max(size-near, near-size) > 256+near/8 {
		return t, err
	}
	if doc, err := v.storedDocument(ctx); err == nil && doc != nil { // damaged content is told where it is needed
		t = textOf(doc)
	}
	return t, nil
}

// compare reports whether a page equals the answer of its site for an address that cannot exist. The site is asked when there
// is a suspicion, and when the page equals an answer from more than Period ago.
func (v *visit) compare(ctx context.Context, site *soft404Site, equal func(*soft404Probe) bool, suspicious bool) (same bool, err error) {
	site.mu.Lock()
	defer site.mu.Unlock()
	if !site.loaded {
		if site.probe, err = v.loadProbe(ctx); err != nil {
			return false, err
		}
		site.loaded = true
	}
	if p := site.probe; p.found() && equal(p) {
		if p.age() < v.server.Period {
			return true, nil
		}
		suspicious = true
	}
	if !suspicious || site.probe.fresh(v.server.Period) {
		return false, nil
	}
	asked, err := v.askProbe(ctx)
	if err != nil {
		return false, err
	}
	if asked != nil { // else the old answer has to do
		site.probe = asked
	}
	return site.probe.found() && equal(site.probe), nil
}

// becomeSoft404 makes the outcome a 905, unless a start URL redirects to the page.
func (v *visit) becomeSoft404(ctx context.Context, o *outcome, crc string) (bool, error) {
	if leads, err := v.startLeadsHere(ctx); err != nil || leads {
		return false, err
	}
	o.status, o.crc, o.doc, o.fromStore = statusSoft404, crc, nil, false
	o.cause = soft404Cause
	return true, nil
}

const soft404Cause = "the site answers 200 with this page for any address"

// startLeadsHere reports whether a start URL of the host, with or without www, redirects to the page.
func (v *visit) startLeadsHere(ctx context.Context) (bool, error) {
	var near []string
	for i := range v.c.o.Servers {
		if u := &v.c.o.Servers[i].URL; strings.TrimPrefix(u.Host, "www.") == strings.TrimPrefix(v.page.Host, "www.") {
			near = append(near, u.Text)
		}
	}
	return v.c.store.RedirectsFrom(ctx, near, v.due.ID, maxRedirects)
}

// isStart reports whether the page is a start URL, or the root of its site, which exists.
func (v *visit) isStart() bool {
	if v.page.Path == "/" {
		return true
	}
	return slices.ContainsFunc(v.c.o.Scope.bySite[v.page.Site], func(s *Server) bool { return s.URL.Text == v.page.Text })
}

// takeBack makes a page of this run a 905 that was recorded as a document before anything was known.
func (v *visit) takeBack(ctx context.Context, id store.URLID, crc string) error {
	c := v.c
	if c.realtime != nil {
		return nil
	}
	due, err := c.store.Look(ctx, id)
	if err != nil {
		return err
	}
	first := c.newVisit(crawl.Token{Run: c.run}, &due)
	if due.CRC != crc || due.Status.Base() != 200 || first.isStart() {
		return nil
	}
	if leads, err := first.startLeadsHere(ctx); err != nil || leads {
		return err
	}
	o := &outcome{status: statusSoft404, cause: soft404Cause, crc: crc, server: first.server}
	rule, err := c.decideWithoutFetch(ctx, id, &first.ruleMatch, o)
	slog.DebugContext(ctx, "taken back", "url", printable.Log(due.URL), "rule", rule)
	return err
}

// equalTwin asks the site when a page that became a clone, or the original of one, equals a page from before this run.
func (v *visit) equalTwin(ctx context.Context, o *outcome) error {
	s := v.c.soft404
	if s == nil || v.page.IsFile() || o.twin == 0 || v.c.realtime != nil || v.due.Status.Base() == 200 || v.isStart() {
		return nil
	}
	site := s.site(v.due.Site)
	site.mu.Lock()
	known := site.probe.fresh(v.server.Period)
	site.mu.Unlock()
	if known { // the page was compared when it was read
		return nil
	}
	twin, err := v.c.store.Look(ctx, o.twin)
	if err != nil || twin.Site != v.due.Site || placeOf(twin.URL) == placeOf(v.page.Text) {
		return err
	}
	equal := func(p *soft404Probe) bool { return p.CRC == o.crc }
	same, err := v.compare(ctx, site, equal, true)
	if err != nil || !same {
		return err
	}
	return v.takeBack(ctx, v.due.ID, o.crc)
}

// placeOf identifies what a URL names on its site, however it is written: equal pages under "/a", "/A/", "/a/index.html" and
// "/a?b" say nothing about others.
func placeOf(url string) uint64 {
	path := url[endless.PathStart(url):]
	if i := strings.IndexAny(path, "?;"); i >= 0 {
		path = path[:i]
	}
	path = strings.ToLower(path)
	if i := strings.LastIndexByte(path, '/'); strings.HasPrefix(path[i+1:], "index.") || strings.HasPrefix(path[i+1:], "default.") {
		path = path[:i]
	}
	return hashOf(strings.TrimRight(path, "/"))
}

// keySeed makes the hashes of one process differ from those of the next.
var keySeed = maphash.MakeSeed()

// hashOf hashes a text.
func hashOf(s string) uint64 { return maphash.String(keySeed, s) }
