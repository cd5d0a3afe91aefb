package search

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
)

// markTruncated stands in urlstate.marks of a document of which only the beginning was read.
const markTruncated = "truncated"

// maxContent bounds a stored body, in bytes; larger ones are shown without excerpts.
const maxContent = 64 << 20

// show reads the documents of the page. It is the last look.
func (e *Engine) show(ctx context.Context, p *plan, f *facts, page []group, r *Result) error {
	var urls, live []store.URLID
	for _, g := range page {
		for _, hit := range g.best {
			u := store.URLID(hit.at.url())
			if urls = append(urls, u); p.live[int32(u)] {
				live = append(live, u)
			}
		}
	}
	documents := make(map[store.URLID]*store.SearchDocument, len(urls))
	if len(urls) > 0 {
		p.look.Documents(urls, p.req.Excerpts > 0 && p.linking == nil, MaxClones, func(d store.SearchDocument) { documents[d.URL] = &d })
	}
	p.askWhetherKept()
	if len(live) > 0 {
		clear(p.dates)
		p.look.RealtimeDatesOf(live, p.dated)
	}
	if err := p.look.SendLast(ctx); err != nil {
		return err
	}
	finder := NewFinder(p.req.Query, p.formsOf)
	for _, g := range page {
		for i, hit := range g.best {
			id := store.URLID(hit.at.url())
			d := documents[id]
			if d == nil { // the row of a live original is there, unless the data is damaged
				continue
			}
			h := newHit(d)
			h.Rank, h.First = hit.rank, i == 0
			for k, clone := range d.Clones {
				h.Clones = append(h.Clones, Clone{URLID: int32(d.CloneIDs[k]), URL: clone})
			}
			h.MoreOf = d.AllClones - len(d.Clones)
			if at, ok := p.dates[hit.at.url()]; ok {
				h.Modified = at // docdates has that of the version before
			}
			if r.Grouped && h.First {
				h.InSite = g.n
			}
			if p.req.Explain {
				h.Parts = hit.score.parts(f.link(hit.at.url()), hit.weight)
			}
			r.Hits = append(r.Hits, h)
		}
	}
	return e.readExcerpts(ctx, p.req, finder, documents, r.Hits)
}

// readExcerpts gives the hits their excerpts, several at a time: to read a document costs more than to find it.
func (e *Engine) readExcerpts(ctx context.Context, req *Request, finder *Finder, documents map[store.URLID]*store.SearchDocument, hits []Hit) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(hits)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(hits) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if d := documents[store.URLID(hits[i].URLID)]; len(d.Content) > 0 {
					hits[i].Excerpts = e.excerpts(d, finder, req)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

func (p *plan) formsOf(word string) []string { return p.forms[word] }

func newHit(d *store.SearchDocument) Hit {
	h := Hit{
		URLID: int32(d.URL), SiteID: int32(d.Site), URL: d.Address, Title: d.Title, Description: d.Description,
		Keywords: d.Keywords, Text: d.Text, Size: d.Size, ContentType: d.ContentType, Charset: d.Charset, Lang: d.Lang,
		LastModified: d.Modified, Modified: d.Dated, CRC: d.CRC, Status: int32(d.Status),
		NoCopy: slices.Contains(d.Marks, store.NoArchive),
	}
	if slices.Contains(d.Marks, store.NoSnippet) {
		h.Text, h.Description = "", ""
	}
	return h
}

// excerptLength is used when a request says none, in characters (aspseek.md 9.4).
const excerptLength = 200

// excerpts are cut out of the stored content. Where that cannot be read there are none: the check of the index names it.
func (e *Engine) excerpts(d *store.SearchDocument, finder *Finder, req *Request) []Excerpt {
	if slices.Contains(d.Marks, store.NoSnippet) || !document.Readable(d.ContentType) {
		return nil
	}
	body, err := store.UnpackContent(d.Content, maxContent)
	if err != nil {
		return nil
	}
	text, err := document.ReadText(body, d.ContentType, d.Charset, e.o.Rules)
	if err != nil {
		return nil
	}
	length := req.ExcerptLength
	if length <= 0 {
		length = excerptLength
	}
	return finder.Excerpts(text, req.Excerpts, length)
}

// ErrUnknownDocument says that the index has no such document, or none any more.
var ErrUnknownDocument = errors.New("the index has no such document")

// A CopyRequest asks for a cached copy, by address or, when that is empty, by url_id.
type CopyRequest struct {
	URL   string
	URLID int32
	Query *Query // whose terms are marked; nil = none
}

// Copy makes the cached copy of a live document (ch, cache), to be sent as CopyPolicy says. That of a clone is its original's.
// The error is ErrUnknownDocument, ErrNoArchive, document.ErrTooSlow, or of the database or the data.
func (e *Engine) Copy(ctx context.Context, req CopyRequest) (page []byte, err error) {
	var d *store.SearchDocument
	address := req.URL
	err = e.store.Search(ctx, func(look *store.Search) error {
		id := store.URLID(req.URLID)
		if address != "" {
			if id, err = e.liveDocument(ctx, look, address); err != nil {
				return err
			}
		}
		gone := false
		look.GoneOf([]store.URLID{id}, func(store.URLID) { gone = true })
		look.Documents([]store.URLID{id}, true, 0, func(found store.SearchDocument) { d = &found })
		if err := look.SendLast(ctx); err != nil {
			return err
		}
		if gone || d == nil || len(d.Content) == 0 {
			return ErrUnknownDocument
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if slices.Contains(d.Marks, store.NoArchive) {
		return nil, ErrNoArchive
	}
	body, err := store.UnpackContent(d.Content, maxContent)
	if err != nil {
		return nil, fmt.Errorf("content of %s: %w", d.Address, err)
	}
	if address == "" {
		address = d.Address
	}
	var finder *Finder
	if req.Query != nil {
		finder = NewFinder(req.Query, nil)
	}
	return MakeCopy(CopySource{
		URL: address, Title: d.Title, Body: body, ContentType: d.ContentType, Charset: d.Charset, AsOf: d.IndexedAt,
		Truncated: slices.Contains(d.Marks, markTruncated),
	}, finder, e.o.Rules)
}

// liveDocument finds the original of an address.
func (e *Engine) liveDocument(ctx context.Context, look *store.Search, address string) (store.URLID, error) {
	var id store.URLID
	for _, a := range e.addresses(address) {
		look.URL(a, func(url, _, origin store.URLID, live bool) {
			switch {
			case !live:
			case origin != 0:
				id = origin
			default:
				id = url
			}
		})
		if err := look.Send(ctx); err != nil {
			return 0, err
		}
		if id != 0 {
			return id, nil
		}
	}
	return 0, ErrUnknownDocument
}

// addresses are those under which the index may have what was typed: in normal form, as it is, with a / behind it.
func (e *Engine) addresses(typed string) []string {
	all := []string{typed}
	if e.o.Normalize != nil {
		if normal, err := e.o.Normalize(typed); err == nil && normal != typed {
			all = []string{normal, typed}
		}
	}
	if !strings.HasSuffix(typed, "/") {
		all = append(all, all[0]+"/")
	}
	return all
}
