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

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// markTruncated is the value in urlstate.marks of a document of which only the beginning was read.
const markTruncated = "truncated"

// show fills the hits of the result with the documents of the page.
func (e *Engine) show(ctx context.Context, p *plan, f *docValues, page []group, r *Result) error {
	var urls []store.URLID
	for _, g := range page {
		for _, hit := range g.best {
			urls = append(urls, store.URLID(hit.at.url()))
		}
	}
	documents, err := e.documents(ctx, p, urls)
	if err != nil {
		return err
	}
	for _, g := range page {
		for i, hit := range g.best {
			d := documents[store.URLID(hit.at.url())]
			if d == nil { // only if the data is damaged: a live original has a row
				continue
			}
			h := newHit(&d.SearchDocument)
			h.Rank, h.All, h.First = hit.rank, hit.all, i == 0
			if at, ok := p.dates[hit.at.url()]; ok {
				h.Modified = at // docdates still has the date of the previous version
			}
			if r.Grouped && h.First && g.n > 0 {
				if h.InSite = g.n; r.AllURLs > 0 {
					h.InSite = g.all
				}
			}
			if p.req.Explain {
				h.Parts = p.parts(&hit, f)
			}
			r.Hits = append(r.Hits, h)
		}
	}
	if p.req.Excerpts <= 0 || p.linking != nil {
		return nil
	}
	return e.cutOut(ctx, p, documents, r.Hits)
}

// parts explains the rank of a hit.
func (p *plan) parts(hit *found, f *docValues) *Parts {
	parts := &Parts{Link: int(f.link(hit.at.url())), Site: p.weights[hit.at.site()]}
	switch {
	case p.scoring != nil:
		if hit.factor != 1 {
			parts.Weight = hit.factor
		}
		parts.RelevanceParts = p.scoring.parts(hit)
	case p.req.Ranking == ByASPseek:
		parts.ASPseekParts = hit.score.parts()
	}
	return parts
}

// excerptLength is the default length of an excerpt, in characters.
const excerptLength = 200

// cutOut fills the excerpts of the hits.
func (e *Engine) cutOut(ctx context.Context, p *plan, documents map[store.URLID]*cachedDocument, hits []Hit) error {
	length := p.req.ExcerptLength
	if length <= 0 {
		length = excerptLength
	}
	finder := snippet.NewFinder(p.req.Query, p.formsOf)
	return inParallel(ctx, len(hits), func(i int) {
		if d := documents[store.URLID(hits[i].URLID)]; !slices.Contains(d.Marks, store.NoSnippet) {
			hits[i].Excerpts = finder.ExcerptsOf(d.body, p.req.Excerpts, length)
		}
	})
}

// inParallel calls f with 0 to n-1, with one goroutine for each processor.
func inParallel(ctx context.Context, n int, f func(i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < n && ctx.Err() == nil; i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

func (p *plan) formsOf(word string) []string { return p.meantWords(word) }

func newHit(d *lookup.SearchDocument) Hit {
	h := Hit{
		URLID: int32(d.URL), SiteID: int32(d.Site), URL: d.Address, Title: d.Title, Description: d.Description,
		Keywords: d.Keywords, Text: d.Text, Size: d.Size, ContentType: d.ContentType, Charset: d.Charset, Lang: d.Lang,
		LastModified: d.Modified, Modified: d.Dated, CRC: d.CRC, Status: int32(d.Status),
		NoCopy: slices.Contains(d.Marks, store.NoArchive), MoreOf: d.Version.Clones - len(d.Clones),
	}
	for i, clone := range d.Clones {
		h.Clones = append(h.Clones, Clone{URLID: int32(d.CloneIDs[i]), URL: clone})
	}
	if slices.Contains(d.Marks, store.NoSnippet) {
		h.Text, h.Description = "", ""
	}
	return h
}

// ErrUnknownDocument is the error for a document that is not, or no longer, in the index.
var ErrUnknownDocument = errors.New("the index has no such document")

// A CopyRequest is a request for a cached copy, by address or, if that is empty, by url_id.
type CopyRequest struct {
	URL   string
	URLID int32
	Query *query.Query     // its terms are marked; nil = none
	Head  snippet.CopyHead // the texts above the document; nil = in English
	Style string           // CSS rules behind those of the copy
}

// Copy returns the cached copy of a live document (parameters ch and cache), to be sent with snippet.CopyPolicy. The
// copy of a clone is that of its original. The error is ErrUnknownDocument, ErrNoArchive,
// document.ErrTooSlow, or an error of the database or the data.
func (e *Engine) Copy(ctx context.Context, req CopyRequest) (page []byte, err error) {
	var d *lookup.SearchDocument
	address := req.URL
	err = e.source.Search(ctx, func(look *lookup.Tx) error {
		d = nil // of an attempt before
		id := store.URLID(req.URLID)
		if address != "" {
			if id, err = e.liveDocument(ctx, look, address); err != nil {
				return err
			}
		}
		gone := false
		look.GoneOf([]store.URLID{id}, func(store.URLID) { gone = true })
		look.Documents([]store.URLID{id}, []store.URLID{id}, 0, func(found lookup.SearchDocument) { d = &found })
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
		return nil, snippet.ErrNoArchive
	}
	body, err := store.UnpackContent(d.Content, maxContent)
	if err != nil {
		return nil, fmt.Errorf("content of %s: %w", d.Address, err)
	}
	if address == "" {
		address = d.Address
	}
	var finder *snippet.Finder
	if req.Query != nil {
		finder = snippet.NewFinder(req.Query, nil)
	}
	return snippet.MakeCopy(snippet.CopySource{
		URL: address, Title: d.Title, Body: body, ContentType: d.ReadAs, Charset: d.Charset, AsOf: d.IndexedAt,
		Truncated: slices.Contains(d.Marks, markTruncated), Head: req.Head, Style: req.Style,
		Prose: d.ReadAs != d.ContentType && strings.HasPrefix(d.ContentType, "application/") && !strings.HasPrefix(d.ContentType, "application/octet-stream"),
	}, finder, e.rulesOf(d.How))
}

// liveDocument returns the original of an address. A clone may forbid copies in its own headers.
func (e *Engine) liveDocument(ctx context.Context, look *lookup.Tx, address string) (store.URLID, error) {
	for _, a := range e.addresses(address) {
		var found lookup.SearchURL
		look.URL(a, func(u lookup.SearchURL) { found = u })
		if err := look.Send(ctx); err != nil {
			return 0, err
		}
		switch {
		case !found.Live:
		case slices.Contains(found.Marks, store.NoArchive):
			return 0, snippet.ErrNoArchive
		case found.Origin != 0:
			return found.Origin, nil
		default:
			return found.ID, nil
		}
	}
	return 0, ErrUnknownDocument
}

// addresses returns the addresses under which the index may have a typed one: the normal form, the text
// itself, and the first of these with a trailing slash.
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
