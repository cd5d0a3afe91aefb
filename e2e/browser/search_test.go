package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserSearchesAnIndex uses searchd's server over an index with the keyboard and clicks: search,
// paging, cached copy, advanced form, an empty result with suggestions, an error.
func TestBrowserSearchesAnIndex(t *testing.T) {
	b := startBrowser(t, func() string { return serve(t, "index") })

	text := func() string { return js[string](b, `document.querySelector("main").innerText`) }
	shows := func(what string, pieces ...string) {
		t.Helper()
		for _, piece := range pieces {
			if got := text(); !strings.Contains(got, piece) {
				t.Errorf("%s: no %q in\n%s", what, piece, got)
			}
		}
	}
	b.open("/")
	b.keys(`"full table"`)
	b.loads("Enter", chromedp.KeyEvent(kb.Enter))
	shows("results", "25 documents", "Page 3 about vacuum", "a full table, and how to vacuum it.")
	if got := js[int](b, `document.querySelectorAll("mark").length`); got < 20 {
		t.Errorf("%d words are marked", got)
	}
	b.loads("next page", chromedp.Click(chromedp.CSS(`a[rel=next]`)))
	if got := js[int](b, `document.querySelectorAll(".hits > li").length`); got != 5 {
		t.Errorf("the second page has %d results, want 5", got)
	}
	b.loads("cached copy", chromedp.Click(chromedp.CSS(`a[href^="/cache"]`)))
	if got := js[string](b, `document.body.innerText`); !strings.Contains(got, "how to vacuum it.") || !strings.Contains(got, "http://a.example/") {
		t.Errorf("the copy says:\n%s", got)
	}
	if got := js[int](b, `document.querySelectorAll("mark").length * (document.scripts.length + 1)`); got < 2 {
		t.Error("nothing is marked in the copy")
	}
	inBrowser(b, "back", chromedp.NavigateBack())
	shows("back from the copy", "25 documents")

	b.open("/advanced")
	b.until(`document.activeElement.name === "iq"`)
	b.keys("vacuum")
	b.loads("Enter", chromedp.KeyEvent(kb.Enter))
	shows("the advanced form", "25 documents")

	b.open("/search?q=vacum")
	shows("a word that no document has", "25 documents", "No document has vacum; these are for vacuum.")
	b.open(`/search?q="vacum"+full`)
	b.loads("the suggestion", chromedp.Click(chromedp.CSS(`main a[href*="vacuum"]`)))
	shows("the suggestion", "25 documents")

	b.open("/search?q=number7+OR")
	shows("an error", "“OR” needs something to search for on both sides", "number7 OR")
	b.open("/status")
	shows("status", "25", "http://a.example/")
	var rows []struct {
		Query string
		URLs  int
	}
	b.get("/recorded", &rows)
	if len(rows) == 0 {
		t.Fatal("no search is recorded")
	}
	if first, last := rows[0], rows[len(rows)-1]; first.Query != `"full table"` || first.URLs != 25 || last.URLs != -1 {
		t.Errorf("recorded first %+v, last %+v", first, last)
	}
	b.quiet()
}
