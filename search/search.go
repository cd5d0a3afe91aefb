package search

import (
	"context"
	"errors"
	"time"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// Search answers a request from one snapshot of the index. It returns errors of the database, of damaged data
// (store.Damaged) and of the context. A query without results is not an error.
func (e *Engine) Search(ctx context.Context, req Request) (*Result, error) {
	begin := time.Now()
	if req.Query == nil {
		return nil, errNoQuery
	}
	if req.PerPage <= 0 {
		req.PerPage = DefaultPerPage
	}
	req.PerPage = min(req.PerPage, MaxPerPage)
	var result *Result
	err := e.source.Search(ctx, func(look *lookup.Tx) (err error) {
		result, err = e.answer(ctx, &req, look)
		return err
	})
	if err != nil {
		return nil, err
	}
	result.Took = time.Since(begin)
	return result, nil
}

// answer answers a request in three looks at the database: at the words and filters, at the rows of wordfile
// that the evaluation needs, and at the documents of the page. The first look is omitted if the words are
// cached. The last look then checks that the index has not changed since; if it has, the search starts again.
// Cached documents are checked in the same look.
func (e *Engine) answer(ctx context.Context, req *Request, look *lookup.Tx) (*Result, error) {
	exact, err := e.exactPlace(ctx, req, look)
	if err != nil {
		return nil, err
	}
	if p := e.emptyPlan(ctx, req, look); exact == 0 && len(*e.siteWeights.Load()) == 0 && e.words.fill(p) && len(p.absent()) == 0 {
		r, err := e.find(ctx, p)
		var damaged *store.Damaged // a merge has removed rows that cached words refer to
		if p.valid || err != nil && !errors.As(err, &damaged) {
			return r, err
		}
		if err := look.SendLast(ctx); err != nil {
			return nil, err
		}
	}
	p, err := e.newPlan(ctx, req, look)
	if err != nil {
		return nil, err
	}
	p.exact = exact
	return e.find(ctx, p)
}

// find evaluates a plan and reads the documents of the page.
func (e *Engine) find(ctx context.Context, p *plan) (*Result, error) {
	req := p.req
	// One more than the page shows tells whether there is a next page.
	c := &collector{most: min((min(req.Page, MaxResults)+1)*req.PerPage+1, MaxResults), groups: req.Group == SiteGroups, explains: req.Explain}
	defer c.free()
	if req.Group == MixedSites && req.Order == ByRank {
		c.mixes, c.most = true, max(c.most, mixBest)
	}
	f := e.values.Load()
	anyWord := p.anyWord()
	if anyWord && p.wordy() {
		p.tree, _ = Relaxed(p.tree)
	}
	if err := p.evaluate(ctx, f, c, anyWord && req.Order == ByRank); err != nil {
		return nil, err
	}
	if anyWord && req.Order != ByRank && c.urls == 0 { // in another order only the documents with all words count
		if err := p.evaluate(ctx, f, c, true); err != nil {
			return nil, err
		}
	}
	if anyWord && c.urls == 0 && p.relax() {
		if err := p.evaluate(ctx, f, c, true); err != nil {
			return nil, err
		}
	}
	r := &Result{Sites: c.sites, URLs: c.urls, AllURLs: c.all, AnyURLs: c.urls, More: p.some != nil && p.some.skipped, Notes: append(append([]query.Note{}, req.Query.Notes...), p.notes...), Words: p.counts()}
	if r.AllURLs > 0 {
		r.URLs, r.Sites = c.all, c.allSites
	}
	var all []group
	if req.Page == 0 {
		r.KeyMatches = p.vocabulary.keyMatches(req.Query, p.languages)
	}
	r.Grouped, all = c.end()
	if p.facets != nil {
		var err error
		if r.Facets, err = p.facets.facets(ctx, r.AllURLs > 0); err != nil {
			return nil, err
		}
	}
	r.Pages = (min(c.shown(), MaxResults) + req.PerPage - 1) / req.PerPage
	from := min(min(req.Page, MaxResults)*req.PerPage, len(all))
	page := all[from:min(from+req.PerPage, len(all))]
	var err error
	if r.Spell = p.spelling; r.Spell == nil {
		if r.Spell, err = p.spell(ctx); err != nil {
			return nil, err
		}
	}
	if err := e.show(ctx, p, f, page, r); err != nil {
		return nil, err
	}
	return r, nil
}

// counts returns the frequency of each word and pattern.
func (p *plan) counts() (counts []WordCount) {
	for _, t := range p.req.Query.Terms() {
		switch t := t.(type) {
		case query.Word:
			c := WordCount{Text: t.Text, Synonyms: p.synonymTexts(t.Text)}
			c.add(p.words[t.Text])
			for _, form := range p.forms[t.Text] {
				c.add(p.words[form])
			}
			counts = append(counts, c)
		case query.Pattern:
			c := WordCount{Text: t.Text}
			for _, w := range p.patterns[t.Text] {
				c.add(w)
			}
			counts = append(counts, c)
		}
	}
	return counts
}

// add adds the frequency of a word. For a word that is only in the real-time index, it counts the postings
// there.
func (c *WordCount) add(w *stored) {
	if w == nil {
		return
	}
	c.URLs += w.urls
	c.Total += w.total
	c.Words++
	if w.urls == 0 && len(w.realtime) > 0 {
		r := newReader(&stored{realtime: w.realtime}, nil, &loader{})
		for at := r.seek(1); at != noPlace; at = r.seek(at + 1) {
			c.URLs++
			c.Total += int64(len(r.raw) / 2)
		}
	}
}
