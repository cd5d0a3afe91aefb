package query

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query/querytest"
)

// FuzzParse: no text makes the parser panic. A query that is parsed is within the limits, and its canonical
// spelling has the same meaning. Any other text gives an error with a sentence and an offset inside the text.
func FuzzParse(f *testing.F) {
	for _, c := range queryCases {
		f.Add(c.text)
	}
	for _, c := range errorCases {
		if len(c.text) <= MaxBytes {
			f.Add(c.text)
		}
	}
	o := options(f)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text, o)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.At < 0 || e.At > len(text) {
				t.Fatalf("%#v", err)
			}
			querytest.CheckSentence(t, e.Error())
			return
		}
		for _, n := range q.Notes {
			if n.At < 0 || n.At >= len(text) {
				t.Errorf("note at %d", n.At)
			}
			querytest.CheckSentence(t, n.String())
		}
		checkQuery(t, q, o)
	})
}

// checkQuery verifies what the comments of tree.go state about queries.
func checkQuery(tb testing.TB, q *Query, o Options) {
	tb.Helper()
	if (q.Root == nil) == (q.Link == "") {
		tb.Fatalf("%#v", q)
	}
	canonical := q.String()
	again, err := parse(canonical, o, wide)
	if err != nil {
		tb.Fatalf("%q: %v", canonical, err)
	}
	if len(again.Notes) > 0 {
		tb.Errorf("%q: %v", canonical, again.Notes)
	}
	again.Notes = q.Notes
	if !reflect.DeepEqual(q, again) {
		tb.Fatalf("%q (-want +got):\n%s", canonical, cmp.Diff(q, again))
	}
	terms, positive := 0, 0
	for leaf, p := range Leaves(q.Root) {
		terms++
		if p {
			positive++
		}
		switch leaf := leaf.(type) {
		case Word:
			if !o.Stored(leaf.Text) {
				tb.Errorf("%q is not stored", leaf.Text)
			}
		case Pattern:
			if n := len([]rune(leaf.Fixed())) + syllables(leaf.Fixed()); n < DefaultMinFixedPatternLength || strings.ContainsAny(leaf.Text, `%_\`) {
				tb.Errorf("pattern %q", leaf.Text)
			}
		}
	}
	Walk(q.Root, func(n Node, _ bool) bool {
		switch n := n.(type) {
		case Phrase:
			if !needsWord(n.Steps) || n.Steps[0].Skip != 0 {
				tb.Errorf("phrase %v", n)
			}
		case And:
			if len(n.Terms) == 0 || n.Terms[0].Skip != 0 || len(n.Terms)+len(n.Not)+len(n.Sites)+len(n.Filters) < 2 {
				tb.Errorf("and %v", n)
			}
			for _, s := range n.Sites {
				terms += len(s.Any)
			}
			for _, f := range n.Filters {
				terms += len(f.Any)
			}
		case Or:
			if len(n.Any) < 2 {
				tb.Errorf("or %v", n)
			}
		}
		return true
	})
	if terms-spare(q.Root) > MaxTerms || q.Link == "" && positive == 0 {
		tb.Errorf("%d terms, %d positive", terms, positive)
	}
}

// FuzzWordsAreTheDocuments: a text without operators becomes a query of exactly the words, at the same
// distances, as in a document with this text.
func FuzzWordsAreTheDocuments(f *testing.F) {
	for _, c := range queryCases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.NewReplacer("*", " ", "?", " ").Replace(text)
		var want []string
		document.Tokens(Clean(text), func(word string, _, _ int) bool {
			want = append(want, word)
			return true
		})
		q, err := Params{Include: text, IncludePhrase: true}.Parse(Options{})
		if err != nil || strings.TrimSpace(text) == "" {
			return
		}
		var got []string
		for _, s := range q.Root.(Phrase).Steps {
			for range s.Skip {
				got = append(got, "")
			}
			got = append(got, s.Item.(Word).Text)
		}
		for len(want) > 0 && want[0] == "" {
			want = want[1:]
		}
		for len(want) > 0 && want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		if !slices.Equal(want, got) {
			diff := cmp.Diff(want, got)
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}
