package explain

import (
	"testing"

	"github.com/pgseek/pgseek/store/report"
)

// TestIsFound verifies the sentence about the inverted index in states that a small crawl does not reach.
func TestIsFound(t *testing.T) {
	words := &report.ContentState{Words: 2, HasContent: true}
	for _, c := range []struct {
		e    report.Explanation
		r    ruleMatch
		want string
	}{
		{report.Explanation{Status: 200, Content: &report.ContentState{HasContent: true}}, ruleMatch{}, "no: it has no words"},
		{report.Explanation{Status: 200, Content: words}, ruleMatch{}, "no: it has words, but is neither in the inverted index nor in the journal: the tables disagree"},
		{report.Explanation{Status: 200, Content: words, Index: report.IndexState{Merged: true, MergedSeq: 5}}, ruleMatch{}, "found by a search: yes"},
		{
			report.Explanation{Status: 200, Content: words, Index: report.IndexState{Merged: true, MergedSeq: 5, Realtime: true, NewSeq: 6}},
			ruleMatch{},
			"found by a search: yes, in the real-time index until the merge",
		},
		{
			report.Explanation{Status: 200, Content: words, Index: report.IndexState{NewSeq: 6, Behind: 4}},
			ruleMatch{},
			"waits for schedule 4, then for the merge (index -D)",
		},
		{report.Explanation{Status: 903}, ruleMatch{}, "no: too many documents have the same body"},
		{report.Explanation{Status: 905}, ruleMatch{}, "no: the site answers 200 with this page for any address"},
		{report.Explanation{Status: 702}, ruleMatch{}, "no: no answer: 702 Connection refused"},
		{report.Explanation{Status: 406, State: report.URLState{IndexMode: 2}}, ruleMatch{}, "no: Index no of its Server"},
		{report.Explanation{Status: 406, State: report.URLState{IndexMode: 2}}, ruleMatch{lists: "it is a list"}, "no: it is a list"},
		{report.Explanation{Status: 406, State: report.URLState{IndexMode: 3}}, ruleMatch{nofollowExcludes: true}, "no: noindex, or nofollow under NofollowExcludes"},
		{report.Explanation{Status: 301}, ruleMatch{}, "no: redirects to a URL that is not followed"},
		{report.Explanation{Status: 200, Origin: 7}, ruleMatch{}, "no: a clone without an original"},
		{
			report.Explanation{
				Status: 404, Deleted: true, State: report.URLState{WithdrawnBy: "T-13"}, Fetches: []report.Fetch{{Rule: "T-13", Result: 404}},
				Index: report.IndexState{Merged: true, MergedSeq: 5, MarkSeq: 6},
			},
			ruleMatch{},
			"no: removed by T-13: answered 404 Not found; its last version is found until the merge",
		},
		{
			report.Explanation{Status: 200, Deleted: true, State: report.URLState{WithdrawnBy: "SR-09"}},
			ruleMatch{},
			"no: removed as an orphan: no link reached it",
		},
	} {
		x := &explanation{Explanation: &c.e, rules: &c.r}
		if got := x.isFound(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
