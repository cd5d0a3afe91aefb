package search

import (
	"context"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// A cachedDocument is the rows of a document that a page shows, without the stored content. It is read-only.
type cachedDocument struct {
	lookup.SearchDocument
	state lookup.PostingsState // when it was read
	body  []byte               // for Finder.ExcerptsOf, only while an answer is made
}

const (
	documentCacheBytes = 8 << 20 // size of the cache of recently shown documents
	documentOverhead   = 600     // overhead of one document, without its texts
)

// bytes returns the memory that the document takes.
func (d *cachedDocument) bytes() int {
	n := documentOverhead + len(d.Address) + len(d.Title) + len(d.Text) + len(d.Keywords) + len(d.Description)
	for _, clone := range d.Clones {
		n += 20 + len(clone)
	}
	return n
}

// documents returns the documents of a page, with their texts if there are to be excerpts. It is the last
// look. A plan with cached words takes the documents from memory, too, if all of them are cached and still
// current. Otherwise they are read, and p.valid reports whether the cached words are valid.
func (e *Engine) documents(ctx context.Context, p *plan, urls []store.URLID) (map[store.URLID]*cachedDocument, error) {
	texts := p.req.Excerpts > 0 && p.linking == nil
	if found, ok := e.cachedDocuments(p, urls, texts); ok {
		same, err := p.checkDocuments(ctx, urls, found)
		if err != nil || same || !p.valid {
			return found, err
		}
	}
	found := make(map[store.URLID]*cachedDocument, len(urls))
	if len(urls) > 0 {
		var contents []store.URLID
		if texts {
			contents = e.withoutText(urls)
		}
		p.look.Documents(urls, contents, MaxClones, func(d lookup.SearchDocument) {
			found[d.URL] = &cachedDocument{SearchDocument: d, state: p.state}
		})
	}
	p.checkWords()
	p.askDates(urls)
	if texts {
		if err := e.askTexts(ctx, p, found); err != nil {
			return nil, err
		}
	}
	if err := p.look.SendLast(ctx); err != nil || p.cached && !p.valid {
		return found, err
	}
	e.cacheDocuments(found)
	if texts {
		return found, e.readTexts(ctx, found)
	}
	return found, nil
}

// cachedDocuments returns the documents of a page from the cache. It reports false unless the plan's words are
// cached as well and all documents were read at the same state of the index.
func (e *Engine) cachedDocuments(p *plan, urls []store.URLID, texts bool) (map[store.URLID]*cachedDocument, bool) {
	if !p.cached {
		return nil, false
	}
	found := make(map[store.URLID]*cachedDocument, len(urls))
	for _, u := range urls {
		cached, ok := e.documentCache.get(u)
		if !ok || cached.state != p.state {
			return nil, false
		}
		d := *cached
		if texts {
			if d.body, ok = e.cache.get(textKey(&d.SearchDocument)); !ok {
				return nil, false
			}
		}
		found[u] = &d
	}
	return found, true
}

// cacheDocuments adds the documents of a page to the cache.
func (e *Engine) cacheDocuments(found map[store.URLID]*cachedDocument) {
	for u, d := range found {
		cached := *d
		cached.body, cached.Content = nil, nil
		e.documentCache.put(u, &cached, cached.bytes())
	}
}

// checkDocuments reports whether both cached words and cached documents are current. It sets p.valid for the
// words alone.
func (p *plan) checkDocuments(ctx context.Context, urls []store.URLID, cached map[store.URLID]*cachedDocument) (bool, error) {
	same := 0
	now, err := p.look.Versions(ctx, goneLimit, urls, func(u store.URLID, v lookup.DocumentVersion) {
		if cached[u].Version == v {
			same++
		}
	})
	p.valid = p.validAt(&now)
	return p.valid && same == len(urls), err
}

// askDates queues a request for the dates of the documents that are in the real-time index.
func (p *plan) askDates(urls []store.URLID) {
	var live []store.URLID
	for _, u := range urls {
		if p.live.has(int32(u)) {
			live = append(live, u)
		}
	}
	if len(live) > 0 {
		clear(p.dates)
		p.look.RealtimeDatesOf(live, p.dated)
	}
}
