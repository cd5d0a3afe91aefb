package store_test

import (
	"testing"

	"github.com/pgseek/pgseek/store/crawl"
)

// TestLiftPattern verifies that only URLs of the pattern become due when its pause ends: never fetched ones, not others of the site
// that wait for other reasons, nor documents.
func TestLiftPattern(t *testing.T) {
	f := newFrontier(t, "a show?id=1 next_index_time=START+5000", "a show?id=2 status=200,next_index_time=START+5000",
		"a broken.html next_index_time=START+5000", "a show/all?id=3 next_index_time=START+5000")
	p := crawl.PausedPattern{
		Pattern: "http://a/show?id=", Except: []string{"http://a/show?id=x"}, Site: 1, Run: f.process.Run.ID, Regexp: "^http://a/show[?]id=[^&;]*$",
		Example: "http://a/show?id=2", Fetched: 100,
	}
	if err := f.pool.QueryRow(t.Context(), `SELECT site_id FROM sites`).Scan(&p.Site); err != nil {
		t.Fatal(err)
	}
	if fresh, err := f.s.PausePattern(t.Context(), p); err != nil || !fresh {
		t.Fatalf("paused: %v, %v", fresh, err)
	}
	list, err := f.s.PausedPatterns(t.Context())
	if err != nil || len(list) != 1 || len(list[0].Except) != 1 || list[0].At.IsZero() {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := f.s.LiftPattern(t.Context(), list[0], f.process.Run.Start); err != nil {
		t.Fatal(err)
	}
	if got := f.due("true"); got != "1" || f.due("url LIKE '%show?id=1'") != "1" {
		t.Errorf("%s URLs are due, want the one that was never fetched", got)
	}
	if list, err = f.s.PausedPatterns(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after the lift: %+v, %v", list, err)
	}
}
