package query

import (
	"iter"
	"slices"
)

// Sections is a set of sections of a document; 0 means all of them. Bit i is section i in the numbering of
// positions (their bits 14 and 15). A tree has 0 instead of all four.
type Sections uint8

// The sections of the prefixes body:, desc:, keywords: and title:.
const (
	Body Sections = 1 << iota
	Desc
	Keywords
	Title

	allSections = Body | Desc | Keywords | Title
)

// Has reports whether a section (0 body, 1 description, 2 keywords, 3 title) belongs to the set.
func (s Sections) Has(section int) bool { return s == 0 || s&(1<<section) != 0 }

// A Query is a parsed query: a tree, or the URL of a link: query.
type Query struct {
	// Root is the tree that a document must match; nil if Link is set.
	Root Node
	// Link is the address of a link: query, with a scheme but otherwise as typed. Empty for other queries.
	Link string
	// Notes report differences between the text and the tree, in the order of the text.
	Notes []Note
}

// A Node is a condition that documents match: a Word, Pattern, Phrase, And or Or. Trees are immutable and may
// be shared.
type Node interface{ node() }

// A Word is one word as documents store it, in the given sections. Inside of a phrase it has the sections of
// the phrase.
type Word struct {
	Text     string
	Sections Sections
}

// A Phrase is words at consecutive places of one section. It has at least one step, the first with Skip 0,
// and every match contains a word. A phrase of one word was typed in quotation marks; a Unit was typed without
// blanks and without quotation marks (wi-fi). A Name is a unit that was written like a name in code (io_text, os.path).
type Phrase struct {
	Steps    []PhraseStep
	Sections Sections
	Unit     bool
	Name     bool
}

// A PhraseStep is an item of a sequence, Skip places behind the end of the previous item; 0 is directly
// behind it. The places between may hold any word. They come from * and from words that are not indexed.
type PhraseStep struct {
	Skip int
	Item Item
}

// An Item of a phrase is a Word, a Pattern or a Choice.
type Item interface{ item() }

// A Choice, in a phrase, matches where any of its sequences does; there are at least two: "full (table OR
// index) scan". They may differ in width, so the place of the next item depends on the sequence that matched.
type Choice struct {
	Any []Sequence
}

// A Sequence is steps followed by Tail places of any words. Without steps it matches wherever there is room
// for these.
type Sequence struct {
	Steps []PhraseStep
	Tail  int
}

// And matches documents that match all terms and none of Not, and that pass all filters. It has at
// least one term. If it has only one, it also has Not, Sites or Filters, and the term is not an And.
type And struct {
	Terms   []Term
	Not     []Node
	Sites   []SiteFilter
	Filters []Filter
}

// A Term of an And has Skip words that are left out, or * wildcards, before it. They widen the expected
// distance from the previous term. The first term has 0. Must says that a + or AND makes the term a condition,
// where it would not be one by itself (Condition).
type Term struct {
	Skip int
	Node Node
	Must bool
}

// Condition reports whether a document must match the term even if any word of the query is enough: all but
// words, patterns and units without a section, and groups of these.
func (t Term) Condition() bool { return t.Must || !free(t.Node) }

// free reports whether a node is not a condition by itself.
func free(n Node) bool {
	switch n := n.(type) {
	case Word:
		return n.Sections == 0
	case Pattern:
		return n.Sections == 0
	case Phrase:
		return n.Sections == 0 && n.OnlyWords()
	case And:
		return len(n.Not) == 0 && len(n.Sites) == 0 && len(n.Filters) == 0 && !slices.ContainsFunc(n.Terms, Term.Condition)
	}
	return false
}

// Flat returns a tree in which the terms of groups without a +, exclusions and sites are terms of the And around them:
// people write parentheses in sentences, too.
func Flat(n Node) Node {
	and, ok := n.(And)
	if !ok {
		return n
	}
	var terms []Term
	for _, t := range and.Terms {
		group, ok := t.Node.(And)
		if !ok || t.Must || len(group.Not) > 0 || len(group.Sites) > 0 {
			terms = append(terms, t)
			continue
		}
		group = Flat(group).(And)
		from := len(terms)
		terms = append(terms, group.Terms...)
		terms[from].Skip = t.Skip
	}
	and.Terms = terms
	return and
}

// OnlyWords reports whether the phrase is a unit that has no patterns.
func (n Phrase) OnlyWords() bool {
	return n.Unit && !slices.ContainsFunc(n.Steps, func(s PhraseStep) bool { _, word := s.Item.(Word); return !word })
}

// Or matches documents that match any of its nodes. It has at least two, none of which is an Or.
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

// Width returns the number of places that a node takes in a text: the next term of an And is expected that
// far behind its beginning. For alternatives it is the widest one's.
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

// Width returns the number of places that the sequence takes, with its widest choices.
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

// Places returns the places that the terms have in a text with exactly the words of the query, the first at
// 0.
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

// Walk calls f for n and all nodes below it, in the order of the text with exclusions behind the terms of
// their And. positive is false for excluded nodes and all nodes below them. If f returns false, the nodes
// below that node are not visited. The words of a phrase are not nodes: see Leaves.
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

// Leaves yields every Word and Pattern below n, including those of phrases, in the order of Walk, with false
// for excluded ones. An item that was typed twice is yielded twice.
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

// Terms returns the words and patterns that a matching document may have, each once, in the order of the
// text. Excerpts mark them. It returns nil for a link: query.
func (q *Query) Terms() []Item {
	var terms []Item
	for leaf, positive := range Leaves(q.Root) {
		if positive && !slices.Contains(terms, leaf) {
			terms = append(terms, leaf)
		}
	}
	return terms
}
