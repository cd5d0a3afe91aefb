package document

import (
	"slices"
	"testing"
	"time"
)

func TestUnavailableAfter(t *testing.T) {
	june := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Time{
		"unavailable_after: 25 Jun 2010 15:00:00 PST":              june, // Google's examples
		"unavailable_after: Friday, 25-Jun-10 15:00:00 PST":        june,
		"Unavailable_After:25-Jun-2010 15:00:00 PST":               june,
		"unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT":         june,
		"unavailable_after: 25 June 2010 19:00:00 EDT":             june,
		"unavailable_after: Sat, 26 Jun 2010 01:00:00 +0200":       june,
		"unavailable_after: 2010-06-25T15:00:00-08:00":             june,
		"unavailable_after: 2010-06-25T23:00:00Z":                  june,
		"unavailable_after: 2010-06-25 23:00:00":                   june,
		"unavailable_after: 20100625T230000Z":                      june,
		"unavailable_after: Fri Jun 25 23:00:00 2010":              june,
		"unavailable_after: 2010-06-25":                            june.Truncate(24 * time.Hour),
		"unavailable_after: 2010-06-25T23:00":                      june,
		"unavailable_after: Fri, 25 Jun 2010 23:00 GMT":            june,
		"unavailable_after: ":                                      {},
		"unavailable_after":                                        {},
		"unavailable_after: tomorrow":                              {},
		"unavailable_after: 0":                                     {},
		"unavailable_after: 1277506800":                            {},
		"unavailable_after: 31 Feb 2010 15:00:00 PST":              {},
		"unavailable_after: 25 Jun 1010 15:00:00 PST":              {},
		"unavailable_after: 2010-06-25T23:00:00Z2010-06-25T23:00Z": {},
		"noindex": {}, "": {}, ":": {}, "max-snippet: 2010-06-25": {},
	} {
		got, ok := UnavailableAfter(value)
		if ok == want.IsZero() || ok && !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", value, got, ok, want)
		}
	}
}

func TestRobotsDirectives(t *testing.T) {
	for value, want := range map[string][]string{
		"noindex, nofollow": {"noindex", "nofollow"},
		"a,unavailable_after: Friday, 25-Jun-10 15:00:00 PST,b":    {"a", "unavailable_after: Friday, 25-Jun-10 15:00:00 PST", "b"},
		"bot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, b": {"bot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT", "b"},
		"unavailable_after: Fri":                                   {"unavailable_after: Fri"},
		"friday, sunday":                                           {"friday", "sunday"},
		"":                                                         {""},
	} {
		if got := RobotsDirectives(value); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// TestMetaRobotsWithValue: META robots takes directives with a value beside the others.
func TestMetaRobotsWithValue(t *testing.T) {
	date := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC)
	for content, want := range map[string]Document{
		"unavailable_after: 25 Jun 2010 15:00:00 PST":                            {UnavailableAfter: date},
		"noarchive, unavailable_after: Friday, 25-Jun-10 15:00:00 PST, nofollow": {UnavailableAfter: date, NoArchive: true, NoFollow: true},
		"noindex unavailable_after:2010-06-25T23:00:00Z":                         {UnavailableAfter: date, NoIndex: true},
		"unavailable_after: 2011-01-01; unavailable_after: 2010-06-25T23:00:00Z": {UnavailableAfter: date},
		"max-snippet:0":            {NoSnippet: true},
		"max-snippet:-1, noindex":  {NoIndex: true},
		"max-snippet:50 nofollow":  {NoFollow: true},
		"unavailable_after: never": {},
		"unavailable_after: none":  {NoIndex: true, NoFollow: true}, // as it was read before
	} {
		d, err := Parse([]byte(`<meta name="robots" content="`+content+`"><p>text`), "text/html", newRules(t, Rules{}))
		if err != nil {
			t.Fatal(err)
		}
		if !d.UnavailableAfter.Equal(want.UnavailableAfter) || d.NoIndex != want.NoIndex || d.NoFollow != want.NoFollow ||
			d.NoArchive != want.NoArchive || d.NoSnippet != want.NoSnippet {
			t.Errorf("%q: %v, noindex %v, nofollow %v, noarchive %v, nosnippet %v", content, d.UnavailableAfter, d.NoIndex, d.NoFollow, d.NoArchive, d.NoSnippet)
		}
	}
}
