package search

import (
	"cmp"
	"math"
	"slices"
)

// An allCursor has the documents that all terms of an And have, none of its exclusions, on the sites that its filters let
// pass.
type allCursor struct {
	terms  []cursor      // as typed
	places []int         // where each stands if the whole stands in a text as it was typed
	drive  []cursor      // the same, the rarest first
	words  []*wordCursor // the same, when all are words; else nil
	not    []cursor
	sites  []*siteSet
	at     place

	chain, before, here []offset // memory for score
	part                score
}

func newAll(terms []cursor, places []int, not []cursor, sites []*siteSet) *allCursor {
	c := &allCursor{terms: terms, places: places, drive: slices.Clone(terms), not: not, sites: sites}
	slices.SortStableFunc(c.drive, func(a, b cursor) int { return cmp.Compare(a.size(), b.size()) })
	for _, t := range terms {
		w, ok := t.(*wordCursor)
		if !ok {
			return c
		}
		c.words = append(c.words, w)
	}
	return c
}

func (c *allCursor) seek(p place) place {
	if c.at >= p {
		return c.at
	}
next:
	for {
		if p = c.drive[0].seek(p); p == noPlace {
			c.at = p
			return p
		}
		for _, s := range c.sites {
			if q := s.next(p); q > p {
				p = q
				continue next
			}
		}
		for _, t := range c.drive[1:] {
			if q := t.seek(p); q > p {
				p = q
				continue next
			}
		}
		for _, n := range c.not {
			if n.seek(p) == p {
				p++
				continue next
			}
		}
		c.at = p
		return p
	}
}

func (c *allCursor) size() int64 { return c.drive[0].size() }

// score is made of those of the terms: the section is the worst of the terms' best ones, the place the first of any term in it, and the phrase bits say
// how many neighbours stand as they were typed (aspseek.md 9.3, 4).
func (c *allCursor) score(all *score) {
	if len(c.terms) == 1 { // an And for its exclusions or sites
		c.terms[0].score(all)
		return
	}
	all.exact, all.section, all.kind, all.phrase, all.count = true, 3, byTerms, 0, math.MaxInt32
	s := &c.part
	for _, t := range c.terms {
		t.score(s)
		all.exact = all.exact && s.exact
		all.section = min(all.section, s.section)
		all.count = min(all.count, max(s.count, 1)) // none is counted of what stands in a better section
	}
	all.ordinal = nearBits
	c.here = c.terms[0].spots(c.here[:0])
	all.nearest(c.here)
	pairs := 0
	for i := 1; i < len(c.terms); i++ {
		distance := offset(c.places[i] - c.places[i-1])
		c.before, c.here = c.here, c.terms[i].spots(c.before[:0])
		all.nearest(c.here)
		chain := c.chain // where the terms so far end as one phrase
		if i == 1 {
			chain = c.before
		}
		switch c.chain = follow(c.chain[:0], chain, c.here, distance); {
		case len(c.chain) > 0, i > 1 && meet(c.before, c.here, distance):
			pairs++
		}
	}
	if all.phrase = int8(min(pairs, 2)); len(c.chain) > 0 {
		all.phrase, all.count = 3, int32(len(c.chain))
	}
}

// bound writes a score that is worth at least as much as that of the document, without looking where its words stand: as if they
// were one phrase, as often as the rarest of them. Only for words.
func (c *allCursor) bound(all *score) {
	*all = score{exact: true, section: 3, kind: byTerms, phrase: 3, count: math.MaxInt32}
	s := &c.part
	for _, w := range c.words {
		w.score(s)
		all.exact = all.exact && s.exact
		all.section = min(all.section, s.section)
		if s.section == 0 { // else it stands in the body as well, and is not counted there
			all.count = min(all.count, s.count)
		}
	}
}

// spots: several terms have no place.
func (c *allCursor) spots(dst []offset) []offset {
	if len(c.terms) == 1 {
		return c.terms[0].spots(dst)
	}
	return dst
}

// scan: the rarest term is read whole, the others where it stands.
func (c *allCursor) scan() { c.drive[0].scan() }

// nearest lets the first spot in the score's section count.
func (s *score) nearest(spots []offset) {
	i := 0
	if len(spots) > 0 && spots[0].section() != s.section {
		i, _ = slices.BinarySearch(spots, offset(s.section)<<16)
	}
	if i < len(spots) && spots[i].section() == s.section {
		s.ordinal = min(s.ordinal, spots[i].ordinal())
	}
}

// follow appends those of here that stand so far behind one of before, in the same section: ordinals are less than 16,384 and
// distances less than 32,768, so that spots of two sections are never so near to each other. out may be the memory of before.
func follow(out, before, here []offset, distance offset) []offset {
	i := 0
	for _, h := range here {
		for i < len(before) && before[i] < h-distance {
			i++
		}
		if i == len(before) {
			break
		}
		if before[i] == h-distance {
			i++
			out = append(out, h) // at most as many as have been read
		}
	}
	return out
}

// meet tells whether follow would find one.
func meet(before, here []offset, distance offset) bool {
	i := 0
	for _, h := range here {
		for i < len(before) && before[i] < h-distance {
			i++
		}
		if i == len(before) {
			return false
		}
		if before[i] == h-distance {
			return true
		}
	}
	return false
}
