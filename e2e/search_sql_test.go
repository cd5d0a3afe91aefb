package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// askSQL compares search() and search_facets() in SQL with the engine at a stage, by random queries of their language.
func (x *queryChecker) askSQL(stage string, parse query.Options) {
	x.t.Helper()
	e := engine(x.t, x.dsn, search.EngineOptions{})
	for i := range x.queries / 6 {
		a := &queryGenerator{Rand: rand.New(rand.NewPCG(100+x.stages, uint64(i))), o: x.o, rules: parse}
		text := a.plain()
		q, err := query.Parse(text, parse)
		if err != nil {
			continue
		}
		request := search.Request{Query: q, PerPage: search.MaxPerPage, Facets: true, All: a.IntN(3) == 0}
		match := "any"
		if request.All {
			match = "all"
		}
		forms := "off"
		if a.IntN(2) == 0 {
			forms, request.Forms = "on", []string{search.DocumentLanguages}
		}
		r, err := e.Search(x.t.Context(), request)
		if err != nil {
			x.t.Fatal(err)
		}
		if slices.ContainsFunc(r.Spell, func(s search.Suggestion) bool { return s.Used }) {
			continue // SQL corrects nothing
		}
		var hits, counts []string
		for _, h := range r.Hits {
			hits = append(hits, fmt.Sprint(h.Rank, h.URLID, h.All))
		}
		for _, f := range r.Facets {
			for _, v := range f.Values {
				if v.URLs > 0 {
					counts = append(counts, fmt.Sprint(f.Name, " ", v.Value, " ", v.URLs))
				}
			}
		}
		got := x.rows(`SELECT rank, url_id, all_words FROM search($1, 100, $2, forms => $3)`, text, match, forms)
		if diff := cmp.Diff(hits, got, cmpopts.EquateEmpty()); diff != "" {
			x.t.Fatalf("%s: search('%s', match => '%s', forms => '%s') (-engine +SQL):\n%s", stage, text, match, forms, diff)
		}
		x.inSQL += len(got)
		got = x.rows(`SELECT facet, value, documents FROM search_facets($1, $2, forms => $3)`, text, match, forms)
		if diff := cmp.Diff(counts, got, cmpopts.EquateEmpty()); diff != "" {
			x.t.Fatalf("%s: search_facets('%s', '%s', '%s') (-engine +SQL):\n%s", stage, text, match, forms, diff)
		}
	}
}

// spelledWords are words of the generated pages with other spellings and forms, and stiinta, which is on no page.
var spelledWords = strings.Fields("résumé resume учёт учета știință ştiinţe stiinta 학교 학교에서 müller mueller")

// plain returns a query in the language of search(): words of a document, two of them quoted, conditions and exclusions.
func (a *queryGenerator) plain() string {
	d := a.document()
	var parts []string
	for range 1 + a.IntN(4) {
		section, at, ok := a.place(d)
		if !ok {
			continue
		}
		text := d.text[section]
		part := text[at]
		if a.IntN(4) == 0 {
			part = spelledWords[a.IntN(len(spelledWords))]
		}
		if a.IntN(3) == 0 && at+1 < len(text) {
			part = `"` + part + " " + text[at+1] + `"`
		}
		if len(parts) > 0 {
			part = []string{"", "", "", "-", "+", "AND "}[a.IntN(6)] + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}
