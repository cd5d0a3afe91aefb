package search

import (
	"container/heap"
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// A cursor goes through the documents that match a node of the query, in the order of the index. It never goes back.
type cursor interface {
	// seek goes to the first match at or behind p, or stays where it is if that is behind p, and returns where it stands.
	seek(p place) place
	// size is how many documents it may have at most; it orders the work and decides nothing else.
	size() int64
	// score writes that of the document at which it stands. It is not returned: a struct of small parts, put together out of
	// registers for each document, takes longer to copy than all else about it.
	score(*score)
	// spots appends where it matches in the document at which it stands, ascending; where a phrase begins. What has
	// no place, such as several terms, has none.
	spots(dst []offset) []offset
	// scan says that it is going to be read from beginning to end.
	scan()
}

// A offset is a place in a document: the section in bits 16 and 17, the ordinal below. Unlike a position it may be counted
// on beyond the last ordinal without becoming one of the next section.
type offset int32

func spotOf(position uint16) offset { return offset(position>>14)<<16 | offset(position&(1<<14-1)) }

func (s offset) section() int8  { return int8(s >> 16) }
func (s offset) ordinal() int32 { return int32(s & (1<<16 - 1)) }

// A wordCursor is a word in some sections.
type wordCursor struct {
	*reader
	sections query.Sections
	exact    bool // as it was typed, not another form of it
	flat     bool // its place in the section does not count
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

// best is the best of its sections in which the word stands, -1 if none.
func (c *wordCursor) best() int {
	// Positions ascend, so the last one tells the best of all sections.
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
	if n := len(c.raw) / 2; c.sections == 0 && positionAt(c.raw, n-1)>>14 == 0 { // mostly: in the body only
		s.count = int32(n)
		return
	}
	best := c.best()
	s.section = int8(best)
	switch {
	case best == 0:
		s.count = int32(len(section(c.raw, 0)) / 2)
	case !c.flat:
		s.ordinal = spotOf(positionAt(section(c.raw, best), 0)).ordinal()
	}
}

func (c *wordCursor) spots(dst []offset) []offset {
	for i := range len(c.raw) / 2 {
		if p := positionAt(c.raw, i); c.sections.Has(int(p >> 14)) {
			dst = append(dst, spotOf(p))
		}
	}
	return dst
}

// none is a cursor without documents.
type none struct{}

func (none) seek(place) place            { return noPlace }
func (none) size() int64                 { return 0 }
func (none) score(s *score)              { *s = score{} }
func (none) spots(dst []offset) []offset { return dst }
func (none) scan()                       {}

// A listCursor is documents that are known beforehand, ascending.
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

func (l *listCursor) size() int64                 { return int64(len(l.places)) }
func (l *listCursor) score(s *score)              { *s = score{exact: true, kind: byLink} }
func (l *listCursor) spots(dst []offset) []offset { return dst }
func (l *listCursor) scan()                       {}

// An anyCursor has the documents that any of its cursors has: an Or, the words that a pattern fits, the forms of a word.
type anyCursor struct {
	of    []placed // a heap: the one that stands first is of[0]
	equal []cursor // those that stand at the document, found on demand
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
func (c *anyCursor) Push(any)           {} // heap.Interface; nothing comes or goes
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

// here are the cursors that stand at the document.
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

// score is that of the best one, an exact one first, and their occurrences add up (aspseek.md 9.3, 3; there the section of
// another form counts for the exact one, which puts pages about "index" before those about "indexes").
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

func (c *anyCursor) spots(dst []offset) []offset {
	from := len(dst)
	several := false
	for i, o := range c.here() {
		several = several || i > 0
		dst = o.spots(dst)
	}
	if several {
		slices.Sort(dst[from:])
		dst = append(dst[:from], slices.Compact(dst[from:])...)
	}
	return dst
}

func (c *anyCursor) scan() {
	for _, o := range c.of {
		o.scan()
	}
}
