package program

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
)

// TestSummaryForPeople: what occurred, and nothing else.
func TestSummaryForPeople(t *testing.T) {
	p := spider.Progress{
		Counts: store.Counts{Created: 15, Failed: 3}, Fetched: 27, Elapsed: 1234 * time.Millisecond,
		Unread: map[string]int64{"application/pdf": 5, "image/png": 3}, Failed: map[int]int64{404: 2, 700: 1},
	}
	var b bytes.Buffer
	writeSummary(&b, spider.EndComplete, &p)
	writeMergeSummary(&b, merge.Summary{Documents: 16, Removed: 2}, 340*time.Millisecond)
	want := `crawl ended (complete) after 1.2s: 27 URLs requested
  new                 15
  not readable         8  (application/pdf 5, image/png 3)
  errors               3  (404 Not found 2, ` + numbered(700) + ` 1)
merge ended after 300ms: 16 documents merged
  gone                 2  (removed from the index)
next: index --search 'some words' finds them, searchd shows them in a browser; index -S --sites counts errors by site
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
