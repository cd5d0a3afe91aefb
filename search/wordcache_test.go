package search_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// engines returns a function that makes engines with empty caches over a database.
func engines(t *testing.T, dsn string) func() *search.Engine {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return func() *search.Engine {
		e, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// TestKeptWordsAreThoseOfTheIndex: an engine with cached words answers a query like a new engine, whatever
// has changed the index in between: a merge, index -T, a rule that removed documents.
func TestKeptWordsAreThoseOfTheIndex(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	fillIndex(t, pool, rand.New(rand.NewPCG(7, 1)), 60)
	newEngine := engines(t, dsn)
	find := func(e *search.Engine, text string) (ids []int32) {
		t.Helper()
		query, err := query.Parse(text, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Search(t.Context(), search.Request{Query: query, All: true, PerPage: 100})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, h := range r.Hits {
			ids = append(ids, h.URLID)
		}
		if len(ids) != r.URLs {
			t.Errorf("%s: %d documents, %d shown", text, r.URLs, len(ids))
		}
		return ids
	}
	queries := []string{"the", "of the", `"of the"`, "vacuum -the", "the OR brandnew", "brandnew", "title:the"}
	kept := newEngine()
	for _, q := range queries {
		find(kept, q)
	}
	blob := func(urls ...int32) []byte {
		var list []posting.Entry
		for _, u := range urls { // of the first site, as fillIndex has it
			list = append(list, posting.Entry{Site: 1, URL: u, Positions: []uint16{3}})
		}
		return posting.AppendBlob(nil, list)
	}
	const merged = `UPDATE totals SET changes = changes + 1`
	before := find(kept, "the")
	// The words come from the cache: a change that does not touch the row of totals is not seen
	// (docs/schema.md, chapter 8).
	if _, err := pool.Exec(t.Context(), `UPDATE wordurl SET urls = '', urlcount = 0 WHERE word = 'of'`); err != nil {
		t.Fatal(err)
	}
	if fresh, now := find(newEngine(), "of the"), find(kept, "of the"); len(fresh) > 0 || len(now) == 0 {
		t.Errorf("a word emptied by hand: %d documents without memory, %d with it", len(fresh), len(now))
	}
	if _, err := pool.Exec(t.Context(), `UPDATE totals SET changes = changes`); err != nil {
		t.Fatal(err)
	}
	if now := find(kept, "of the"); len(now) > 0 {
		t.Errorf("a word emptied by hand is found after the row of totals was written: %v", now)
	}
	for _, step := range []struct {
		what string
		sql  []string
		args []any // of the first statement
		same bool  // "the" is where it was
	}{
		{"nothing", nil, nil, true},
		{"a merge that adds a row above the base", []string{
			`INSERT INTO wordfile SELECT word_id, 0, 1, 58, 9, 1, 1, $1::bytea FROM wordurl WHERE word = 'the' AND urls = ''
				UNION ALL SELECT word_id, 2, 1, 58, 9, 1, 1, $1::bytea FROM wordurl WHERE word = 'the' AND urls <> ''`,
			`UPDATE wordurl SET urls = '' WHERE word = 'the'`, merged,
		}, []any{blob(58)}, false},
		{"a merge that rewrites all segments of a word, so that cached rows are gone", []string{
			`INSERT INTO wordfile SELECT word_id, 2, 1, 2, 10, 3, 3, $1::bytea FROM wordurl WHERE word = 'the'`,
			`DELETE FROM wordfile f USING wordurl w WHERE w.word_id = f.word_id AND word = 'the' AND seq < 10`, merged,
		}, []any{blob(2, 4, 6)}, false},
		{"a merge that brings a word", []string{
			`INSERT INTO wordurl (word, word_id, urls, urlcount) SELECT 'brandnew', max(word_id) + 1, $1::bytea, 1 FROM wordurl`, merged,
		}, []any{blob(8)}, true},
		{"a document of the real-time index, without the words that it had", []string{
			`INSERT INTO rt_urls (url_id, seq) VALUES (4, 1)`,
		}, nil, false},
		{"which a merge takes over", []string{`DELETE FROM rt_urls`, merged}, nil, false},
		{"a document that a rule takes out", []string{
			`UPDATE urlword SET deleted = 1 WHERE url_id = 6`,
			`INSERT INTO markdel (url_id, run_id, site_id, reason) VALUES (6, 1, 1, 'T-12')`,
		}, nil, false},
	} {
		for i, sql := range step.sql {
			args := step.args
			if i > 0 {
				args = nil
			}
			if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
		}
		fresh := newEngine()
		for _, q := range queries {
			if diff := cmp.Diff(find(fresh, q), find(kept, q)); diff != "" {
				t.Errorf("%s: %s (-without memory +with):\n%s", step.what, q, diff)
			}
		}
		now := find(kept, "the")
		if slices.Equal(before, now) != step.same {
			t.Errorf("%s: the documents were %v, are %v", step.what, before, now)
		}
		before = now
	}
}
