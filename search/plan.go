package search

import (
	"context"
	"slices"
	"time"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// maxPatternWords is the maximum number of words that a pattern matches, the most frequent ones. Each is a list of postings to
// read, so it bounds the cost of a query. maxPatternScan is the maximum number of words of the dictionary that are looked at.
const (
	maxPatternWords = 1000
	maxPatternScan  = 50000
)

// A plan is a request together with what the index has of its words and filters, as of one look at the
// database.
type plan struct {
	req   *Request
	look  *lookup.Tx
	load  *loader
	notes []query.Note

	words      map[string]*stored
	patterns   map[string][]*stored
	forms      map[string][]string  // other forms of each word
	variants   map[string]variants  // other spellings of each word
	synonyms   map[string][]synonym // of each word
	vocabulary *Vocabulary
	spelling   []Suggestion // for words that no document has, if correct has looked
	finish     []func()     // called when the results have been received
	byID       map[store.WordID]*stored
	labels     map[string][]uint32
	live       urlSet              // documents of the real-time index
	gone       urlSet              // documents that have left
	goneAll    bool                // gone has all of them
	dates      map[int32]time.Time // of documents of the real-time index, if needed
	filters    []filter
	weights    map[int32]int           // of sites
	values     *docValues              // while the query is evaluated
	kinds      map[int32]kind          // of documents of the real-time index, if needed
	inURL      map[string]*documentSet // of each filter by address
	linking    *listCursor             // documents of a link: query
	state      lookup.PostingsState    // state of the index that the words belong to
	cached     bool                    // the words are from the word cache
	valid      bool                    // and the index has not changed since
	scoring    *scoring                // nil = documents are not ranked by relevance
	languages  []string                // of the documents
	tree       query.Node              // that is evaluated: of the query, less words that are not needed
	some       *someCursor             // the root, if any word is enough
	kindsOf    []kind                  // by number, with those
	kindLive   map[int32]int           // number of the kind of a document of the real-time index
	weigh      func(string) float64    // factor of the score by address; nil = 1
	facets     *facetCounter           // nil = not wanted
}

// goneLimit is the number of documents with a mark that are looked up before a query is evaluated. If there
// are more, only those that match are looked up.
const goneLimit = 2000

func (e *Engine) emptyPlan(ctx context.Context, req *Request, look *lookup.Tx) *plan {
	tree, languages, vocabulary := req.Query.Root, *e.languages.Load(), e.vocabulary.Load()
	if req.Ranking == ByRelevance {
		tree = query.Flat(tree)
	}
	if req.Ranking == ByRelevance && !req.All {
		tree = vocabulary.withoutStopWords(WithOptions(tree), languages)
	}
	p := &plan{
		req: req, tree: tree, languages: languages, vocabulary: vocabulary, look: look, load: &loader{ctx: ctx, look: look, cache: e.cache},
		words: map[string]*stored{}, patterns: map[string][]*stored{}, byID: map[store.WordID]*stored{},
		labels: map[string][]uint32{}, dates: map[int32]time.Time{}, weights: map[int32]int{},
		kinds: map[int32]kind{}, weigh: *e.weigh.Load(), inURL: map[string]*documentSet{},
	}
	p.withSynonyms(vocabulary)
	return p
}

// newPlan reads from the index everything that the evaluation needs to begin, in two round trips: the first
// looks for other spellings and forms of the words.
func (e *Engine) newPlan(ctx context.Context, req *Request, look *lookup.Tx) (*plan, error) {
	p := e.emptyPlan(ctx, req, look)
	if err := p.findOthers(ctx); err != nil {
		return nil, err
	}
	p.askWords()
	p.askPlaces(*e.siteWeights.Load())
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
			for _, text := range p.wordsOf(leaf.Text) {
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
			p.notes = append(p.notes, query.NewNote(query.ManyWords, "%s matches many words: only the %d most frequent count.",
				query.Quote(pattern.Text), maxPatternWords))
			return
		}
		p.patterns[pattern.Text] = append(p.patterns[pattern.Text], p.stored(w, fresh))
	}
	p.look.Pattern(pattern.Fixed(), pattern.Like(), maxPatternScan, maxPatternWords+1, word, p.rows(fresh), p.realtime)
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
	if !d.Ruled.IsZero() {
		return d.Ruled
	}
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
					p.unknown("The index has no site %s.", query.Quote(name))
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
				p.unknown("At least one selected part is not a subset of the index (table subsets).")
			}
		})
	}
}

// limit adds a filter. The filter is complete when the results have been received and ready has been called.
func (p *plan) limit(f filter, ready func()) {
	p.filters = append(p.filters, f)
	p.finish = append(p.finish, ready)
}

func (p *plan) unknown(format string, args ...any) {
	p.notes = append(p.notes, query.NewNote(query.UnknownPlace, format, args...))
}

// cursor returns the cursor of a node. If scored is set, the terms below it add to the score.
func (p *plan) cursor(n query.Node, scored bool) cursor {
	switch n := n.(type) {
	case query.Word:
		if scored {
			return p.scoredWord(n, alone, true)
		}
		return p.word(n, n.Sections, alone, true)
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
	p.note(query.NewNote(query.UnknownPlace, "The index has no site %s.", query.Quote(string(site))))
}

// note adds a note, once.
func (p *plan) note(n query.Note) {
	if !slices.ContainsFunc(p.notes, func(x query.Note) bool { return x.Text == n.Text }) {
		p.notes = append(p.notes, n)
	}
}

// word returns the cursor of a word at a place in a phrase, with its other forms if forms is set.
func (p *plan) word(w query.Word, sections query.Sections, at runPlace, forms bool) cursor {
	readers, _ := p.readers(w, sections, at, forms)
	if !forms {
		return anyOf(readers)
	}
	any := []cursor{anyOf(readers)}
	for _, s := range p.synonymCursors(w.Text, sections, &anyCount{}) {
		any = append(any, s)
	}
	return newAny(any)
}

func (p *plan) pattern(n query.Pattern, sections query.Sections) cursor {
	p.load.prefetch(p.patterns[n.Text])
	var any []cursor
	for _, w := range p.patterns[n.Text] {
		any = append(any, p.reader(w, sections, true))
	}
	return newAny(any)
}

func (p *plan) reader(w *stored, sections query.Sections, exact bool) *wordCursor {
	return &wordCursor{reader: newReader(w, &p.live, p.load), sections: sections, exact: exact, weight: formWeight, flat: p.req.Flat}
}

func (p *plan) phrase(n query.Phrase) cursor {
	steps, _ := p.steps(n.Steps, n.Sections)
	return newPhrase(steps)
}

// steps returns the steps of a phrase, and of each word its readers.
func (p *plan) steps(steps []query.PhraseStep, sections query.Sections) ([]phraseStep, [][]*wordCursor) {
	out, words := make([]phraseStep, len(steps)), make([][]*wordCursor, len(steps))
	for i, s := range steps {
		out[i].skip = s.Skip
		switch item := s.Item.(type) {
		case query.Word:
			words[i], _ = p.readers(item, sections, placeIn(i, len(steps)), false)
			out[i].word = anyOf(words[i])
		case query.Pattern:
			out[i].word = p.pattern(item, sections)
		case query.Choice:
			for _, sequence := range item.Any {
				steps, _ := p.steps(sequence.Steps, sections)
				out[i].any = append(out[i].any, phraseSequence{steps: steps, tail: sequence.Tail, need: needOf(steps)})
			}
		}
	}
	return out, words
}
