package search

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// checkEvery is the number of matches between two checks of the context. It is also the number of matches in
// one request for those that have left the index.
const checkEvery = 4096

// rankAtOnce is the number of documents that are ranked together.
const rankAtOnce = 64

// evaluate passes all matches to the collector, in the order of the index.
func (p *plan) evaluate(ctx context.Context, f *docValues, c *collector, anyWord bool) error {
	p.scoring, p.some, p.facets = nil, nil, nil
	p.numberKinds(f)
	if p.req.Ranking == ByRelevance && p.linking == nil && (p.req.Order == ByRank || anyWord) {
		p.scoring = p.newScoring()
	}
	if p.scoring != nil && p.req.Order == ByRank {
		c.scoring, c.most = p.scoring, max(c.most, rerankMost)
	}
	if anyWord {
		p.some = p.newSome(asAnd(p.tree), f, c)
	}
	root := p.root()
	if p.some == nil {
		root.(cursor).scan()
	}
	filters, own := p.filters, p.ownFilters(f)
	narrowed := p.req.Facets && own != [facetCount]filter{}
	if p.req.Facets {
		p.facets = newFacetCounter(p, f)
	} else {
		for _, w := range own {
			if w != nil {
				filters = append(filters[:len(filters):len(filters)], w)
			}
		}
	}
	// Documents are ranked in groups, because each link rank is a cache miss and several can be waited for at
	// once.
	hits := make([]found, rankAtOnce)
	if p.looksUp() {
		hits = make([]found, checkEvery)
	}
	s := p.scorer(root, f, c)
	n, ready := 0, 0
	exact, later := p.exact, place(0) // later is the match behind exact
next:
	for at := place(1); ; at++ {
		if later != 0 {
			at, later = later, 0
		} else {
			at = root.seek(at)
		}
		added := false // exact has none of the words
		if exact != 0 && at >= exact {
			if added = at > exact; added {
				at, later = exact, at
			}
			exact = 0
		}
		if at == noPlace {
			break
		}
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, w := range filters {
			if q := w.next(at); q == noPlace {
				break next
			} else if q > at {
				at = q - 1
				continue next
			}
		}
		if p.gone.has(at.url()) {
			continue
		}
		hit := &hits[ready]
		hit.at, hit.miss, hit.low, hit.evidence = at, 0, false, nil
		if narrowed {
			hit.miss = missed(&own, at)
		}
		switch {
		case added && hit.miss&(hit.miss-1) == 0:
			*hit = found{at: at, factor: 1, miss: hit.miss}
		case hit.miss == 0:
			s.score(hit)
			hit.low = hit.low && at != p.exact
		case hit.miss&(hit.miss-1) != 0: // two filters
			continue
		default:
			hit.all = s.hasAll()
		}
		if ready++; ready == len(hits) {
			if err := p.collect(ctx, hits, f, c); err != nil {
				return err
			}
			ready = 0
		}
	}
	if err := p.load.err; err != nil {
		return err
	}
	return p.collect(ctx, hits[:ready], f, c)
}

// A scorer scores documents.
type scorer struct {
	root      cursor
	some      *someCursor // the root, if any word is enough
	scoring   *scoring    // nil = ASPseek's scores
	words     *allCursor  // of ASPseek: the root if it is an And of words and the order is by rank; else nil
	values    *docValues
	collector *collector
	weights   map[int32]int
	explain   bool
	plan      *plan
	weighs    bool // documents have weights
	bars      bool // documents below the collector's bar are only counted
}

func (p *plan) scorer(root seeker, f *docValues, c *collector) *scorer {
	s := &scorer{some: p.some, scoring: p.scoring, values: f, collector: c, weights: p.weights, explain: p.req.Explain, plan: p, weighs: p.weigh != nil}
	s.bars = len(p.weights) == 0 && p.req.Order == ByRank
	s.root, _ = root.(cursor)
	if all, ok := root.(*allCursor); ok && len(all.words) > 1 && p.req.Order == ByRank && len(p.weights) == 0 {
		s.words = all
	}
	return s
}

