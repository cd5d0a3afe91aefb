package program

import (
	"testing"

	"github.com/pgseek/pgseek/store/report"
)

// TestIsFound: the one sentence about the inverted index, for what a small crawl does not come to.
func TestIsFound(t *testing.T) {
	words := &report.ContentState{Words: 2, HasContent: true}
	for _, c := range []struct {
		e    report.Explanation
		r    ruling
		want string
	}{
		{report.Explanation{Status: 200, Content: &report.ContentState{HasContent: true}}, ruling{}, "no: it has no words"},
		{report.Explanation{Status: 200, Content: words}, ruling{}, "no: it has words, and neither the inverted index nor the journal knows of it: the tables disagree"},
		{report.Explanation{Status: 200, Content: words, Index: report.IndexState{Merged: true, MergedSeq: 5}}, ruling{}, "found by a search: yes"},
		{
			report.Explanation{Status: 200, Content: words, Index: report.IndexState{Merged: true, MergedSeq: 5, Realtime: true, NewSeq: 6}},
			ruling{},
			"found by a search: yes, in the real-time index until the merge",
		},
		{
			report.Explanation{Status: 200, Content: words, Index: report.IndexState{NewSeq: 6, Behind: 4}},
			ruling{},
			"waits for schedule 4, then for the merge (index -D)",
		},
		{report.Explanation{Status: 903}, ruling{}, "no: too many documents have the same body"},
		{report.Explanation{Status: 702}, ruling{}, "no: answered nothing: 702 Connection refused"},
		{report.Explanation{Status: 406, State: report.URLState{IndexMode: 2}}, ruling{}, "no: Index no of its Server"},
		{report.Explanation{Status: 406, State: report.URLState{IndexMode: 3}}, ruling{nofollowExcludes: true}, "no: noindex, or nofollow under NofollowExcludes"},
		{report.Explanation{Status: 301}, ruling{}, "no: redirects to what is not followed"},
		{report.Explanation{Status: 200, Origin: 7}, ruling{}, "no: a clone without an original"},
		{
			report.Explanation{
				Status: 404, Deleted: true, State: report.URLState{WithdrawnBy: "T-13"}, Fetches: []report.Fetch{{Rule: "T-13", Result: 404}},
				Index: report.IndexState{Merged: true, MergedSeq: 5, MarkSeq: 6},
			},
			ruling{},
			"no: taken out by T-13: answered 404 Not found; what it was is found until the merge",
		},
		{
			report.Explanation{Status: 200, Deleted: true, State: report.URLState{WithdrawnBy: "SR-09"}},
			ruling{},
			"no: taken out by SR-09: no link reached it",
		},
	} {
		x := &explanation{Explanation: &c.e, rules: &c.r}
		if got := x.isFound(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
