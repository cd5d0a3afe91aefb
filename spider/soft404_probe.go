package spider

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/endless"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
)

// soft404Probe is the answer of a site for an address that cannot exist.
type soft404Probe struct {
	crawl.Soft404Probe
	text pageText
	at   time.Time // when it was that old
}

// found reports whether the site says that the address exists.
func (p *soft404Probe) found() bool { return p != nil && p.Status == 200 }

// fresh reports whether the answer is known and need not be asked for again.
func (p *soft404Probe) fresh(period time.Duration) bool {
	return p != nil && p.Status != 0 && p.age() < period
}

// age returns how long ago the site was asked.
func (p *soft404Probe) age() time.Duration { return p.Age + time.Since(p.at) }

// equals reports whether a page equals the answer: its body does, or its text.
func (p *soft404Probe) equals(page, crc string, text pageText) bool {
	return crc == p.CRC || text.equals(page, p.text, p.URL)
}

// loadProbe reads the stored probe of the visit's site, nil for none.
func (v *visit) loadProbe(ctx context.Context) (*soft404Probe, error) {
	stored, err := v.c.store.Soft404Probe(ctx, v.due.Site)
	if err != nil || stored == nil {
		return nil, err
	}
	return &soft404Probe{Soft404Probe: *stored, text: unpackText(stored.Words, stored.Links), at: time.Now()}, nil
}

// askProbe asks the site for an address beside the visit's own that cannot exist, unless a rule forbids that or another process has
// asked within Period. It returns the answer that is known afterwards, nil for none.
func (v *visit) askProbe(ctx context.Context) (*soft404Probe, error) {
	u, ok := v.noSuchURL()
	if !ok {
		return nil, nil
	}
	var p *soft404Probe
	asked, err := v.c.store.AskSoft404Probe(ctx, v.due.Site, u.Text, v.server.Period, func() (*crawl.Soft404Probe, error) {
		a, said := v.c.fetch(ctx, u, v.server, fetch.Request{URL: u.Text, Method: "GET", Auth: v.server.Auth})
		if err := ctx.Err(); err != nil || said == notAsked {
			return nil, err
		}
		defer a.Discard()
		p = v.judgeProbe(ctx, u, a)
		return &p.Soft404Probe, nil
	})
	switch {
	case err != nil:
		return nil, err
	case !asked:
		return v.loadProbe(ctx)
	case p.found():
		slog.InfoContext(ctx, "the site answers 200 for an address that does not exist; its pages that equal this answer get status 905",
			"url", printable.Log(u.Text), "remedy", "in spider.cnf: Soft404Detection no takes them for documents")
	default:
		slog.DebugContext(ctx, "asked for an address that does not exist", "url", printable.Log(u.Text), "status", p.Status)
	}
	return p, nil
}

// judgeProbe returns the probe of an answer. A page that leads elsewhere at once is a redirect.
func (v *visit) judgeProbe(ctx context.Context, u weburl.URL, a *fetch.Answer) *soft404Probe {
	p := &soft404Probe{Soft404Probe: crawl.Soft404Probe{URL: u.Text, Status: a.Status}, at: time.Now()}
	if a.Status != 200 {
		return p
	}
	if !document.Readable(a.ContentType) { // a site's message is a page
		p.Status = fetch.StatusNoConverter
		return p
	}
	doc, err := parse(ctx, a.Body, a.ContentType, v.rules())
	switch {
	case err != nil:
		p.Status = fetch.StatusParserFailed
	case doc.Refresh != "" && doc.RefreshAfter <= maxRefresh:
		p.Status = 302
	default:
		p.text = textOf(doc)
		p.CRC, p.Size, p.Links, p.Words = a.CRC, a.Size, p.text.links, p.text.pack()
	}
	return p
}

// noSuchURL returns an address beside the page's own that nobody can have: the last part of its path is replaced, without its
// ending. ok is false when robots.txt or sets.cnf forbids it.
func (v *visit) noSuchURL() (u weburl.URL, ok bool) {
	path := v.page.Text[endless.PathStart(v.page.Text):]
	if i := strings.IndexAny(path, "?;"); i >= 0 {
		path = path[:i]
	}
	end := ""
	if strings.HasSuffix(path, "/") {
		path, end = strings.TrimRight(path, "/"), "/"
	}
	slash := strings.LastIndexByte(path, '/')
	if dot := strings.LastIndexByte(path[slash+1:], '.'); dot > 0 {
		end = path[slash+1+dot:] + end
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	u, err := weburl.Normalize(strings.TrimSuffix(v.page.Site, "/")+path[:slash+1]+"pgseek-"+hex.EncodeToString(random[:])+end,
		v.c.o.MaxURLLength)
	if err != nil || v.policy == nil || v.policy.forbids(u.Path) != "" {
		return u, false
	}
	r := v.c.o.Scope.match(u, 0)
	return u, r.refused == "" && r.verdict != CheckOnly
}
