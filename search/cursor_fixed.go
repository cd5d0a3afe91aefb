package search

import "sort"

// A fixedPhrase has the documents in which words stand at fixed places behind each other in one section: most phrases are so. It goes
// from the word that a document has least often, and reads positions as they stand in the index.
type fixedPhrase struct {
	words   []*wordCursor
	offsets []int // of the words, behind the first one
	lead    int   // places that the section has before the first
	need    cursor
	at      place
	starts  []uint16 // positions of the first word where the phrase stands
}

// newFixed makes the phrase of steps that are all words; false for others.
func newFixed(steps []phraseStep) (*fixedPhrase, bool) {
	c := &fixedPhrase{lead: steps[0].skip}
	offset := -1 - c.lead
	for _, s := range steps {
		w, ok := s.word.(*wordCursor)
		if !ok {
			return nil, false
		}
		offset += s.skip + 1
		c.words, c.offsets = append(c.words, w), append(c.offsets, offset)
	}
	c.need = needOf(steps)
	return c, true
}

func (c *fixedPhrase) seek(p place) place {
	for c.at < p {
		if p = c.need.seek(p); p == noPlace || c.stands() {
			c.at = p
			break
		}
		p++
	}
	return c.at
}

// stands finds where the phrase stands in the document at which the words do.
func (c *fixedPhrase) stands() bool {
	rarest := 0
	for i, w := range c.words {
		if len(w.raw) < len(c.words[rarest].raw) {
			rarest = i
		}
	}
	w := c.words[rarest]
	c.starts = c.starts[:0]
	for i := range len(w.raw) / 2 {
		p := positionAt(w.raw, i)
		if start := ordinalOf(p) - c.offsets[rarest]; start >= c.lead && w.sections.Has(int(p>>14)) {
			c.starts = append(c.starts, p-uint16(c.offsets[rarest]))
		}
	}
	for i, w := range c.words {
		if i != rarest && len(c.starts) > 0 {
			c.starts = keepFollowed(c.starts, w.raw, c.offsets[i])
		}
	}
	return len(c.starts) > 0
}

// ordinalOf is a position's place in its section.
func ordinalOf(position uint16) int { return int(position & (1<<14 - 1)) }

// keepFollowed keeps those of ascending positions that have one of the encoded ones so far behind them in their section.
func keepFollowed(starts []uint16, raw []byte, offset int) (kept []uint16) {
	kept = starts[:0]
	n, i := len(raw)/2, 0
	search := n > 16*len(starts) // then it costs less than to look at all of them
	for _, s := range starts {
		if ordinalOf(s)+offset >= 1<<14 {
			continue
		}
		want := s + uint16(offset)
		if search {
			from := i
			i += sort.Search(n-from, func(k int) bool { return positionAt(raw, from+k) >= want })
		}
		for i < n && positionAt(raw, i) < want {
			i++
		}
		if i == n {
			break
		}
		if positionAt(raw, i) == want {
			kept = append(kept, s)
		}
	}
	return kept
}

func (c *fixedPhrase) size() int64 { return c.need.size() }

// score: where it begins first in its best section.
func (c *fixedPhrase) score(s *score) {
	n := len(c.starts)
	best := c.starts[n-1] >> 14
	first := n - 1
	for first > 0 && c.starts[first-1]>>14 == best {
		first--
	}
	s.exact, s.section, s.kind, s.phrase = true, int8(best), byPhrase, 0
	s.ordinal, s.count = int32(ordinalOf(c.starts[first])), int32(n-first)
}

func (c *fixedPhrase) spots(dst []offset) []offset {
	for _, p := range c.starts {
		dst = append(dst, spotOf(p))
	}
	return dst
}

func (c *fixedPhrase) scan() { c.need.scan() }
