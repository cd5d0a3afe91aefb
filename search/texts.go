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

// maxContent bounds a stored body, in bytes; larger ones are shown without excerpts.
const maxContent = 64 << 20

// withoutText are those documents of which no text may be in memory: all but those that were shown with one.
func (e *Engine) withoutText(urls []store.URLID) (missing []store.URLID) {
	for _, u := range urls {
		d, ok := e.shown.get(u)
		if ok {
			_, ok = e.cache.get(textKey(&d.SearchDocument))
		}
		if !ok {
			missing = append(missing, u)
		}
	}
	return missing
}

// askTexts gives documents that were asked for the texts of these versions that are in memory, and asks for the contents of those
// that have changed since theirs came there.
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

// readTexts reads the texts of those that have none yet from their contents, several at a time: to read a document costs more than to
// find it. The look is over by then.
func (e *Engine) readTexts(ctx context.Context, found map[store.URLID]*cachedDocument) error {
	list := slices.DeleteFunc(slices.Collect(maps.Values(found)), func(d *cachedDocument) bool { return d.body != nil })
	return inParallel(ctx, len(list), func(i int) { e.readText(list[i]) })
}

// readText reads the text of a document from its stored content. Where that cannot be read there is none, and none is kept: the check
// of the index names it.
func (e *Engine) readText(d *cachedDocument) {
	text := []byte{}
	if document.Readable(d.ContentType) && len(d.Content) > 0 {
		body, err := store.UnpackContent(d.Content, maxContent)
		if err != nil {
			return
		}
		read, err := document.ReadText(body, d.ContentType, d.Charset, e.o.Rules)
		if err != nil {
			return
		}
		text = append(text, snippet.ExcerptText(read)...)
	}
	d.body = text
	e.cache.put(textKey(&d.SearchDocument), text, len(text))
}
