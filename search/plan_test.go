package search

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/store/lookup"
)

// TestLaterDate: a document in the real-time index has the date that the merge is going to give it
// (docs/reference/behavior.md, Dates).
func TestLaterDate(t *testing.T) {
	day := func(n int) time.Time {
		if n == 0 {
			return time.Time{}
		}
		return time.Date(2024, 1, n, 0, 0, 0, 500, time.UTC)
	}
	for _, c := range []struct {
		name                     string
		known, modified, fetched int
		same                     bool
		want                     int
	}{
		{"a new document without Last-Modified", 0, 0, 9, false, 9},
		{"a new document, however old", 0, 2, 9, false, 2},
		{"a new document from the future", 0, 10, 9, false, 9},
		{"a new version says so", 3, 5, 9, false, 5},
		{"a new version says that it is older", 3, 2, 9, false, 9},
		{"a new version from the future", 3, 10, 9, false, 9},
		{"a new version without Last-Modified", 3, 0, 9, false, 9},
		{"the same content again", 3, 5, 9, true, 3},
		{"the content of another document, new in the index", 0, 5, 9, true, 9},
		{"a clock that went back", 9, 0, 3, false, 9},
	} {
		got := laterDate(time.Time{}, lookup.RealtimeDate{Known: day(c.known), Modified: day(c.modified), Fetched: day(c.fetched), Same: c.same})
		if !got.Equal(day(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, got, day(c.want))
		}
	}
	second := laterDate(day(5), lookup.RealtimeDate{Known: day(3), Modified: day(4), Fetched: day(9)})
	if !second.Equal(day(9)) {
		t.Errorf("a second version: %v", second)
	}
}
