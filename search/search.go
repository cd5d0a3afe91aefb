package search

import (
	"context"
	"errors"
	"time"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// Search answers a request from one moment of the index. Errors are the database's, damaged data's (store.Damaged) or the
// context's; a query that finds nothing is none.
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
	err := e.store.Search(ctx, func(look *lookup.Tx) (err error) {
		result, err = e.answer(ctx, &req, look)
		return err
	})
	if err != nil {
		return nil, err
	}
	result.Took = time.Since(begin)
	return result, nil
}

// answer does it in three looks: at what the index has of the words and places, at the rows of wordfile that the evaluation
// needs, at the documents of the page. The first is spared when the words are in memory; the last one tells whether the index
// still has them so, else all is done again. Where the documents are in memory, too, it tells that of them.
func (e *Engine) answer(ctx context.Context, req *Request, look *lookup.Tx) (*Result, error) {
	if p := e.emptyPlan(ctx, req, look); len(e.o.SiteWeights) == 0 && e.kept.fill(p) {
		r, err := e.find(ctx, p)
		var damaged *store.Damaged // a merge has removed what we were about to read
		if p.holds || err != nil && !errors.As(err, &damaged) {
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
	return e.find(ctx, p)
}

// find evaluates a plan and reads the documents of the page.
func (e *Engine) find(ctx context.Context, p *plan) (*Result, error) {
	req := p.req
	c := &collector{most: min((min(req.Page, MaxResults)+1)*req.PerPage, MaxResults), groups: req.Group}
	f := e.facts.Load()
	if err := p.evaluate(ctx, f, c); err != nil {
		return nil, err
	}
	r := &Result{Sites: c.sites, URLs: c.urls, Notes: append(append([]query.Note{}, req.Query.Notes...), p.notes...), Words: p.counts()}
	var all []group
	r.Grouped, all = c.end()
	r.Pages = (min(c.shown(), MaxResults) + req.PerPage - 1) / req.PerPage
	from := min(min(req.Page, MaxResults)*req.PerPage, len(all))
	page := all[from:min(from+req.PerPage, len(all))]
	var err error
	if r.Spell, err = p.spell(ctx); err != nil {
		return nil, err
	}
	if err := e.show(ctx, p, f, page, r); err != nil {
		return nil, err
	}
	return r, nil
}

// counts say what the index has of each word and pattern.
func (p *plan) counts() (counts []WordCount) {
	for _, t := range p.req.Query.Terms() {
		switch t := t.(type) {
		case query.Word:
			c := WordCount{Text: t.Text}
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

// add counts a word of the dictionary. One that is only in the real-time index counts by what is there.
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
