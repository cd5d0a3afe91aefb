package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store/index"
)

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"vacuum": true, "vacuum full": true, "c++": true, "python 3.11": true, "größe": true, "日本語": true, "it's": true, "हिन्दी": true,
		"": false, "a": false, "123": false, "me@example.org": false, "me＠example.org": false, "http://a.example/x": false, "link:a": false, "1234 abc": false,
		"card 12-34 56": false, "tel 030 12 34": false, "geheim १२३४": false, "１２３４ abc": false, "<b>x</b>": false, "a\x00b": false, "a\u202eb": false,
		"①②③④ abc": false, "a b c d e f g h i": false, "x1y2z3w4": true, "`id`": false, "a\"b": false, "\xff": false,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": false,
	} {
		if got := public(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestChooseSuggestions(t *testing.T) {
	got := chooseSuggestions([]index.AskedQuery{
		{Text: "vacuum", Searches: 9, Addresses: []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}, Days: 2},
		{Text: "two days, two addresses", Searches: 9, Addresses: []string{"10.0.0.1", "10.0.0.2"}, Days: 2},
		{Text: "one day", Searches: 9, Addresses: []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}, Days: 1},
		{Text: "one network", Searches: 9, Addresses: []string{"2001:db8::1", "2001:db8::2", "2001:db8::3:4"}, Days: 5},
		{Text: "three networks", Searches: 4, Addresses: []string{"2001:db8:1::1", "2001:db8:2::1", "2001:db8:3::1"}, Days: 5},
		{Text: "unknown", Searches: 4, Addresses: []string{"", "10.0.0.1", "10.0.0.2"}, Days: 5},
		{Text: "Vacuum", Searches: 3, Addresses: []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}, Days: 2},
	})
	want := []index.SuggestedQuery{{Text: "vacuum", Searches: 9}, {Text: "three networks", Searches: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
