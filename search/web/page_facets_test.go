package web

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/search"
)

// TestLongerTimesWithNoMoreDocuments: of times with the same documents the page shows the shortest, and the chosen one.
func TestLongerTimesWithNoMoreDocuments(t *testing.T) {
	p := testPages(t)
	v := sampleLinks(ResultsView{Query: "a", Result: sampleResult(false)})
	v.Result.Facets = []search.Facet{{Name: "date", Values: []search.FacetValue{
		{Value: "day", URLs: 2}, {Value: "week", URLs: 2}, {Value: "month", URLs: 2}, {Value: "year", URLs: 9}, {Value: "older", URLs: 9},
	}}}
	for chosen, want := range map[string]string{"": "day year older", "month": "day month year older"} {
		v.FacetURL = func(_ string, x *search.FacetValue) (string, bool) { return "/search?q=" + x.Value, x.Value == chosen }
		var b strings.Builder
		if err := p.Results(&b, v); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"day", "week", "month", "year", "older"} {
			if strings.Contains(b.String(), `href="/search?q=`+name+`"`) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("with %q chosen the page shows %v, want %s", chosen, got, want)
		}
	}
	v.Result.Facets[0].Values = v.Result.Facets[0].Values[:3]
	v.FacetURL = func(_ string, x *search.FacetValue) (string, bool) { return "/search?q=" + x.Value, false }
	var b strings.Builder
	if err := p.Results(&b, v); err != nil || strings.Contains(b.String(), `href="/search?q=day"`) {
		t.Errorf("%v: a time that all documents are in is no choice", err)
	}
}
