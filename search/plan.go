package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// maxPatternWords is the maximum number of words that a pattern matches. Each is a list of postings to read,
// so it bounds the cost of a query. With six characters before the first wildcard hardly any pattern reaches
// it.
const maxPatternWords = 4096

// A plan is a request together with what the index has of its words and filters, as of one look at the
// database.
type plan struct {
	req   *Request
	look  *lookup.Tx
	load  *loader
	notes []query.Note

	words     map[string]*stored
	patterns  map[string][]*stored
	forms     map[string][]string // other forms of each word
	spelling  []Suggestion        // for words that no document has, if correct has looked
	finish    []func()            // called when the results have been received
	byID      map[store.WordID]*stored
	labels    map[string][]uint32
	live      urlSet              // documents of the real-time index
	gone      urlSet              // documents that have left
	goneAll   bool                // gone has all of them
	dates     map[int32]time.Time // of documents of the real-time index, if needed
	filters   []filter
	weights   map[int32]int           // of sites
	values    *docValues              // while the query is evaluated
	kinds     map[int32]kind          // of documents of the real-time index, if needed
	kindsOf   []kind                  // by number, with those
	kindLive  map[int32]int           // number of the kind of a document of the real-time index
	weigh     func(string) float64    // factor of the score by address; nil = 1
	facets    *facetCounter           // nil = not wanted
	inURL     map[string]*documentSet // of each filter by address
	linking   *listCursor             // documents of a link: query
	state     lookup.PostingsState    // state of the index that the words belong to
	cached    bool                    // the words are from the word cache
	valid     bool                    // and the index has not changed since
	scoring   *scoring                // nil = documents are not ranked by relevance
	languages []string                // of the documents
	tree      query.Node              // that is evaluated: of the query, less words that are not needed
	some      *someCursor             // the root, if any word is enough
}

// goneLimit is the number of documents with a mark that are looked up before a query is evaluated. If there
// are more, only those that match are looked up.
const goneLimit = 2000

func (e *Engine) emptyPlan(ctx context.Context, req *Request, look *lookup.Tx) *plan {
	tree, languages := req.Query.Root, *e.languages.Load()
	if req.Ranking == ByRelevance {
		tree = query.Flat(tree)
	}
	if req.Ranking == ByRelevance && !req.All {
		tree = WithoutStopWords(WithOptions(tree), languages)
	}
	return &plan{
		req: req, tree: tree, languages: languages, look: look, load: &loader{ctx: ctx, look: look, cache: e.cache},
		words: map[string]*stored{}, patterns: map[string][]*stored{}, byID: map[store.WordID]*stored{},
		labels: map[string][]uint32{}, dates: map[int32]time.Time{}, weights: map[int32]int{},
		kinds: map[int32]kind{}, weigh: e.o.Weigh, inURL: map[string]*documentSet{},
	}
}

// newPlan reads from the index everything that the evaluation needs to begin, in one round trip unless other
// forms of words are wanted.
func (e *Engine) newPlan(ctx context.Context, req *Request, look *lookup.Tx) (*plan, error) {
	p := e.emptyPlan(ctx, req, look)
	if len(req.Forms) > 0 {
		if err := p.findForms(ctx); err != nil {
			return nil, err
		}
		p.finished()
	}
	p.askWords()
	p.askPlaces(e.o.SiteWeights)
	if err := look.Send(ctx); err != nil {
		return nil, err
	}
	if req.Query.Link != "" {
		if err := p.askLink(ctx, e.addresses(req.Query.Link)); err != nil {
			return nil, err
		}
	}
	p.finished()
	if err := p.correct(ctx); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(p.spelling, func(s Suggestion) bool { return s.Used }) { // what is cached has no corrections
		e.words.put(p)
	}
	return p, nil
}

// finished calls the functions that wait for results.
func (p *plan) finished() {
	for _, f := range p.finish {
		f()
	}
	p.finish = nil
}

// askWords queues requests for the words and patterns of the query.
func (p *plan) askWords() {
	var texts []string
	for leaf := range query.Leaves(p.tree) {
		switch leaf := leaf.(type) {
		case query.Word:
			for _, text := range append([]string{leaf.Text}, p.forms[leaf.Text]...) {
				if _, ok := p.words[text]; !ok {
					p.words[text] = nil
					texts = append(texts, text)
				}
			}
		case query.Pattern:
			if _, ok := p.patterns[leaf.Text]; !ok {
				p.patterns[leaf.Text] = nil
				p.askPattern(leaf)
			}
		}
	}
	if len(texts) > 0 {
		fresh := map[store.WordID]bool{}
		p.look.Words(texts, func(w lookup.SearchWord) { p.words[w.Text] = p.stored(w, fresh) }, p.rows(fresh), p.realtime)
	}
}

