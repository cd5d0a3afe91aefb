package search

import (
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// WithOptions returns a tree in which exclusions of a single Latin letter or digit are words: nobody means documents without
// an e by zipfile -e. -"e" excludes it.
func WithOptions(n query.Node) query.Node {
	and, ok := n.(query.And)
	if !ok || !slices.ContainsFunc(and.Not, isOption) {
		return n
	}
	terms := slices.Clone(and.Terms)
	for _, x := range and.Not {
		if isOption(x) {
			terms = append(terms, query.Term{Node: x})
		}
	}
	and.Terms, and.Not = terms, slices.DeleteFunc(slices.Clone(and.Not), isOption)
	return and
}

func isOption(n query.Node) bool {
	w, ok := n.(query.Word)
	return ok && w.Sections == 0 && len(w.Text) == 1
}
