package search

import (
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// KeyMatchKind says which queries show a key match.
type KeyMatchKind int

// The kinds.
const (
	ExactMatch   KeyMatchKind = iota // the query has exactly these words, in this order
	PhraseMatch                      // it has them beside each other, in this order
	KeywordMatch                     // it has all of them
)

// A KeyMatch is a link that the operator shows above the results of some queries.
type KeyMatch struct{ URL, Title string }

// maxKeyMatches is the maximum number of key matches of a query.
const maxKeyMatches = 5

// keyText is the text of a key match.
type keyText struct {
	KeyMatch
	kind  KeyMatchKind
	words []textWord
	order int // in which they were added
}

// AddKeyMatch adds a link for queries with the words of a text. The error names the text.
func (v *Vocabulary) AddKeyMatch(kind KeyMatchKind, text string, link KeyMatch) error {
	words, err := v.cut(text)
	if err != nil {
		return &TextError{text, err}
	}
	bucket := bucketOf(words[0].text)
	v.links[bucket] = append(v.links[bucket], keyText{link, kind, words, v.count})
	v.count++
	return nil
}

// keyMatches returns the links of a query, in the order in which they were added. Other forms of a word are the word.
func (v *Vocabulary) keyMatches(q *query.Query, languages []string) (links []KeyMatch) {
	if v == nil || v.count == 0 || q.Root == nil {
		return nil
	}
	run, only := wordsInOrder(q.Root)
	compare := newComparer(languages)
	var found []keyText
	seen := map[string]bool{}
	for _, w := range run {
		bucket := bucketOf(w.text)
		if seen[bucket] {
			continue
		}
		seen[bucket] = true
		for _, k := range v.links[bucket] {
			if k.fits(compare, run, only) {
				found = append(found, k)
			}
		}
	}
	slices.SortFunc(found, func(a, b keyText) int { return a.order - b.order })
	for _, k := range found {
		if len(links) < maxKeyMatches && !slices.ContainsFunc(links, func(l KeyMatch) bool { return l.URL == k.URL }) {
			links = append(links, k.KeyMatch)
		}
	}
	return links
}

// fits reports whether a query has the words. only: it is nothing but these words.
func (k *keyText) fits(c *comparer, run []textWord, only bool) bool {
	switch k.kind {
	case KeywordMatch:
		return !slices.ContainsFunc(k.words, func(w textWord) bool {
			return !slices.ContainsFunc(run, func(o textWord) bool { return c.same(o.text, w.text) })
		})
	case ExactMatch:
		return only && len(run) == len(k.words) && k.begins(c, run)
	}
	for i := range run {
		if k.begins(c, run[i:]) {
			return true
		}
	}
	return false
}

// begins reports whether a run of words begins with those of the text.
func (k *keyText) begins(c *comparer, run []textWord) bool {
	if len(run) < len(k.words) {
		return false
	}
	for i, w := range k.words {
		if i > 0 && w.skip != run[i].skip || !c.same(run[i].text, w.text) {
			return false
		}
	}
	return true
}

// wordsInOrder returns the words of a query that are not excluded and are in no section. only is false if it has
// anything else.
func wordsInOrder(n query.Node) (run []textWord, only bool) {
	only = true
	skip := 0
	var visit func(n query.Node)
	visit = func(n query.Node) {
		switch n := n.(type) {
		case query.Word:
			if n.Sections != 0 {
				only = false
				return
			}
			run = append(run, textWord{n.Text, skip})
			skip = 0
		case query.Phrase:
			for _, s := range n.Steps {
				word, ok := s.Item.(query.Word)
				if !ok || word.Sections != 0 {
					only = false
					continue
				}
				run = append(run, textWord{word.Text, skip + s.Skip})
				skip = 0
			}
		case query.And:
			only = only && len(n.Not) == 0 && len(n.Sites) == 0
			for _, t := range n.Terms {
				skip = t.Skip
				visit(t.Node)
			}
		default: // an Or or a pattern
			only = false
		}
	}
	visit(n)
	return run, only
}
