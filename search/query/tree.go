package query

import (
	"iter"
	"slices"
)

// Sections is a set of sections of a document; 0 is all of them. Bit i stands for section i as positions have it in
// their bits 14 and 15 (aspseek.md 5.2, 9.1). All four together are written 0 in a tree.
type Sections uint8

// The sections, which the prefixes body:, desc:, keywords: and title: name.
const (
	Body Sections = 1 << iota
	Desc
	Keywords
	Title

	allSections = Body | Desc | Keywords | Title
)

// Has reports whether section (0 body, 1 description, 2 keywords, 3 title) belongs to the set.
func (s Sections) Has(section int) bool { return s == 0 || s&(1<<section) != 0 }

// A Query is what was asked for: a tree, or the documents that link to a URL.
type Query struct {
	// Root is what a document must match; nil when Link is set.
	Root Node
	// Link is the address of a query link:URL, with a scheme but otherwise as typed. Empty for other queries.
	Link string
	// Notes say what was understood otherwise than written, in the order of the text.
	Notes []Note
}

// A Node is something that a document matches or does not: a Word, Pattern, Phrase, And or Or. Trees are never changed
// after they are made, and may be shared.
type Node interface{ node() }

// A Word is one word as documents store it, in the given sections. Inside a phrase the sections are the phrase's.
type Word struct {
	Text     string
	Sections Sections
}

// A Phrase is words at consecutive places of one section. It has at least one step, the first with Skip 0, and no
// document matches it without a word at some place. A phrase of one word was written in quotation marks.
type Phrase struct {
	Steps    []PhraseStep
	Sections Sections
}

// A PhraseStep of a sequence is an item that stands Skip places behind the end of the item before: 0 is next to it. The places
// in between may hold any word; they come from * and from words that the index leaves out.
type PhraseStep struct {
	Skip int
	Item Item
}

// An Item of a phrase is a Word, a Pattern or a Choice.
type Item interface{ item() }

// A Choice, in a phrase, is matched by any of its at least two sequences: "full (table OR index) scan". They may differ in
// width, so the place of what follows depends on which of them matched.
type Choice struct {
	Any []Sequence
}

// A Sequence is steps and Tail places of any words behind them. Without steps it is matched wherever there is room.
type Sequence struct {
	Steps []PhraseStep
	Tail  int
}

// And is matched by documents that match all terms, none of Not, and whose site passes all filters. There is at least one
// term; when it is the only one, then there are Not or Sites, and it is no And itself.
type And struct {
	Terms []Term
	Not   []Node
	Sites []SiteFilter
}

// A Term of an And: Skip words were left out, or given by *, between it and the term before. They widen the distance
// that is expected of the two (aspseek.md 9.3, 4). The first has 0.
type Term struct {
	Skip int
	Node Node
}

// Or is matched by documents that match any of its at least two nodes, none of which is an Or.
type Or struct {
	Any []Node
}

func (Word) node()    {}
func (Pattern) node() {}
func (Phrase) node()  {}
func (And) node()     {}
func (Or) node()      {}

func (Word) item()    {}
func (Pattern) item() {}
func (Choice) item()  {}

// Width is the number of places that a node takes in a text: what follows it in an And is expected that far behind its
// beginning. Of alternatives it is the widest.
func Width(n Node) int {
	switch n := n.(type) {
	case Phrase:
		return Sequence{Steps: n.Steps}.Width()
	case And:
		width := 0
		for _, t := range n.Terms {
			width += t.Skip + Width(t.Node)
		}
		return width
	case Or:
		width := 0
		for _, a := range n.Any {
			width = max(width, Width(a))
		}
		return width
	}
	return 1
}

// Width is the number of places that the sequence takes, by its widest choices.
func (s Sequence) Width() int {
	width := s.Tail
	for _, step := range s.Steps {
		width += step.Skip + itemWidth(step.Item)
	}
	return width
}

func itemWidth(i Item) int {
	choice, ok := i.(Choice)
	if !ok {
		return 1
	}
	width := 0
	for _, s := range choice.Any {
		width = max(width, s.Width())
	}
	return width
}

// Places are the places of the terms if the whole stood in a text as it was typed, the first at 0.
func (a And) Places() []int {
	places := make([]int, len(a.Terms))
	at := 0
	for i, t := range a.Terms {
		at += t.Skip
		places[i] = at
		at += Width(t.Node)
	}
	return places
}

// Walk calls f for n and all nodes below it in the order in which they were typed, exclusions behind the terms of their
// And. positive is false for what is excluded, and below it. Where f returns false, nothing below that node is visited. The
// words of a phrase are no nodes: Leaves has them.
func Walk(n Node, f func(n Node, positive bool) bool) { walk(n, true, f) }

func walk(n Node, positive bool, f func(Node, bool) bool) {
	if n == nil || !f(n, positive) {
		return
	}
	switch n := n.(type) {
	case And:
		for _, t := range n.Terms {
			walk(t.Node, positive, f)
		}
		for _, x := range n.Not {
			walk(x, false, f)
		}
	case Or:
		for _, a := range n.Any {
			walk(a, positive, f)
		}
	}
}

// Leaves yields every Word and Pattern below n, those of phrases included, in the order of Walk, with false for what is
// excluded. One that was typed twice comes twice.
func Leaves(n Node) iter.Seq2[Item, bool] {
	return func(yield func(Item, bool) bool) {
		done := false
		Walk(n, func(n Node, positive bool) bool {
			switch n := n.(type) {
			case Word:
				done = done || !yield(n, positive)
			case Pattern:
				done = done || !yield(n, positive)
			case Phrase:
				done = done || !stepLeaves(n.Steps, func(i Item) bool { return yield(i, positive) })
			}
			return !done
		})
	}
}

func stepLeaves(steps []PhraseStep, yield func(Item) bool) bool {
	for _, s := range steps {
		choice, ok := s.Item.(Choice)
		if !ok {
			if !yield(s.Item) {
				return false
			}
			continue
		}
		for _, a := range choice.Any {
			if !stepLeaves(a.Steps, yield) {
				return false
			}
		}
	}
	return true
}

// Terms are the words and patterns that a matching document may have, each once, in the order in which they were typed:
// what an excerpt marks. Nil for link:.
func (q *Query) Terms() []Item {
	var terms []Item
	for leaf, positive := range Leaves(q.Root) {
		if positive && !slices.Contains(terms, leaf) {
			terms = append(terms, leaf)
		}
	}
	return terms
}
