package search

import (
	"context"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// A cachedDocument is what a page shows of a document: its rows, without the stored content. It is only read.
type cachedDocument struct {
	lookup.SearchDocument
	state lookup.PostingsState // at which it was read
	body  []byte               // for Finder.excerpts, while an answer is made
}

const (
	shownBytes = 8 << 20 // how much is kept of the documents that were shown last
	shownRow   = 600     // what one costs beside its texts
)

// bytes are what it takes to keep a document.
func (d *cachedDocument) bytes() int {
	n := shownRow + len(d.Address) + len(d.Title) + len(d.Text) + len(d.Keywords) + len(d.Description)
	for _, clone := range d.Clones {
		n += 20 + len(clone)
	}
	return n
}

// documents are those of a page, with their texts when there are to be excerpts. It is the last look. In a plan with words from
// memory they are from there, too, when all are there and the index has them as they were; otherwise they are read, and p.holds says
// whether the words are right.
func (e *Engine) documents(ctx context.Context, p *plan, urls []store.URLID) (map[store.URLID]*cachedDocument, error) {
	texts := p.req.Excerpts > 0 && p.linking == nil
	if found, ok := e.keptDocuments(p, urls, texts); ok {
		same, err := p.askWhetherSame(ctx, urls, found)
		if err != nil || same || !p.holds {
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
	p.askWhetherKept()
	p.askDates(urls)
	if texts {
		if err := e.askTexts(ctx, p, found); err != nil {
			return nil, err
		}
	}
	if err := p.look.SendLast(ctx); err != nil || p.kept && !p.holds {
		return found, err
	}
	e.keepDocuments(found)
	if texts {
		return found, e.readTexts(ctx, found)
	}
	return found, nil
}

// keptDocuments are the documents of a page from memory, if the plan's words are, too, and all of them were read at the same state of
// the index.
func (e *Engine) keptDocuments(p *plan, urls []store.URLID, texts bool) (map[store.URLID]*cachedDocument, bool) {
	if !p.kept {
		return nil, false
	}
	found := make(map[store.URLID]*cachedDocument, len(urls))
	for _, u := range urls {
		kept, ok := e.shown.get(u)
		if !ok || kept.state != p.state {
			return nil, false
		}
		d := *kept
		if texts {
			if d.body, ok = e.cache.get(textKey(&d.SearchDocument)); !ok {
				return nil, false
			}
		}
		found[u] = &d
	}
	return found, true
}

// keepDocuments keeps what was read for a page.
func (e *Engine) keepDocuments(found map[store.URLID]*cachedDocument) {
	for u, d := range found {
		kept := *d
		kept.body, kept.Content = nil, nil
		e.shown.put(u, &kept, kept.bytes())
	}
}

// askWhetherSame asks whether words and documents from memory are as the index has them. p.holds tells it of the words alone.
func (p *plan) askWhetherSame(ctx context.Context, urls []store.URLID, kept map[store.URLID]*cachedDocument) (bool, error) {
	same := 0
	now, err := p.look.Versions(ctx, goneLimit, urls, func(u store.URLID, v lookup.DocumentVersion) {
		if kept[u].Version == v {
			same++
		}
	})
	p.holds = p.holdsAt(&now)
	return p.holds && same == len(urls), err
}

// askDates asks for the dates of those documents that are in the real-time index.
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