func (p *plan) askPattern(pattern query.Pattern) {
	fresh := map[store.WordID]bool{}
	word := func(w lookup.SearchWord) {
		if len(p.patterns[pattern.Text]) == maxPatternWords {
			p.notes = append(p.notes, query.Note{
				Kind: query.ManyWords,
				Text: fmt.Sprintf("%s matches more than %d words. The ones later in the alphabet are ignored.", query.Quote(pattern.Text), maxPatternWords),
			})
			return
		}
		p.patterns[pattern.Text] = append(p.patterns[pattern.Text], p.stored(w, fresh))
	}
	p.look.Pattern(pattern.Fixed(), pattern.Like(), maxPatternWords+1, word, p.rows(fresh), p.realtime)
}

// stored returns the entry of a word. Several terms may share it. fresh receives the words that had none yet.
func (p *plan) stored(w lookup.SearchWord, fresh map[store.WordID]bool) *stored {
	known := p.byID[w.ID]
	if known == nil {
		known = &stored{text: w.Text, urls: w.URLs, total: w.Total, inline: w.Blob}
		p.byID[w.ID] = known
		fresh[w.ID] = true
	}
	return known
}

// rows returns a function that adds rows to the fresh words. The others have their rows already.
func (p *plan) rows(fresh map[store.WordID]bool) func(lookup.SearchRow) {
	return func(r lookup.SearchRow) {
		if fresh[r.Key.Word] {
			p.byID[r.Key.Word].addRow(r)
		}
	}
}

func (p *plan) realtime(id store.WordID, blob []byte) {
	if w := p.byID[id]; w != nil {
		w.realtime = blob
	}
}

// askPlaces queues requests for the filters of the search, and for the real-time index and the documents that
// have left, which count before any merge.
func (p *plan) askPlaces(weights map[string]int) {
	p.look.Now(goneLimit, func(now lookup.SearchNow) {
		p.state, p.goneAll = now.State, now.Known
		for _, u := range now.Live {
			p.live.add(int32(u))
		}
		for _, u := range now.Gone {
			p.gone.add(int32(u))
		}
	})
	if len(weights) > 0 {
		var names []string
		for name := range weights {
			names = append(names, name)
		}
		p.look.Sites(names, func(id store.SiteID, name string) { p.weights[int32(id)] = weights[name] })
	}
	p.askLabels()
	p.askFilters()
	p.askKinds()
	if p.req.Order == ByDate || p.req.Dates != (Dates{}) || p.req.Facets {
		p.look.RealtimeDates(p.dated)
	}
}

func (p *plan) dated(d lookup.RealtimeDate) {
	url := int32(d.URL)
	p.dates[url] = laterDate(p.dates[url], d)
}

// laterDate returns the date that the merge is going to give to a document of the real-time index after one
// more version. It must agree with the rule of the merge (docs/reference/behavior.md, Dates).
func laterDate(at time.Time, d lookup.RealtimeDate) time.Time {
	if at.IsZero() {
		at = d.Known
	}
	switch {
	case d.Same && !at.IsZero():
		return at
	case !d.Same && !d.Modified.IsZero() && !d.Modified.After(d.Fetched) && (at.IsZero() || d.Modified.After(at)):
		return d.Modified
	case d.Fetched.After(at):
		return d.Fetched
	}
	return at
}

func (p *plan) askLabels() {
	var labels []string
	query.Walk(p.tree, func(n query.Node, _ bool) bool {
		and, ok := n.(query.And)
		if !ok {
			return true
		}
		for _, f := range and.Sites {
			for _, site := range f.Any {
				labels = append(labels, site.Labels()...)
			}
		}
		return true
	})
	if len(labels) > 0 {
		p.look.Labels(labels, func(label string, sites []uint32) { p.labels[label] = append(p.labels[label], sites...) })
	}
}

// askFilters queues requests for the sites, subsets and spaces of the parameters ul and sp. A name that
// the index does not have gives a note and matches nothing.
func (p *plan) askFilters() {
	r := p.req
	if len(r.Spaces) > 0 {
		sites := &siteSet{}
		p.look.Spaces(r.Spaces, func(id store.SiteID) { sites.ids = append(sites.ids, int32(id)) })
		p.limit(sites, func() {
			if *sites = *newSiteSet(sites.ids, false); len(sites.ids) == 0 {
				p.unknown("The selected web spaces contain no sites.")
			}
		})
	}
	if len(r.Sites) > 0 {
		sites := &siteSet{}
		known := map[string]bool{}
		p.look.Sites(r.Sites, func(id store.SiteID, name string) {
			sites.ids, known[name] = append(sites.ids, int32(id)), true
		})
		p.limit(sites, func() {
			*sites = *newSiteSet(sites.ids, false)
			for _, name := range r.Sites {
				if !known[name] {
					p.unknown("The index has no site " + query.Quote(name) + ".")
				}
			}
		})
	}
	if len(r.Subsets) > 0 {
		set := &documentSet{}
		masks, ids := subsetNames(r.Subsets)
		n := 0
		p.look.Subsets(masks, ids, func(string, store.SubsetID) { n++ },
			func(site store.SiteID, urls []store.URLID) { set.add(int32(site), urls) })
		p.limit(set, func() {
			if set.sort(); n < len(masks)+len(ids) {
				p.unknown("At least one selected part is not a subset of the index.")
			}
		})
	}
}

