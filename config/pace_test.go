package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The lines of a directive add up, and each takes several patterns.
func TestPaceDirectives(t *testing.T) {
	c := load(t, files{setsName: `CrawlFrequently ^https?://a\.example/news/ \.rss$
Server http://a.example/
crawlfrequently "top story"
CrawlInfrequently /archive/
ForceRecrawl ^http:
`})
	s := &c.Sets
	for _, m := range []struct {
		url string
		// The line of each directive that matches, 0 = none.
		frequently, infrequently, forced int
	}{
		{"https://A.example/NEWS/1", 1, 0, 0},
		{"https://b.example/x.RSS", 1, 0, 0},
		{"https://b.example/?top story", 3, 0, 0},
		{"https://a.example/news/archive/top story", 1, 4, 0},
		{"http://b.example/archive/", 0, 4, 5},
		{"https://b.example/news/", 0, 0, 0},
	} {
		var got []int
		for _, lines := range []PaceLines{s.Frequently, s.Infrequently, s.ForceRecrawl} {
			line := lines.Find(m.url)
			if (line != nil) != lines.Match(m.url) {
				t.Errorf("%s: Find gives %v and Match %v", m.url, line, lines.Match(m.url))
			}
			if line == nil {
				line = &PaceLine{}
			}
			got = append(got, line.Line)
		}
		if diff := cmp.Diff([]int{m.frequently, m.infrequently, m.forced}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", m.url, diff)
		}
	}
	if got := s.Frequently[1]; got.Text != `crawlfrequently "top story"` || got.File != c.SetsFile {
		t.Errorf("line 3 = %q of %s", got.Text, got.File)
	}
}
