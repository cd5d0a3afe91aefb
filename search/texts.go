package search

import (
	"context"
	"maps"
	"slices"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// maxContent bounds a stored body, in bytes. Documents with larger bodies are shown without excerpts.
const maxContent = 64 << 20

// withoutText returns the documents that may have no text in the cache: all but those that were shown with
// one.
func (e *Engine) withoutText(urls []store.URLID) (missing []store.URLID) {
	for _, u := range urls {
		d, ok := e.documentCache.get(u)
		if ok {
			_, ok = e.cache.get(textKey(&d.SearchDocument))
		}
		if !ok {
			missing = append(missing, u)
		}
	}
	return missing
}

// askTexts sets the texts of documents that are cached for their current versions, and queues requests for
// the contents of documents that have changed since theirs were cached.
func (e *Engine) askTexts(ctx context.Context, p *plan, found map[store.URLID]*cachedDocument) error {
	if err := p.look.Send(ctx); err != nil {
		return err
	}
	var changed []store.URLID
	for u, d := range found {
		var ok bool
		if d.body, ok = e.cache.get(textKey(&d.SearchDocument)); !ok && d.Content == nil {
			changed = append(changed, u)
		}
	}
	if len(changed) > 0 {
		p.look.Documents(changed, changed, 0, func(d lookup.SearchDocument) { found[d.URL].Content = d.Content })
	}
	return nil
}

// readTexts reads the missing texts from the contents, several at a time: reading a document costs more than
// finding it. The look at the database has ended by then.
func (e *Engine) readTexts(ctx context.Context, found map[store.URLID]*cachedDocument) error {
	list := slices.DeleteFunc(slices.Collect(maps.Values(found)), func(d *cachedDocument) bool { return d.body != nil })
	return inParallel(ctx, len(list), func(i int) { e.readText(list[i]) })
}

// rulesOf returns the rules by which the words of a document were read.
func (e *Engine) rulesOf(how store.HowRead) *document.Rules {
	return e.o.Rules.LeavingOutBy(how.Mode&store.ModeMain != 0, how.Mode&store.ModeStart != 0, how.Selectors)
}

// readText reads the text of a document from its stored content. Content that cannot be read gives no text,
// and nothing is cached: index -X1 reports it.
func (e *Engine) readText(d *cachedDocument) {
	text := []byte{}
	if document.Readable(d.ReadAs) && len(d.Content) > 0 {
		body, err := store.UnpackContent(d.Content, maxContent)
		if err != nil {
			return
		}
		read, err := document.ReadText(body, d.ReadAs, d.Charset, e.rulesOf(d.How))
		if err != nil {
			return
		}
		text = append(text, snippet.ExcerptText(read)...)
	}
	d.body = text
	e.cache.put(textKey(&d.SearchDocument), text, len(text))
}
