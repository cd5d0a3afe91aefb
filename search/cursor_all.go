package search

import (
	"cmp"
	"math"
	"slices"
)

// An allCursor iterates over the documents that match all terms of an And and none of its exclusions, and that
// its filters accept.
type allCursor struct {
	terms  []cursor      // in the order of the query
	places []int         // expected place of each term, see query.And.Places
	drive  []cursor      // the terms, the rarest first
	words  []*wordCursor // the terms if all are words; else nil
	not    []cursor
	where  []filter
	at     place

	chain, before, here []offset // buffers of score
	part                score
}

func newAll(terms []cursor, places []int, not []cursor, where []filter) *allCursor {
	c := &allCursor{terms: terms, places: places, drive: slices.Clone(terms), not: not, where: where}
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
		for _, s := range c.where {
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

// score combines the scores of the terms. The section is the worst of the terms' best sections, the ordinal
// is the first of any term in that section, and the phrase bits count the neighboring terms that occur next
// to each other as in the query.
func (c *allCursor) score(all *score) {
	if len(c.terms) == 1 { // an And of one term with exclusions or site filters
		c.terms[0].score(all)
		return
	}
	all.exact, all.section, all.kind, all.phrase, all.count = true, 3, byTerms, 0, math.MaxInt32
	s := &c.part
	for _, t := range c.terms {
		t.score(s)
		all.exact = all.exact && s.exact
		all.section = min(all.section, s.section)
		all.count = min(all.count, max(s.count, 1)) // a term in a better section has no count
	}
	all.ordinal = nearBits
	c.here = c.terms[0].appendOffsets(c.here[:0])
	all.nearest(c.here)
	pairs := 0
	for i := 1; i < len(c.terms); i++ {
		distance := offset(c.places[i] - c.places[i-1])
		c.before, c.here = c.here, c.terms[i].appendOffsets(c.before[:0])
		all.nearest(c.here)
		chain := c.chain // where the phrase of the terms so far ends
		if i == 1 {
			chain = c.before
		}
		switch c.chain = follow(c.chain[:0], chain, c.here, distance); {
		case len(c.chain) > 0, i > 1 && anyFollows(c.before, c.here, distance):
			pairs++
		}
	}
	if all.phrase = int8(min(pairs, 2)); len(c.chain) > 0 {
		all.phrase, all.count = 3, int32(len(c.chain))
	}
}

// weighted returns 0: the terms count, not their And.
func (c *allCursor) weighted(float64) float64 { return 0 }

// bound writes an upper bound of the document's score without reading the positions of all words: the score
// that the words would have as one phrase that occurs as often as the rarest of them. All terms must be
// words.
func (c *allCursor) bound(all *score) {
	*all = score{exact: true, section: 3, kind: byTerms, phrase: 3, count: math.MaxInt32}
	s := &c.part
	for _, w := range c.words {
		w.score(s)
		all.exact = all.exact && s.exact
		all.section = min(all.section, s.section)
		if s.section == 0 { // else it may occur in the body as well, where it is not counted
			all.count = min(all.count, s.count)
		}
	}
}

// appendOffsets appends nothing for several terms, because they have no common offset.
func (c *allCursor) appendOffsets(dst []offset) []offset {
	if len(c.terms) == 1 {
		return c.terms[0].appendOffsets(dst)
	}
	return dst
}

// scan scans the rarest term. The others are read only where it occurs.
func (c *allCursor) scan() { c.drive[0].scan() }

// nearest lowers the ordinal to the first of the offsets in the score's section.
func (s *score) nearest(offsets []offset) {
	i := 0
	if len(offsets) > 0 && offsets[0].section() != s.section {
		i, _ = slices.BinarySearch(offsets, offset(s.section)<<16)
	}
	if i < len(offsets) && offsets[i].section() == s.section {
		s.ordinal = min(s.ordinal, offsets[i].ordinal())
	}
}

// follow appends the offsets of here that are distance behind an offset of before in the same section.
// Ordinals are less than 16,384 and distances less than 32,768, so offsets of two sections never have such a
// distance. out may share the memory of before.
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
			out = append(out, h) // never more than were read
		}
	}
	return out
}

// anyFollows reports whether follow would append anything.
func anyFollows(before, here []offset, distance offset) bool {
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
