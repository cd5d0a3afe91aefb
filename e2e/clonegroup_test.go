package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// copies serves n pages with one body, and a front page that links to all of them.
func copies(t *testing.T, n int) *spidertest.Site {
	site := spidertest.NewSite(t)
	var front strings.Builder
	for i := range n {
		path := fmt.Sprintf("/p/%d", i)
		fmt.Fprintf(&front, `<a href="%s">x</a> `, path)
		site.HTML(path, "the same page for all")
	}
	site.HTML("/", front.String())
	return site
}

// TestSweepOfAGroupOfClones verifies that a rule that forbids a whole clone group withdraws every member
// (T-12). The highest id leaves first, so that no successor is promoted only to be withdrawn next.
func TestSweepOfAGroupOfClones(t *testing.T) {
	t.Parallel()
	site := copies(t, 100)
	w := newWorld(t, "HostLoad * 0 24 16\nServer "+site.URL+"/\n")
	w.index()
	w.sets("HostLoad * 0 24 16\nDisallow /p/\nServer " + site.URL + "/\n")
	w.index(w.accept("--no-merge")...)
	if got := w.one(`SELECT count(*) FILTER (WHERE deleted = 1), count(*) FILTER (WHERE deleted = 0) FROM urlword`); got != "100 1" {
		t.Errorf("out of the index and in it: %s", got)
	}
	if got := w.one(`SELECT count(*) FROM journal WHERE words IS NOT NULL`); got > "9" || len(got) > 1 { // workers overtake each other
		t.Errorf("%s successors got the content on the way out", got)
	}
	w.index("-D")
	if got := w.one(`SELECT count(*) FROM word_postings('same')`); got != "0" {
		t.Errorf("%s documents are found", got)
	}
}

// TestPurgeOfAGroupOfClones verifies the same for documents that were lost too often (T-18).
func TestPurgeOfAGroupOfClones(t *testing.T) {
	t.Parallel()
	site := copies(t, 60)
	w := newWorld(t, "HostLoad * 0 24 16\nServer "+site.URL+"/\n")
	w.spider("MaxLostShare 100%\n")
	w.index()
	for i := range 60 {
		site.Remove(fmt.Sprintf("/p/%d", i))
	}
	w.index("-a", "--no-merge")
	w.index("--purge-lost=1")
	if got := w.one(`SELECT count(*) FROM urlword WHERE status = 404`); got != "60" {
		t.Errorf("%s of 60 were purged", got)
	}
	if got := w.one(`SELECT count(*) FROM journal`); got != "0" {
		t.Errorf("%s successors got the content on the way out", got)
	}
}
