package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWeight(t *testing.T) {
	s := loadSearch(t, files{searchName: "Weight ^https?://[^/]*/Docs/old/ 0.5\nWeight ^https?://[^/]*/docs/ 2\nweight \"a b\" 10\n"}).Search
	for url, want := range map[string]float64{
		"http://a.example/docs/old/x": 0.5, "https://a.example/DOCS/x": 2, "http://a.example/?x=/docs/": 1, "http://a.example/a b": 10,
	} {
		if got := s.Weigh()(url); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	if searchDefaults().Weights != nil || (&Search{}).Weigh() != nil {
		t.Error("documents have weights without a line")
	}
	got := searchProblems(t, files{searchName: "Weight a\nWeight ( 2\nWeight a 0.09\nWeight a 11\nWeight a NaN\nWeight\n"}, nil)
	want := []string{
		`searchd.conf:1: Weight: 1 values, expected a pattern and a factor, as in Weight ^https?://[^/]*/docs/ 2`,
		`searchd.conf:2: Weight: bad pattern "(": missing closing ): "(?i)("`,
		`searchd.conf:3: Weight: "0.09" is not a number from 0.1 to 10`,
		`searchd.conf:4: Weight: "11" is not a number from 0.1 to 10`,
		`searchd.conf:5: Weight: "NaN" is not a number from 0.1 to 10`,
		`searchd.conf:6: Weight: 0 values, expected a pattern and a factor, as in Weight ^https?://[^/]*/docs/ 2`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
