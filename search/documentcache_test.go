package search_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestShownDocumentsAreThoseOfTheIndex: an engine with cached documents shows the same results as a new
// engine, whatever was committed in between: other content, a date, a mark, clones, a merge.
func TestShownDocumentsAreThoseOfTheIndex(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	fillIndex(t, pool, rand.New(rand.NewPCG(7, 2)), 60)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	// newContent changes both rows as a document transaction does.
	newContent := func(url int32, title, text string) {
		t.Helper()
		content := store.PackContent([]byte("<title>" + title + "</title><p>" + text))
		exec(`UPDATE urlword SET crc = md5($2) WHERE url_id = $1`, url, title+text)
		exec(fmt.Sprintf(`UPDATE urlwords%02d SET title = $2, txt = $3, content_type = 'text/html', charset = 'utf-8', words = $4 WHERE url_id = $1`, url%16),
			url, title, text, content)
	}
	for url := int32(1); url <= 60; url++ {
		newContent(url, fmt.Sprintf("Title %d", url), fmt.Sprintf("Here is the vacuum of %d, and the index.", url))
	}
	newEngine := engines(t, dsn)
	// show returns pages of two queries, with and without excerpts. The words of one query are cached the
	// second time, those of the other never.
	show := func(e *search.Engine) (pages []*search.Result) {
		t.Helper()
		for _, text := range []string{"the", "vacuum*"} {
			query, err := query.Parse(text, query.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, excerpts := range []int{0, 2} {
				r, err := e.Search(t.Context(), search.Request{Query: query, PerPage: 100, Excerpts: excerpts})
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if len(r.Hits) < 5 || excerpts > 0 && text == "the" && len(r.Hits[4].Excerpts) == 0 {
					t.Fatalf("%s: %d hits, the fifth with %v", text, len(r.Hits), r.Hits[4].Excerpts)
				}
				pages = append(pages, r)
			}
		}
		return pages
	}
	kept := newEngine()
	before := show(kept)
	shown := before[0].Hits[0].URLID
	for _, clone := range []int32{61, 62} { // not live yet
		exec(`INSERT INTO urlword (url_id, site_id, url, status, origin) VALUES ($1, 1, $2, 404, $3)`, clone, fmt.Sprintf("http://a.example/%d", clone), shown)
	}
	ignored := cmpopts.IgnoreFields(search.Result{}, "Took")
	change := func(what string, same bool, do func()) {
		t.Helper()
		do()
		now := show(kept)
		if diff := cmp.Diff(show(newEngine()), now, ignored); diff != "" {
			t.Errorf("%s (-without memory +with):\n%s", what, diff)
		}
		if again := show(kept); !cmp.Equal(now, again, ignored) {
			t.Errorf("%s: another answer the second time:\n%s", what, cmp.Diff(now, again, ignored))
		}
		if cmp.Equal(before, now, ignored) != same {
			t.Errorf("%s: the pages are the same: %v, want %v", what, !same, same)
		}
		before = now
	}
	change("nothing", true, func() {})
	change("another title and text", false, func() { newContent(shown, "Another", "Now the index comes first.") })
	change("another text, nothing else", false, func() { newContent(shown, "Another", "Now comes the index, first.") })
	change("a date", false, func() {
		exec(`INSERT INTO docdates (url_id, created, modified, modified_from) VALUES ($1, now(), now(), 'fetch')
			ON CONFLICT (url_id) DO UPDATE SET modified = now()`, shown)
	})
	change("a clone", false, func() { exec(`UPDATE urlword SET status = 200 WHERE url_id = 61`) })
	change("another clone in its place", false, func() {
		exec(`UPDATE urlword SET status = CASE url_id WHEN 61 THEN 404 ELSE 200 END WHERE url_id IN (61, 62)`)
	})
	change("nosnippet", false, func() {
		exec(`INSERT INTO urlstate (url_id, marks) VALUES ($1, '{nosnippet}') ON CONFLICT (url_id) DO UPDATE SET marks = EXCLUDED.marks`, shown)
	})
	change("which is taken back", false, func() { exec(`UPDATE urlstate SET marks = '{}' WHERE url_id = $1`, shown) })
	change("another title beside a real-time document", false, func() {
		exec(`INSERT INTO rt_urls (url_id, seq) VALUES (999, 1)`)
		newContent(shown, "Live", "The live index.")
	})
	change("which is merged", true, func() { exec(`DELETE FROM rt_urls`); exec(`UPDATE totals SET changes = changes + 1`) })
	change("one that a rule takes out", false, func() {
		exec(`UPDATE urlword SET deleted = 1 WHERE url_id = $1`, shown)
		exec(`INSERT INTO markdel (url_id, run_id, site_id, reason) VALUES ($1, 1, 1, 'T-12')`, shown)
	})

	// The documents come from the cache: a change that does not touch the row of urlword or of totals is not
	// seen (docs/schema.md, chapter 8).
	exec(`DELETE FROM markdel`)
	exec(`UPDATE urlword SET deleted = 0 WHERE url_id = $1`, shown)
	show(kept)
	by := fmt.Sprintf("urlwords%02d", shown%16)
	exec(`UPDATE ` + by + ` SET title = 'By hand' WHERE url_id = ` + fmt.Sprint(shown))
	title := func() string { return show(kept)[0].Hits[0].Title }
	if title() != "Live" {
		t.Errorf("the document is read again: %s", title())
	}
	exec(`UPDATE totals SET changes = changes`)
	if title() != "By hand" {
		t.Errorf("a title changed by hand is not seen after the row of totals was written: %s", title())
	}
}
