package search

import "sort"

// A fixedPhrase iterates over the documents in which words occur at fixed distances in one section. Most
// phrases are of this kind. It starts from the word that occurs least often in the document and reads
// positions in their encoded form.
type fixedPhrase struct {
	words   []*wordCursor
	offsets []int // distance of each word from the first one
	lead    int   // minimum ordinal of the first word
	need    cursor
	at      place
	starts  []uint16 // positions of the first word of each match
}

// newFixed returns a cursor for steps that are all words, else false.
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
		if p = c.need.seek(p); p == noPlace || c.findStarts() {
			c.at = p
			break
		}
		p++
	}
	return c.at
}

func (c *fixedPhrase) matchesHere(place) bool { return c.findStarts() }

// findStarts finds the matches of the phrase in the current document of the words and reports whether there are
// any.
func (c *fixedPhrase) findStarts() bool {
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

// ordinalOf returns the ordinal of a position in its section.
func ordinalOf(position uint16) int { return int(position & (1<<14 - 1)) }

// keepFollowed keeps the positions of starts for which raw, the encoded positions of another word, has a
// position offset behind them in the same section. Both ascend.
func keepFollowed(starts []uint16, raw []byte, offset int) (kept []uint16) {
	kept = starts[:0]
	n, i := len(raw)/2, 0
	search := n > 16*len(starts) // then binary search costs less than a linear scan
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

// score counts the matches in the best section; the first one gives the ordinal.
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

func (c *fixedPhrase) weighted(norm float64) (x float64) {
	for _, p := range c.starts {
		x += sectionWeight(int8(p>>14), norm)
	}
	return x
}

func (c *fixedPhrase) appendOffsets(dst []offset) []offset {
	for _, p := range c.starts {
		dst = append(dst, offsetOf(p))
	}
	return dst
}

func (c *fixedPhrase) scan() { c.need.scan() }
