package search

import "testing"

// TestChosenWithoutAValue: documents without a language can be chosen, but have no value to show.
func TestChosenWithoutAValue(t *testing.T) {
	f := listed(map[string]int{"de": 2}, []string{"", "en"}, 10)
	if len(f.Values) != 2 || f.Values[0].Value != "de" || f.Values[1] != (FacetValue{Value: "en", Chosen: true}) {
		t.Errorf("got %+v", f)
	}
}