// score scores the root's current document. A document that cannot be shown may get an upper bound of its
// score that is below the bar.
func (s *scorer) score(hit *found) {
	if s.scoring != nil {
		s.relevance(hit)
		return
	}
	if s.words != nil {
		if bar := s.collector.bar(hit.at.site()); bar > 0 {
			s.words.bound(&hit.score)
			if rankOf(hit.score, s.values.linkAtMost(hit.at.url())) < bar {
				hit.all = true
				return
			}
		}
	}
	hit.all = true
	s.root.score(&hit.score)
}

// relevance scores the current document by rank.go. It collects the evidence of a document that may be among
// those that are ranked again.
func (s *scorer) relevance(hit *found) {
	url, site := hit.at.url(), hit.at.site()
	length, link := s.values.length(url), linkScore(s.values.linkAtMost(url))
	hit.all, hit.factor = true, 1
	if s.weighs {
		hit.factor = s.plan.kindsOf[s.plan.kindNumber(url)].weight
	}
	bar := 0.0
	if s.bars {
		bar = s.collector.barScore(site)
	}
	if s.some != nil {
		hit.value, hit.all = s.some.score(s.scoring.norms[length], bar, link, hit.factor)
	} else {
		hit.value = s.scoring.score(hit.at, length)
	}
	most := hit.factor * (hit.value + link)
	if hit.low = most < bar; !hit.low && (s.explain || s.collector.mayRankAgain(s.weights[site], most)) {
		hit.evidence = s.scoring.evidence(hit.at, hit.value, length, s.explain)
	}
}

// hasAll reports whether the current document has all words.
func (s *scorer) hasAll() bool {
	if s.some == nil {
		return true
	}
	_, all := s.some.score(1, math.Inf(1), 0, 1)
	return all
}

// collect ranks matches and passes those that are still in the index to the collector, and to the facets.
func (p *plan) collect(ctx context.Context, hits []found, f *docValues, c *collector) error {
	if len(hits) == 0 {
		return nil
	}
	p.rankAll(hits, f, c)
	var under map[int32]bool // documents under the path
	if p.looksUp() {
		var err error
		if under, err = p.lookUp(ctx, hits); err != nil {
			return err
		}
	}
	for i := range hits {
		h := &hits[i]
		if !p.goneAll && p.gone.has(h.at.url()) {
			continue
		}
		if p.req.Path != "" && !under[h.at.url()] {
			if h.miss != 0 || p.facets == nil {
				continue
			}
			h.miss = 1 << facetPath
		}
		if p.facets != nil {
			p.facets.add(h)
		}
		if h.miss == 0 {
			c.add(h)
		}
	}
	if !p.goneAll {
		p.gone.clear()
	}
	return nil
}

// looksUp reports whether each match is looked up in the database.
func (p *plan) looksUp() bool { return !p.goneAll || p.req.Path != "" }

// lookUp finds which of the matches have left the index, and returns those under the path of the request.
func (p *plan) lookUp(ctx context.Context, hits []found) (under map[int32]bool, err error) {
	urls := make([]store.URLID, len(hits))
	for i := range hits {
		urls[i] = store.URLID(hits[i].at.url())
	}
	if !p.goneAll {
		p.look.GoneOf(urls, func(u store.URLID) { p.gone.add(int32(u)) })
	}
	if p.req.Path != "" {
		under = map[int32]bool{}
		p.look.Under(p.req.Path, urls, func(u store.URLID) { under[int32(u)] = true })
	}
	return under, p.look.Send(ctx)
}

// A seeker moves to the next match.
type seeker interface{ seek(place) place }

