package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCheckBesideACrawlAndRebuild verifies that a check during a crawl and its merge finds no damage, and
// that a rebuild from the stored contents makes the same index, byte for byte (P15).
func TestCheckBesideACrawlAndRebuild(t *testing.T) {
	t.Parallel()
	site := maze(t, 11, 120)
	w := newWorld(t, "Server "+site.URL+"/0\n")
	checked := func(when string) {
		t.Helper()
		if code, out, errOut := w.try("-X1"); code != exitDone {
			t.Fatalf("%s: -X1 ended with %d\n%s%s", when, code, out, errOut)
		}
	}
	for _, args := range [][]string{nil, {"-am"}} { // a first crawl, and everything again
		crawl := w.command(args...)
		if err := crawl.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- crawl.Wait() }()
		for beside := true; beside; {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatal(err)
				}
				beside = false
			default:
				checked("beside a crawl")
			}
		}
		checked("after a crawl")
	}
	index := func() []string {
		return append(w.rows(`SELECT word_id, word, urls, urlcount, totalcount FROM wordurl ORDER BY 1`),
			w.rows(`SELECT url_id, words FROM docwords ORDER BY 1`)...)
	}
	want := index()
	w.index("--rebuild-index")
	if d := cmp.Diff(want, index()); d != "" {
		t.Errorf("a rebuild of a sound index (-before +after):\n%s", d)
	}
	w.rows(`UPDATE wordurl SET urls = '', urlcount = 0, totalcount = 0 RETURNING 1`)
	w.index("--rebuild-index")
	if d := cmp.Diff(want, index()); d != "" {
		t.Errorf("a rebuild of nothing (-before +after):\n%s", d)
	}
	checked("after a rebuild")
	w.index("-X2")
	w.check()
}
