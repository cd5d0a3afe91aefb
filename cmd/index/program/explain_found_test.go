package program

import (
	"testing"

	"github.com/pgseek/pgseek/store"
)

// TestIsFound: the one sentence about the inverted index, for what a small crawl does not come to.
func TestIsFound(t *testing.T) {
	words := &store.ContentState{Words: 2, HasContent: true}
	for _, c := range []struct {
		e    store.Explanation
		r    ruling
		want string
	}{
		{store.Explanation{Status: 200, Content: &store.ContentState{HasContent: true}}, ruling{}, "no: it has no words"},
		{store.Explanation{Status: 200, Content: words}, ruling{}, "no: it has words, and neither the inverted index nor the journal knows of it: the tables disagree"},
		{store.Explanation{Status: 200, Content: words, Index: store.IndexState{Merged: true, MergedSeq: 5}}, ruling{}, "found by a search: yes"},
		{
			store.Explanation{Status: 200, Content: words, Index: store.IndexState{Merged: true, MergedSeq: 5, Realtime: true, NewSeq: 6}},
			ruling{},
			"found by a search: yes, in the real-time index until the merge",
		},
		{
			store.Explanation{Status: 200, Content: words, Index: store.IndexState{NewSeq: 6, Behind: 4}},
			ruling{},
			"waits for schedule 4, then for the merge (index -D)",
		},
		{store.Explanation{Status: 903}, ruling{}, "no: too many documents have the same body"},
		{store.Explanation{Status: 702}, ruling{}, "no: answered nothing: 702 Connection refused"},
		{store.Explanation{Status: 406, State: store.URLState{IndexMode: 2}}, ruling{}, "no: Index no of its Server"},
		{store.Explanation{Status: 406, State: store.URLState{IndexMode: 3}}, ruling{nofollowExcludes: true}, "no: noindex, or nofollow under NofollowExcludes"},
		{store.Explanation{Status: 301}, ruling{}, "no: redirects to what is not followed"},
		{store.Explanation{Status: 200, Origin: 7}, ruling{}, "no: a clone without an original"},
		{
			store.Explanation{
				Status: 404, Deleted: true, State: store.URLState{WithdrawnBy: "T-13"}, Fetches: []store.Fetch{{Rule: "T-13", Result: 404}},
				Index: store.IndexState{Merged: true, MergedSeq: 5, MarkSeq: 6},
			},
			ruling{},
			"no: taken out by T-13: answered 404 Not found; what it was is found until the merge",
		},
		{
			store.Explanation{Status: 200, Deleted: true, State: store.URLState{WithdrawnBy: "SR-09"}},
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
