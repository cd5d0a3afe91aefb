package search

import (
	"cmp"
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// A someCursor iterates over the documents that meet the conditions of a query and, if it has none, have at least
// one of its words. It is MaxScore (H. Turtle, J. Flood, Query evaluation: strategies and optimizations, 1995): once
// enough documents are known, those that have only frequent words cannot be among the best, so the postings of these
// words are looked up only in documents with a rarer one. Such documents are not counted, either.
type someCursor struct {
	must    cursor        // the conditions with exclusions and site filters; nil = none
	terms   []*termCursor // of the conditions
	free    []*termCursor // words that are no conditions, the rarest first
	units   []*termCursor // phrases of units
	rest    []float64     // the score that free[i:] and units do not exceed
	not     []cursor      // without conditions
	where   []filter
	few     bool // all documents are counted, because there are not many
	drive   int  // free[:drive] are read
	skipped bool // documents were not counted
	groups  bool
	at      place
	bar     func(site int32) float64 // score that a document needs
	link    float64                  // most that a link rank adds
	factor  float64                  // the largest Weight
}

// fewPostings is the number of postings up to which all documents with any word are counted: that takes 1 ms.
var fewPostings int64 = 20000

// newSome returns the cursor of an And of which at least one term is no condition.
func (p *plan) newSome(and query.And, f *docValues, c *collector) *someCursor {
	s := &someCursor{factor: p.largestWeight(), link: linkScore(f.most), groups: c.groups, bar: c.barScore}
	if len(p.weights) > 0 || p.req.Order != ByRank {
		s.bar = func(int32) float64 { return 0 }
	}
	var conditions []cursor
	for _, t := range and.Terms {
		phrase, unit := t.Node.(query.Phrase)
		unit = unit && phrase.OnlyWords()
		switch {
		case t.Condition() && unit:
			_, whole := p.scoredUnit(phrase)
			conditions = append(conditions, whole)
		case t.Condition():
			conditions = append(conditions, p.cursor(t.Node, true))
		case unit:
			words, whole := p.scoredUnit(phrase)
			whole.unit = &unitMatch{words: words, phrase: whole.cursor.(matchesHere)}
			s.free, s.units = append(s.free, words...), append(s.units, whole)
		default:
			s.free = append(s.free, p.cursor(t.Node, true).(*termCursor))
		}
	}
	for _, t := range p.scoring.terms {
		if !slices.Contains(s.free, t) && !slices.Contains(s.units, t) {
			s.terms = append(s.terms, t)
		}
	}
	s.not, s.where = p.exclusions(and)
	if len(conditions) > 0 {
		s.must = newAll(conditions, make([]int, len(conditions)), s.not, s.where)
	}
	p.notes = append(p.notes, s.trim(p.scoring)...)
	slices.SortStableFunc(s.free, func(a, b *termCursor) int { return cmp.Compare(b.most, a.most) })
	s.rest = make([]float64, len(s.free)+1)
	for _, u := range s.units {
		s.rest[len(s.free)] += u.most
	}
	postings := int64(0)
	for i := len(s.free) - 1; i >= 0; i-- {
		s.rest[i] = s.rest[i+1] + s.free[i].most
		postings += s.free[i].size()
	}
	s.few = postings <= fewPostings
	return s
}

func (c *someCursor) seek(p place) place {
	if c.must != nil {
		c.at = c.must.seek(p)
		return c.at
	}
next:
	for {
		if p == noPlace {
			return p
		}
		c.choose(p.site())
		at := noPlace
		for _, t := range c.free[:c.drive] {
			at = min(at, t.seek(p))
		}
		if c.drive < len(c.free) {
			c.skipped = true
			if end := endOfSite(p.site()); c.groups && at >= end { // on the next site all words are read again
				p = end
				if !c.more(p) {
					c.at = noPlace
					return noPlace
				}
				continue
			}
		}
		if c.at = at; at == noPlace {
			return at
		}
		for _, s := range c.where {
			if q := s.next(at); q > at {
				p = q
				continue next
			}
		}
		for _, n := range c.not {
			if n.seek(at) == at {
				p = at + 1
				continue next
			}
		}
		return at
	}
}

// more reports whether any word has documents at or after a place.
func (c *someCursor) more(p place) bool {
	return slices.ContainsFunc(c.free, func(t *termCursor) bool { return t.seek(p) != noPlace })
}

// choose sets the words that are read: the others alone cannot reach the bar. At least the rarest is read, so that
// all documents with all words are found.
func (c *someCursor) choose(site int32) {
	c.drive = len(c.free)
	if c.few {
		return
	}
	if bar := c.bar(site); bar > 0 {
		for c.drive > 1 && c.factor*(c.rest[c.drive-1]+c.link) < bar {
			c.drive--
		}
	}
}

// score returns the score of the current document, and whether it has all words. The score may be too low if it
// does not reach the bar.
func (c *someCursor) score(norm, bar, link, factor float64) (sum float64, all bool) {
	for _, t := range c.terms {
		if t.counts(c.at) {
			sum += t.value(norm)
		}
	}
	all = true
	for i, t := range c.free {
		if !all && bar > 0 && factor*(sum+c.rest[i]+link) < bar {
			return sum, false
		}
		if t.counts(c.at) {
			sum += t.value(norm)
		} else {
			all = false
		}
	}
	for _, u := range c.units {
		if u.counts(c.at) {
			sum += u.value(norm)
		} else {
			all = false
		}
	}
	return sum, all
}

// A matchesHere is the cursor of a phrase whose words are at a document. matchesHere reports whether it matches there.
type matchesHere interface{ matchesHere(at place) bool }

// A unitMatch tests whether the words of a unit follow each other in a document, without moving them past it.
type unitMatch struct {
	words  []*termCursor
	phrase matchesHere
	at     place
	found  bool
}

func (u *unitMatch) matches(at place) bool {
	for _, w := range u.words {
		if w.seek(at) != at {
			return false
		}
	}
	if u.at != at {
		u.at, u.found = at, u.phrase.matchesHere(at)
	}
	return u.found
}

// anyWord reports whether any word of the query is enough: it has at least two, of which one is no condition.
func (p *plan) anyWord() bool {
	if p.req.All || p.req.Ranking == ByASPseek || p.linking != nil {
		return false
	}
	and := asAnd(p.tree)
	free := slices.ContainsFunc(and.Terms, func(t query.Term) bool { return !t.Condition() })
	if len(and.Terms) == 1 {
		phrase, ok := and.Terms[0].Node.(query.Phrase)
		return free && ok && phrase.OnlyWords()
	}
	return free
}

// asAnd returns a node as an And.
func asAnd(n query.Node) query.And {
	and, ok := n.(query.And)
	if !ok {
		and.Terms = []query.Term{{Node: n}}
	}
	return and
}
