package web

import (
	"slices"
	"strings"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// An emptyResult has the reasons why a page has no results, and links to searches that have some.
type emptyResult struct {
	PastEnd bool   // there are results, but this page is beyond them
	LastURL string // their last page, if PastEnd

	Link    bool               // the query is link:URL
	Missing []string           // words that are in no document
	Words   []search.WordCount // all words, if each is in some document

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
	// Offer a search for any of the words, unless the query has alternatives already.
	if len(r.Words) > 1 && len(found) > 0 && !strings.Contains(v.Query, " OR ") && !strings.Contains(v.Query, "|") && v.QueryURL != nil {
		e.AnyQuery = strings.Join(found, " OR ")
		e.AnyURL = v.QueryURL(e.AnyQuery)
	}
	return e
}

// A spelling is the suggested corrections of a query.
type spelling struct {
	Query, URL string // with the first suggestion for each word; empty = none
	Others     []correction
	Used       []search.Suggestion // by which documents were found
}

// A correction is the query with another suggestion for one of the words.
type correction struct{ Query, URL string }

// shownSpellings is the number of other spellings that are shown.
const shownSpellings = 5

// respell replaces words of the query by suggestions and leaves the rest as it was typed.
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
	for _, x := range suggestions {
		if x.Used {
			s.Used = append(s.Used, x)
		}
	}
	best := replaceWords(query, first)
	if best == query {
		return s // the words are not in this text
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

// replaceWords replaces words of a text, which it finds by the rules of the index.
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
