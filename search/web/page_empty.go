package web

import (
	"slices"
	"strings"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// emptyResult says why a page has no results, and what leads to some.
type emptyResult struct {
	PastEnd bool   // there are results, but not so many
	LastURL string // the last page of them, then

	Link    bool               // it was a query link:URL
	Missing []string           // words that no document has
	Words   []search.WordCount // all words, when each is in some document

	AnyQuery, AnyURL string // the query for any of the words
}

func emptyBecause(v *ResultsView) emptyResult {
	r := v.Result
	e := emptyResult{Link: strings.HasPrefix(strings.TrimSpace(v.Query), query.LinkPrefix)}
	if r.URLs > 0 && r.Pages > 0 {
		e.PastEnd = true
		if v.PageURL != nil {
			e.LastURL = v.PageURL(r.Pages - 1)
		}
		return e
	}
	var found []string
	for _, w := range r.Words {
		if w.URLs == 0 {
			e.Missing = append(e.Missing, w.Text)
		} else {
			found = append(found, w.Text)
		}
	}
	if len(e.Missing) == 0 {
		e.Words = r.Words
	}
	// Other words may help where all of these were wanted; a query of an OR has said so itself.
	if len(r.Words) > 1 && len(found) > 0 && !strings.Contains(v.Query, " OR ") && !strings.Contains(v.Query, "|") && v.QueryURL != nil {
		e.AnyQuery = strings.Join(found, " OR ")
		e.AnyURL = v.QueryURL(e.AnyQuery)
	}
	return e
}

// spelling is what a query might have meant.
type spelling struct {
	Query, URL string // with the first suggestion for each word; empty = there is none
	Others     []correction
}

// A correction query has another suggestion for one of the words.
type correction struct{ Query, URL string }

// shownSpellings is the number of other spellings that are shown.
const shownSpellings = 5

// respell puts suggestions into the query, which stays as it was typed otherwise.
func respell(query string, suggestions []search.Suggestion, url func(string) string) spelling {
	if len(suggestions) == 0 || url == nil {
		return spelling{}
	}
	first := map[string]string{}
	for _, s := range suggestions {
		if first[s.Word] == "" {
			first[s.Word] = s.Instead
		}
	}
	var s spelling
	best := replaceWords(query, first)
	if best == query {
		return spelling{} // the words stand in no text that can be changed here
	}
	s.Query, s.URL = best, url(best)
	for _, x := range suggestions {
		with := map[string]string{}
		for word, instead := range first {
			with[word] = instead
		}
		with[x.Word] = x.Instead
		other := replaceWords(query, with)
		if other != best && len(s.Others) < shownSpellings && !slices.ContainsFunc(s.Others, func(o correction) bool { return o.Query == other }) {
			s.Others = append(s.Others, correction{other, url(other)})
		}
	}
	return s
}

// replaceWords puts other words in the place of some, where the index sees words.
func replaceWords(text string, with map[string]string) string {
	var b strings.Builder
	done := 0
	document.Tokens(text, func(word string, start, end int) bool {
		if instead := with[word]; word != "" && instead != "" && start >= done {
			b.WriteString(text[done:start])
			b.WriteString(instead)
			done = end
		}
		return true
	})
	return b.String() + text[done:]
}
