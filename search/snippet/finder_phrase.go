package snippet

import (
	"slices"
	"unicode/utf8"

	"github.com/pgseek/pgseek/search/query"
)

// A termSequence is a query.Sequence of terms of a Finder.
type termSequence struct {
	steps  []termStep
	tail   int
	begins termSet // possible first terms; all if the first may be any word
}

// A termStep is a query.PhraseStep: a term, or a choice of sequences.
type termStep struct {
	skip int
	term termSet
	any  []termSequence
}

// addPhrases collects the phrases of a query, the terms that follow each other in them, and all terms of the
// query as one phrase: documents with that phrase rank highest, so an excerpt should show it.
func (f *Finder) addPhrases(q *query.Query, terms []query.Item) {
	add := func(s query.Sequence) {
		if len(f.phrases) == maxPhrases {
			return
		}
		compiled := compile(s, terms)
		if !compiled.several() {
			return
		}
		f.phrases = append(f.phrases, compiled)
		f.widest = max(f.widest, characters(s))
		f.noteFollowing(compiled, 0)
	}
	query.Walk(q.Root, func(n query.Node, positive bool) bool {
		if p, ok := n.(query.Phrase); ok && positive {
			add(query.Sequence{Steps: p.Steps})
		}
		return positive
	})
	and, ok := q.Root.(query.And)
	if !ok {
		return
	}
	var whole query.Sequence
	for _, t := range and.Terms {
		switch n := t.Node.(type) {
		case query.Word:
			whole.Append(query.Sequence{Steps: []query.PhraseStep{{Skip: t.Skip, Item: n}}})
		case query.Pattern:
			whole.Append(query.Sequence{Steps: []query.PhraseStep{{Skip: t.Skip, Item: n}}})
		case query.Phrase:
			steps := slices.Clone(n.Steps)
			steps[0].Skip += t.Skip
			whole.Append(query.Sequence{Steps: steps})
		default:
			return
		}
	}
	follow := f.follow
	add(whole)
	f.follow = follow // words with blanks between them get separate marks
}

// maxPhrases is the number of bits for phrases. A query has at most MaxTerms.
const maxPhrases = 32

func compile(s query.Sequence, terms []query.Item) termSequence {
	out := termSequence{tail: s.Tail}
	for _, step := range s.Steps {
		t := termStep{skip: step.Skip}
		if choice, ok := step.Item.(query.Choice); ok {
			for _, a := range choice.Any {
				t.any = append(t.any, compile(a, terms))
			}
		} else {
			t.term = setOf(terms, step.Item)
		}
		out.steps = append(out.steps, t)
	}
	switch {
	case len(out.steps) == 0 || out.steps[0].skip > 0:
		out.begins = ^termSet(0)
	case out.steps[0].any == nil:
		out.begins = out.steps[0].term
	default:
		for _, a := range out.steps[0].any {
			out.begins |= a.begins
		}
	}
	return out
}

// several reports whether a sequence has more than one term.
func (s termSequence) several() bool {
	return len(s.steps) > 1 || len(s.steps) == 1 && slices.ContainsFunc(s.steps[0].any, termSequence.several)
}

// characters returns the approximate length of a sequence in a text, in characters.
func characters(s query.Sequence) int {
	const word = 10 // including a blank
	n := s.Tail * word
	for _, step := range s.Steps {
		n += step.Skip * word
		switch item := step.Item.(type) {
		case query.Word:
			n += utf8.RuneCountInString(item.Text) + 2
		case query.Pattern:
			n += utf8.RuneCountInString(item.Text) + word
		case query.Choice:
			widest := 0
			for _, a := range item.Any {
				widest = max(widest, characters(a))
			}
			n += widest
		}
	}
	return n
}

// noteFollowing records the terms that follow each other. before are the possible terms directly before s; it
// returns those at the end of s.
func (f *Finder) noteFollowing(s termSequence, before termSet) termSet {
	for _, step := range s.steps {
		if step.skip > 0 {
			before = 0
		}
		if step.any == nil {
			for i := range before.all {
				f.follow[i] |= step.term
			}
			before = step.term
			continue
		}
		var ends termSet
		for _, a := range step.any {
			ends |= f.noteFollowing(a, before)
		}
		before = ends
	}
	if s.tail > 0 {
		return 0
	}
	return before
}

// ends returns the ordinals where a match of the sequence that begins at an ordinal may end, ascending, each
// once. at returns the terms at an ordinal. It takes no more than *budget steps, because a query and a text
// can be constructed so that there are billions.
func (s termSequence) ends(from int, at func(ordinal int) termSet, budget *int) []int {
	steps := s.steps
	for len(steps) > 0 && steps[0].any == nil {
		from += steps[0].skip
		if *budget--; *budget < 0 || at(from)&steps[0].term == 0 {
			return nil
		}
		from++
		steps = steps[1:]
	}
	ends := []int{from}
	for _, step := range steps {
		var next []int
		for _, o := range ends {
			o += step.skip
			*budget--
			switch {
			case *budget < 0:
				return nil
			case step.any == nil && at(o)&step.term != 0:
				next = append(next, o+1)
			}
			for _, a := range step.any {
				next = append(next, a.ends(o, at, budget)...)
			}
		}
		slices.Sort(next)
		if ends = slices.Compact(next); len(ends) == 0 {
			return nil
		}
	}
	for i := range ends {
		ends[i] += s.tail
	}
	return ends
}
