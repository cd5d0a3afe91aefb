package search

import (
	"container/heap"
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// A cursor iterates over the documents that match a node of the query, in the order of the index. It never
// goes back.
type cursor interface {
	// seek moves to the first match at or after p and returns its place. It does not move if the current
	// match is after p.
	seek(p place) place
	// size returns an upper bound of the number of matches. It is used only to order the work.
	size() int64
	// score writes the score of the current document. It does not return the score: assembling a struct of
	// small fields from registers for each document takes longer than all other work of a match.
	score(*score)
	// weighted returns the weighted occurrences in the current document (rank.go); norm is the divisor of those
	// in the body.
	weighted(norm float64) float64
	// appendOffsets appends the offsets of the matches in the current document, ascending; for a phrase, where it
	// begins. Nodes without an offset, such as several terms, append none.
	appendOffsets(dst []offset) []offset
	// scan announces that the cursor is going to be read from beginning to end.
	scan()
}

// An offset is a place in a document: the section in bits 16 and 17, the ordinal below. Unlike a position it
// can be increased beyond the last ordinal without becoming an offset of the next section.
type offset int32

func offsetOf(position uint16) offset { return offset(position>>14)<<16 | offset(position&(1<<14-1)) }

func (s offset) section() int8  { return int8(s >> 16) }
func (s offset) ordinal() int32 { return int32(s & (1<<16 - 1)) }

// A wordCursor iterates over the documents that have a word in some sections.
type wordCursor struct {
	*reader
	sections query.Sections
	exact    bool    // the word as typed, not another form of it
	weight   float64 // of an occurrence, if it is not
	flat     bool    // its place in the section does not count
}

func (c *wordCursor) seek(p place) place {
	for {
		p = c.reader.seek(p)
		if p == noPlace || c.sections == 0 || c.best() >= 0 {
			return p
		}
		p++
	}
}

// best returns the best of the cursor's sections that the word occurs in, or -1.
func (c *wordCursor) best() int {
	// Positions ascend, so the last one is in the best of all sections.
	last := int(positionAt(c.raw, len(c.raw)/2-1) >> 14)
	if c.sections.Has(last) {
		return last
	}
	for s := last - 1; s >= 0; s-- {
		if c.sections.Has(s) && len(section(c.raw, s)) > 0 {
			return s
		}
	}
	return -1
}

func (c *wordCursor) size() int64 { return c.reader.size }

func (c *wordCursor) score(s *score) {
	s.exact, s.section, s.kind, s.phrase, s.ordinal, s.count = c.exact, 0, byWord, 0, 0, 0
	if n := len(c.raw) / 2; c.sections == 0 && positionAt(c.raw, n-1)>>14 == 0 { // most postings: in the body only
		s.count = int32(n)
		return
	}
	best := c.best()
	s.section = int8(best)
	switch {
	case best == 0:
		s.count = int32(len(section(c.raw, 0)) / 2)
	case !c.flat:
		s.ordinal = offsetOf(positionAt(section(c.raw, best), 0)).ordinal()
	}
}

func (c *wordCursor) appendOffsets(dst []offset) []offset {
	for i := range len(c.raw) / 2 {
		if p := positionAt(c.raw, i); c.sections.Has(int(p >> 14)) {
			dst = append(dst, offsetOf(p))
		}
	}
	return dst
}

// none is a cursor without matches.
type none struct{}

func (none) seek(place) place                    { return noPlace }
func (none) size() int64                         { return 0 }
func (none) score(s *score)                      { *s = score{} }
func (none) weighted(float64) float64            { return 0 }
func (none) appendOffsets(dst []offset) []offset { return dst }
func (none) scan()                               {}

// A listCursor iterates over a list of documents that is known in advance, ascending.
type listCursor struct {
	places []place
	at     int
}

func (l *listCursor) seek(p place) place {
	if l.at < len(l.places) && l.places[l.at] < p {
		n, _ := slices.BinarySearch(l.places[l.at:], p)
		l.at += n
	}
	if l.at == len(l.places) {
		return noPlace
	}
	return l.places[l.at]
}

func (l *listCursor) size() int64                         { return int64(len(l.places)) }
func (l *listCursor) score(s *score)                      { *s = score{exact: true, kind: byLink} }
func (l *listCursor) weighted(float64) float64            { return 0 }
func (l *listCursor) appendOffsets(dst []offset) []offset { return dst }
func (l *listCursor) scan()                               {}

// An anyCursor iterates over the union of several cursors: an Or, the words that match a pattern, the forms
// of a word.
type anyCursor struct {
	of    []placed // a heap by place; of[0] has the current document
	equal []cursor // those at the current document, found on demand
	part  score    // of one of them
	begun bool
}

type placed struct {
	cursor
	at place
}

func newAny(of []cursor) cursor {
	switch len(of) {
	case 0:
		return none{}
	case 1:
		return of[0]
	}
	c := &anyCursor{of: make([]placed, len(of))}
	for i := range of {
		c.of[i].cursor = of[i]
	}
	return c
}

func (c *anyCursor) Len() int           { return len(c.of) }
func (c *anyCursor) Less(i, j int) bool { return c.of[i].at < c.of[j].at }
func (c *anyCursor) Swap(i, j int)      { c.of[i], c.of[j] = c.of[j], c.of[i] }
func (c *anyCursor) Push(any)           {} // heap.Interface; never called
func (c *anyCursor) Pop() any           { return nil }

func (c *anyCursor) seek(p place) place {
	if !c.begun {
		c.begun = true
		for i := range c.of {
			c.of[i].at = c.of[i].seek(p)
		}
		heap.Init(c)
	}
	for first := &c.of[0]; first.at < p; {
		first.at = first.seek(p)
		heap.Fix(c, 0)
	}
	return c.of[0].at
}

// here returns the cursors that are at the current document.
func (c *anyCursor) here() []cursor {
	c.equal = c.equal[:0]
	at := c.of[0].at
	var visit func(i int)
	visit = func(i int) {
		if i < len(c.of) && c.of[i].at == at {
			c.equal = append(c.equal, c.of[i].cursor)
			visit(2*i + 1)
			visit(2*i + 2)
		}
	}
	visit(0)
	return c.equal
}

func (c *anyCursor) size() (n int64) {
	for _, o := range c.of {
		n += o.size()
	}
	return n
}

// score is the best score of the cursors, an exact word first, with the sum of their occurrences. The section
// of another form does not count for the exact word: pages about "index" come before pages about "indexes".
func (c *anyCursor) score(best *score) {
	count := int32(0)
	for i, o := range c.here() {
		o.score(&c.part)
		count += c.part.count
		if i == 0 || c.part.compare(*best) > 0 {
			*best = c.part
		}
	}
	best.count = count
}

func (c *anyCursor) weighted(norm float64) (x float64) {
	for _, o := range c.here() {
		x += o.weighted(norm)
	}
	return x
}

func (c *anyCursor) appendOffsets(dst []offset) []offset {
	from := len(dst)
	several := false
	for i, o := range c.here() {
		several = several || i > 0
		dst = o.appendOffsets(dst)
	}
	if several {
		return sortOffsets(dst, from)
	}
	return dst
}

// sortOffsets sorts the offsets behind the first ones and removes those that are there twice.
func sortOffsets(dst []offset, from int) []offset {
	slices.Sort(dst[from:])
	return append(dst[:from], slices.Compact(dst[from:])...)
}

func (c *anyCursor) scan() {
	for _, o := range c.of {
		o.scan()
	}
}