// limit adds a filter. The filter is complete when the results have been received and ready has been called.
func (p *plan) limit(f filter, ready func()) {
	p.filters = append(p.filters, f)
	p.finish = append(p.finish, ready)
}

func (p *plan) unknown(text string) {
	p.notes = append(p.notes, query.Note{Kind: query.UnknownPlace, Text: text})
}

// cursor returns the cursor of a node. If scored is set, the terms below it add to the score.
func (p *plan) cursor(n query.Node, scored bool) cursor {
	switch n := n.(type) {
	case query.Word:
		if scored {
			return p.scoredWord(n, true)
		}
		return p.word(n, n.Sections, true)
	case query.Pattern:
		if scored {
			return p.scoredPattern(n)
		}
		return p.pattern(n, n.Sections)
	case query.Phrase:
		if scored {
			return p.scoredPhrase(n)
		}
		return p.phrase(n)
	case query.Or:
		any := make([]cursor, len(n.Any))
		for i, a := range n.Any {
			any[i] = p.cursor(a, scored)
		}
		return newAny(any)
	case query.And:
		var g *guard
		if scored {
			g = &guard{parent: p.scoring.guard}
			p.scoring.guard = g
		}
		terms := make([]cursor, len(n.Terms))
		for i, t := range n.Terms {
			terms[i] = p.cursor(t.Node, scored)
		}
		not, filters := p.exclusions(n)
		all := newAll(terms, n.Places(), not, filters)
		if g == nil {
			return all
		}
		p.scoring.guard, g.cursor = g.parent, all
		return g
	}
	return none{} // a link: query has no tree
}

// exclusions returns the cursors of an And's exclusions, and its filters.
func (p *plan) exclusions(n query.And) (not []cursor, filters []filter) {
	for _, x := range n.Not {
		not = append(not, p.cursor(x, false))
	}
	for _, f := range n.Sites {
		var ids []int32
		for _, site := range f.Any {
			found := matchSites(site, p.labels)
			if len(found) == 0 {
				p.strangeSite(site)
			}
			ids = append(ids, found...)
		}
		filters = append(filters, newSiteSet(ids, f.Not))
	}
	for _, f := range n.Filters {
		filters = append(filters, p.documentFilter(f))
	}
	return not, filters
}

// strangeSite notes that no site has a name that the query gives, once.
func (p *plan) strangeSite(site query.Site) {
	n := query.Note{Kind: query.UnknownPlace, Text: "The index has no site " + query.Quote(string(site)) + "."}
	if !slices.Contains(p.notes, n) {
		p.notes = append(p.notes, n)
	}
}

// word returns the cursor of a word, with its other forms if forms is set.
func (p *plan) word(w query.Word, sections query.Sections, forms bool) cursor {
	var exact cursor = p.reader(p.words[w.Text], sections, true)
	if !forms || len(p.forms[w.Text]) == 0 {
		return exact
	}
	any := []cursor{exact}
	for _, text := range p.forms[w.Text] {
		any = append(any, p.reader(p.words[text], sections, false))
	}
	return newAny(any)
}

func (p *plan) pattern(n query.Pattern, sections query.Sections) cursor {
	var any []cursor
	for _, w := range p.patterns[n.Text] {
		any = append(any, p.reader(w, sections, true))
	}
	return newAny(any)
}

func (p *plan) reader(w *stored, sections query.Sections, exact bool) *wordCursor {
	return &wordCursor{reader: newReader(w, &p.live, p.load), sections: sections, exact: exact, flat: p.req.Flat}
}

func (p *plan) phrase(n query.Phrase) cursor {
	return newPhrase(p.steps(n.Steps, n.Sections))
}

func (p *plan) steps(steps []query.PhraseStep, sections query.Sections) []phraseStep {
	out := make([]phraseStep, len(steps))
	for i, s := range steps {
		out[i].skip = s.Skip
		switch item := s.Item.(type) {
		case query.Word:
			out[i].word = p.word(item, sections, false)
		case query.Pattern:
			out[i].word = p.pattern(item, sections)
		case query.Choice:
			for _, sequence := range item.Any {
				steps := p.steps(sequence.Steps, sections)
				out[i].any = append(out[i].any, phraseSequence{steps: steps, tail: sequence.Tail, need: needOf(steps)})
			}
		}
	}
	return out
}
