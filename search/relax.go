package search

import (
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// Relaxed returns a tree in which quoted phrases among other words are no conditions, but count as their words and, in
// addition, as phrases, and the phrases. It has none if the phrases are all that the query asks for, or have a + or a
// section: people quote in a question, too (an attempt "type correct" when ...).
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
		if !ok || quoted.Unit || t.Must || quoted.Sections != 0 || !loose.OnlyWords() {
			continue
		}
		phrases = append(phrases, quoted)
		if and.Terms[i].Node = loose; len(loose.Steps) == 1 {
			and.Terms[i].Node = loose.Steps[0].Item.(query.Word)
		}
	}
	return and, phrases
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
