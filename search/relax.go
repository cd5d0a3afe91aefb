package search

import (
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// Relaxed returns a tree in which quoted phrases among other words are no conditions, but count as their words and, in
// addition, as phrases, and the phrases. Those with a section stay conditions. People quote in a question, too (when is an
// attempt "type correct"?).
func Relaxed(n query.Node) (query.Node, []query.Phrase) {
	and, ok := n.(query.And)
	if !ok {
		return n, nil
	}
	var phrases []query.Phrase
	and.Terms = slices.Clone(and.Terms)
	for i, t := range and.Terms {
		quoted, ok := t.Node.(query.Phrase)
		loose := quoted
		loose.Unit = true
		if !ok || quoted.Unit || quoted.Sections != 0 || !loose.OnlyWords() {
			continue
		}
		phrases = append(phrases, quoted)
		if and.Terms[i].Node = loose; len(loose.Steps) == 1 {
			and.Terms[i].Node = loose.Steps[0].Item.(query.Word)
		}
	}
	return and, phrases
}

// wordy reports whether the query has more words that are no conditions than count. It was not typed but pasted, and a phrase in
// quotation marks in it is no condition.
func (p *plan) wordy() bool {
	n := 0
	for _, t := range asAnd(p.tree).Terms {
		if t.Condition() {
			continue
		}
		if phrase, ok := t.Node.(query.Phrase); ok {
			n += len(phrase.Steps)
		} else {
			n++
		}
	}
	return n > query.MaxTerms
}

// relax makes the quoted phrases of a query that finds nothing optional, and reports whether there are any.
func (p *plan) relax() bool {
	tree, phrases := Relaxed(p.tree)
	for _, n := range phrases {
		p.notes = append(p.notes, query.Note{
			Kind: query.LoosePhrase,
			Text: "No document with the rest of the query has " + (&query.Query{Root: n}).String() + " as a phrase: its words are searched for.",
		})
	}
	p.tree = tree
	return len(phrases) > 0
}
