package search

import (
	"cmp"
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// trim leaves words out of a query with too many, and returns a note about it. It keeps those that can add most to a score: rare
// words, and words that the query repeats. Words that no document has go first.
func (c *someCursor) trim(s *scoring) []query.Note {
	if len(c.free) <= query.MaxTerms {
		return nil
	}
	c.unite(s)
	best := slices.Clone(c.free)
	slices.SortStableFunc(best, func(a, b *termCursor) int {
		return cmp.Or(cmp.Compare(min(b.size(), 1), min(a.size(), 1)), cmp.Compare(b.most, a.most))
	})
	c.leaveOut(s, best[min(query.MaxTerms, len(best)):])
	return []query.Note{query.NewNote(query.ManyWords, "The query has many words: only the %d most significant ones count.", query.MaxTerms)}
}

// unite adds the weights of terms that the query repeats to the first of them, and leaves the others out. The sum stays the same.
func (c *someCursor) unite(s *scoring) {
	first := map[any]*termCursor{}
	var again []*termCursor
	unite := func(t *termCursor, key any) {
		if to := first[key]; to != nil {
			to.most += t.most
			again = append(again, t)
			return
		}
		first[key] = t
	}
	type part struct { // a word of a unit
		unit  string
		place int
	}
	for _, u := range c.units {
		unite(u, part{u.text, -1})
		for i, w := range u.unit.words {
			unite(w, part{u.text, i})
		}
	}
	for _, t := range c.free {
		if !slices.ContainsFunc(c.units, func(u *termCursor) bool { return slices.Contains(u.unit.words, t) }) {
			unite(t, t.text)
		}
	}
	c.leaveOut(s, again)
}

// leaveOut removes terms, and units with any of them, from the query and from its score.
func (c *someCursor) leaveOut(s *scoring, gone []*termCursor) {
	drop := func(t *termCursor) bool {
		return slices.Contains(gone, t) || t.unit != nil && slices.ContainsFunc(t.unit.words, func(w *termCursor) bool { return slices.Contains(gone, w) })
	}
	s.leaveOut(drop)
	c.units = slices.DeleteFunc(c.units, drop)
	c.free = slices.DeleteFunc(c.free, drop)
}
