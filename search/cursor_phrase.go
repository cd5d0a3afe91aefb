package search

import (
	"cmp"
	"slices"
)

// A phraseCursor has the documents in which the steps of a phrase follow each other in one section. It knows a phrase by where it
// may end: since alternatives differ in width, each step leads from a set of ends to the next one.
type phraseCursor struct {
	steps []phraseStep
	need  cursor // documents that may have it
	at    place
	found []match
	here  []offset   // memory for word
	room  [2][]match // and for what it returns: of a phrase without choices only the last two sets count
	free  int        // which of them is
	plain bool       // it is such a phrase
}

// A match of the steps so far: from the first word to where the next word would stand.
type match struct{ begin, end offset }

// A phraseStep is skip places and then a word, or one of several sequences.
type phraseStep struct {
	skip int
	word cursor
	any  []phraseSequence
}

// A phraseSequence is steps and tail places behind them.
type phraseSequence struct {
	steps []phraseStep
	tail  int
	need  cursor // documents that may have it; nil = all
}

// anywhere, as the only match of a set, stands for every place from its ordinal on: before the first word of a phrase. It
// is in no section.
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

// needOf is a cursor with the documents that have all words of steps, and of each choice the words of one sequence. Nil when
// there is no document without them.
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

// walk goes the steps, and then tail places, from each of the matches.
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

// shift moves the ends on.
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

// word is one word on.
func (c *phraseCursor) word(w cursor, from []match) (out []match) {
	if c.plain {
		out = c.room[c.free][:0]
	}
	c.here = w.spots(c.here[:0])
	i := 0
	for _, h := range c.here {
		// What may stand anywhere is the first match of its set. Begun here, the phrase has begun last.
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

// choice is one of several sequences on: the matches of all of them, by their ends, of equal ends the one that began last.
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

// score: where it begins first in its best section.
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

func (c *phraseCursor) spots(dst []offset) []offset {
	from := len(dst)
	for _, m := range c.found {
		dst = append(dst, m.begin)
	}
	slices.Sort(dst[from:])
	return append(dst[:from], slices.Compact(dst[from:])...)
}

func (c *phraseCursor) scan() { c.need.scan() }
