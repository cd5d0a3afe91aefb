package e2e

import (
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestGoldenChange compares a second period with ASPseek's: two.html has new content, so its clone copy.html
// becomes the original; one.html is gone but can still be found. Before -D a search finds the old state,
// after it ASPseek's postings.
func TestGoldenChange(t *testing.T) {
	t.Parallel()
	a, b, ours := serveGolden(t)
	w := goldenWorld(t, a, b)
	w.index()
	a.Set("/two.html", spidertest.Page{
		Modified: time.Date(2025, 2, 3, 4, 5, 6, 0, time.UTC), Type: "text/html",
		Body: "<html><head><title>Dogs and cats</title></head><body>\n<p>dog barks at the cat. The cat ignores the dog.</p>\n" +
			"<a href=\"one.html\">foxes</a>\n</body></html>\n",
	})
	a.Remove("/one.html")
	w.index("-a", "--no-merge")
	for _, step := range []string{"blobs-3-change-after-n", "blobs-4-change-after-D"} {
		if strings.HasSuffix(step, "D") {
			w.index("-D")
		}
		urls := goldenURLs(goldenStep(t, step, "urlword"), ours)
		want, got := goldenPostings(t, goldenStep(t, step, "wordurl"), urls), ourPostings(w)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s: postings (-ASPseek +ours):\n%s", step, diff)
		}
		if len(got) < 60 {
			t.Errorf("%s: only %d postings compared", step, len(got))
		}
	}
}