// root returns the cursor of the whole query.
func (p *plan) root() seeker {
	switch {
	case p.some != nil:
		return p.some
	case p.linking != nil:
		return p.linking
	case p.scoring != nil:
		return p.scoredRoot()
	}
	return p.cursor(p.tree, false)
}

// scoredRoot returns the cursor of the query whose terms add to the score.
func (p *plan) scoredRoot() cursor {
	and := asAnd(p.tree)
	terms := make([]cursor, len(and.Terms))
	for i, t := range and.Terms {
		if phrase, ok := t.Node.(query.Phrase); ok && phrase.OnlyWords() {
			_, terms[i] = p.scoredUnit(phrase)
		} else {
			terms[i] = p.cursor(t.Node, true)
		}
	}
	not, filters := p.exclusions(and)
	if len(terms) == 1 && len(not) == 0 && len(filters) == 0 {
		return terms[0]
	}
	return newAll(terms, and.Places(), not, filters)
}

// rankAll sets the ranks of matches, 0 for those that cannot be shown. It does not read link ranks for the
// latter: each is a cache miss, and these misses took a sixth of the time of a query of one frequent word.
func (p *plan) rankAll(hits []found, f *docValues, c *collector) {
	if p.req.Order == ByDate {
		for i := range hits {
			h := &hits[i]
			h.rank, h.weight = uint32(p.date(f, h.at.url())), p.weights[h.at.site()]
		}
		return
	}
	defer p.putFirst(hits)
	bar := uint32(0)
	if len(p.weights) == 0 && !c.groups {
		bar = c.bar(0)
	}
	for i := range hits {
		h := &hits[i]
		h.rank, h.link = 0, 0
		if h.low || bar > 0 && p.rank(h, f.linkAtMost(h.at.url())) < bar {
			continue
		}
		h.link = f.link(h.at.url())
		h.rank = p.rank(h, h.link)
		if len(p.weights) > 0 {
			h.weight = p.weights[h.at.site()]
		}
	}
}

// putFirst puts the document whose address is the query before all others.
func (p *plan) putFirst(hits []found) {
	for i := range hits {
		if p.exact != 0 && hits[i].at == p.exact {
			hits[i].weight = exactWeight
		}
	}
}

// rank returns the rank of a match with a link rank.
func (p *plan) rank(h *found, link uint16) uint32 {
	if p.scoring != nil {
		return rankOfScore(h.factor * (h.value + linkScore(link)))
	}
	return rankOf(h.score, link)
}

// date returns when a document last changed, in epoch seconds, or 0 if that is unknown.
func (p *plan) date(f *docValues, url int32) int64 {
	if len(p.dates) > 0 {
		if at, ok := p.dates[url]; ok {
			return at.Unix()
		}
	}
	return f.date(url)
}

// askLink finds the documents that link to the first of the addresses that is in the index, to a URL that it
// redirects to, or, if it is a clone, to its original.
func (p *plan) askLink(ctx context.Context, addresses []string) error {
	p.linking = &listCursor{}
	var targets []store.URLID
	for _, address := range addresses {
		p.look.URL(address, func(u lookup.SearchURL) { targets = append(targets, u.ID) })
		if err := p.look.Send(ctx); err != nil {
			return err
		}
		if len(targets) > 0 {
			break
		}
	}
	if len(targets) == 0 {
		p.notes = append(p.notes, query.NewNote(query.UnknownAddress, "%s is not in the index.", query.Quote(p.req.Query.Link)))
		return nil
	}
	p.look.Chain(targets[0], func(u store.URLID) {
		if !slices.Contains(targets, u) {
			targets = append(targets, u)
		}
	})
	if err := p.look.Send(ctx); err != nil {
		return err
	}
	p.look.Referrers(targets, func(site store.SiteID, u store.URLID) {
		p.linking.places = append(p.linking.places, placeOf(int32(site), int32(u)))
	})
	return p.look.Send(ctx)
}

var errNoQuery = errors.New("search: request without a query")
