package web

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search"
)

// TestToggled: a value of a facet is added to the search or, if it is chosen, removed, and the first page is shown.
func TestToggled(t *testing.T) {
	for _, c := range []struct {
		query, facet string
		value        search.FacetValue
		want         string
	}{
		{"q=a&np=3", "site", search.FacetValue{Site: 7, Value: "http://a/"}, "q=a&st=7"},
		{"q=a&st=9", "site", search.FacetValue{Site: 7, Value: "http://a/"}, "q=a&st=7%2C9"},
		{"q=a&st=7,9", "site", search.FacetValue{Site: 7, Value: "http://a/", Chosen: true}, "q=a&st=9"},
		{"q=a&lang=de", "lang", search.FacetValue{Value: "fr"}, "q=a&lang=de%2Cfr"},
		{"q=a&lang=de", "lang", search.FacetValue{Value: "de", Chosen: true}, "q=a"},
		{"q=a&type=pdf&lang=de", "type", search.FacetValue{Value: "html"}, "q=a&lang=de&type=html%2Cpdf"},
		{"q=a&tag=3", "tag", search.FacetValue{Value: "3", Chosen: true}, "q=a"},
		{"q=a&path=/x/", "path", search.FacetValue{Value: "/y/"}, "q=a&path=%2Fy%2F"},
		{"q=a&path=/x/", "path", search.FacetValue{Value: "/x/", Chosen: true}, "q=a"},
		{"q=a", "date", search.FacetValue{Value: "week"}, "q=a&dt=back&dp=7d"},
		{"q=a&dt=back&dp=7d&fr=1000", "date", search.FacetValue{Value: "week"}, "q=a"},
		{"q=a&dt=back&dp=7d&fr=1000", "date", search.FacetValue{Value: "older"}, "q=a&dt=older&dp=365d"},
		{"q=a&dt=older&dp=365d", "date", search.FacetValue{Value: "older"}, "q=a"},
	} {
		f := formOf(t, c.query)
		got := f.Toggled(c.facet, &c.value)
		if got.Encode() != c.want {
			t.Errorf("%s, %s %s: %s, want %s", c.query, c.facet, c.value.Value, got.Encode(), c.want)
		}
		if diff := cmp.Diff(got, formOf(t, got.Encode())); diff != "" {
			t.Errorf("%s: read again (-first +second):\n%s", c.want, diff)
		}
	}
}

// TestFacetsJSON: the links of facets, and spans without documents are left out.
func TestFacetsJSON(t *testing.T) {
	f := formOf(t, "q=a&lang=de&dt=back&dp=1d")
	got := newFacetsJSON([]search.Facet{
		{Name: "lang", Values: []search.FacetValue{{Value: "en", URLs: 4}, {Value: "de", URLs: 0, Chosen: true}}, More: 2},
		{Name: "date", Values: []search.FacetValue{{Value: "day"}, {Value: "week"}, {Value: "older", URLs: 1}}},
	}, f, &Defaults{})
	want := []facetJSON{
		{"lang", []facetValueJSON{
			{"en", 0, 4, false, "/search?q=a&lang=de%2Cen&dt=back&dp=1d"}, {"de", 0, 0, true, "/search?q=a&dt=back&dp=1d"},
		}, 2},
		{"date", []facetValueJSON{{"day", 0, 0, true, "/search?q=a&lang=de"}, {"older", 0, 1, false, "/search?q=a&lang=de&dt=older&dp=365d"}}, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOlderIsTheRestOfBack: every document with a date is in one of two spans of the same length.
func TestOlderIsTheRestOfBack(t *testing.T) {
	now := time.Date(2026, 3, 15, 12, 0, 0, 700_000_000, time.UTC)
	back, err := formOf(t, "q=a&dt=back&dp=7d").Request(Defaults{}, now)
	if err != nil {
		t.Fatal(err)
	}
	older, err := formOf(t, "q=a&dt=older&dp=7d").Request(Defaults{}, now)
	if err != nil {
		t.Fatal(err)
	}
	if back.Dates.From.Unix()-older.Dates.To.Unix() != 1 || !older.Dates.From.IsZero() {
		t.Errorf("%v, %v", back.Dates, older.Dates)
	}
	if got, want := formOf(t, "q=a&dt=older&dp=7d").Fixed(now).Encode(), "q=a&dt=older&dp=7d&to=1772971199"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
