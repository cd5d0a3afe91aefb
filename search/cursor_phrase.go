package search

import (
	"cmp"
	"slices"
)

// A phraseCursor iterates over the documents in which the steps of a phrase follow each other in one section.
// It represents a partial phrase by the set of its possible ends: alternatives differ in width, so each step
// leads from a set of ends to the next set.
type phraseCursor struct {
	steps []phraseStep
	need  cursor // documents that may match
	at    place
	found []match
	here  []offset   // buffer of word
	room  [2][]match // buffers for its results: a phrase without choices needs only the last two sets
	free  int        // index of the buffer to use next
	plain bool       // the phrase has no choices
}

// A match of the steps so far extends from the first word to the place of the next word.
type match struct{ begin, end offset }

// A phraseStep is a gap of skip places followed by a word or by one of several sequences.
type phraseStep struct {
	skip int
	word cursor
	any  []phraseSequence
}

// A phraseSequence is a list of steps followed by a gap of tail places.
type phraseSequence struct {
	steps []phraseStep
	tail  int
	need  cursor // documents that may match; nil = all
}

// anywhere is the end of the only match before the first word of a phrase: it represents every place from its
// ordinal on, and is in no section.
const anywhere = offset(-1 << 20)

// begin is the set of matches before the first word.
var begin = []match{{anywhere, anywhere}}

func newPhrase(steps []phraseStep) cursor {
	if fixed, ok := newFixed(steps); ok {
		return fixed
	}
	choice := slices.ContainsFunc(steps, func(s phraseStep) bool { return s.word == nil })
	return &phraseCursor{steps: steps, need: needOf(steps), plain: !choice}
}

// needOf returns a cursor over the documents that have all words of the steps, and of each choice the words
// of one sequence. It returns nil if the steps need no word.
func needOf(steps []phraseStep) cursor {
	var all []cursor
	for _, s := range steps {
		if s.word != nil {
			all = append(all, s.word)
			continue
		}
		var some []cursor
		for _, sequence := range s.any {
			if sequence.need == nil {
				some = nil
				break
			}
			some = append(some, sequence.need)
		}
		if some != nil {
			all = append(all, newAny(some))
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return newAll(all, make([]int, len(all)), nil, nil)
}

func (c *phraseCursor) seek(p place) place {
	for c.at < p {
		q := c.need.seek(p)
		if q == noPlace {
			c.at = q
			break
		}
		c.found = c.walk(c.steps, 0, begin, q)
		if len(c.found) > 0 {
			c.at = q
			break
		}
		p = q + 1
	}
	return c.at
}

func (c *phraseCursor) matchesHere(at place) bool {
	c.found = c.walk(c.steps, 0, begin, at)
	return len(c.found) > 0
}

// walk extends each of the matches by the steps and then by tail places.
func (c *phraseCursor) walk(steps []phraseStep, tail int, from []match, at place) []match {
	for _, s := range steps {
		from = shift(from, s.skip)
		if s.word != nil {
			from = c.word(s.word, from)
		} else {
			from = c.choice(s.any, from, at)
		}
		if len(from) == 0 {
			return nil
		}
	}
	return shift(from, tail)
}

// shift moves the ends of matches.
func shift(matches []match, by int) []match {
	if by == 0 {
		return matches
	}
	out := make([]match, len(matches))
	for i, m := range matches {
		out[i] = match{m.begin, m.end + offset(by)}
	}
	return out
}

// word extends matches by one word.
func (c *phraseCursor) word(w cursor, from []match) (out []match) {
	if c.plain {
		out = c.room[c.free][:0]
	}
	c.here = w.appendOffsets(c.here[:0])
	i := 0
	for _, h := range c.here {
		// The match that may end anywhere is the first of its set. A phrase that begins at this word has the
		// latest beginning.
		for i < len(from) && from[i].end < h {
			i++
		}
		switch {
		case len(from) > 0 && from[0].end < 0 && h.ordinal() >= int32(from[0].end-anywhere):
			out = append(out, match{h, h + 1})
		case i < len(from) && from[i].end == h:
			out = append(out, match{from[i].begin, h + 1})
		}
	}
	if c.plain {
		c.room[c.free] = out
		c.free = 1 - c.free
	}
	return out
}

// choice extends matches by one of several sequences. The result is ordered by end; of matches with the same
// end it keeps the one that begins last.
func (c *phraseCursor) choice(sequences []phraseSequence, from []match, at place) (out []match) {
	for _, s := range sequences {
		if s.need == nil || s.need.seek(at) == at {
			out = append(out, c.walk(s.steps, s.tail, from, at)...)
		}
	}
	slices.SortFunc(out, func(a, b match) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(b.begin, a.begin)) })
	return slices.CompactFunc(out, func(a, b match) bool { return a.end == b.end })
}

func (c *phraseCursor) size() int64 { return c.need.size() }

// score counts the matches in the best section; the first one gives the ordinal.
func (c *phraseCursor) score(s *score) {
	s.exact, s.section, s.kind, s.phrase = true, c.found[len(c.found)-1].end.section(), byPhrase, 0
	s.ordinal, s.count = 1<<14, 0
	for _, m := range c.found {
		if m.begin.section() == s.section {
			s.count++
			s.ordinal = min(s.ordinal, m.begin.ordinal())
		}
	}
}

func (c *phraseCursor) weighted(norm float64) (x float64) {
	for _, m := range c.found {
		x += sectionWeight(m.begin.section(), norm)
	}
	return x
}

func (c *phraseCursor) appendOffsets(dst []offset) []offset {
	from := len(dst)
	for _, m := range c.found {
		dst = append(dst, m.begin)
	}
	slices.Sort(dst[from:])
	return append(dst[:from], slices.Compact(dst[from:])...)
}

func (c *phraseCursor) scan() { c.need.scan() }
