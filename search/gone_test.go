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
	"github.com/pgseek/pgseek/store/storetest"
)

// TestManyMarksHideNoMore: documents that have left since the last merge are neither found nor counted,
// whether all of them are looked up in advance or, because there are too many, only those that match.
func TestManyMarksHideNoMore(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	fillIndex(t, pool, rand.New(rand.NewPCG(4, 4)), 80)
	exec := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	engine, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	query, err := query.Parse("the OR of OR vacuum", query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	find := func() (ids []int32, r *search.Result) {
		t.Helper()
		r, err := engine.Search(t.Context(), search.Request{Query: query, PerPage: 100})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) != r.URLs {
			t.Errorf("%d hits of %d documents", len(r.Hits), r.URLs)
		}
		for _, h := range r.Hits {
			ids = append(ids, h.URLID)
		}
		return ids, r
	}
	all, _ := find()
	if len(all) < 50 {
		t.Fatalf("%d documents", len(all))
	}
	exec(`UPDATE urlword SET deleted = 1 WHERE url_id % 5 = 0`)
	exec(`UPDATE urlword SET origin = 1 WHERE url_id % 5 = 1`)
	exec(`UPDATE urlword SET status = 404 WHERE url_id % 5 = 2`)
	exec(`INSERT INTO markdel (url_id, run_id, site_id, reason) SELECT url_id, 1, site_id, 'T-12' FROM urlword WHERE url_id % 5 < 3`)
	want := slices.DeleteFunc(slices.Clone(all), func(u int32) bool { return u%5 < 3 })
	few, known := find()
	if diff := cmp.Diff(want, few); diff != "" {
		t.Errorf("few marks (-want +got):\n%s", diff)
	}
	exec(`INSERT INTO markdel (url_id, run_id, site_id, reason) SELECT 1000 + i, 1, 1, 'T-12' FROM generate_series(1, 2100) i`)
	many, asked := find()
	if diff := cmp.Diff(want, many); diff != "" || known.Sites != asked.Sites {
		t.Errorf("many marks: %d sites, %d with few (-want +got):\n%s", asked.Sites, known.Sites, diff)
	}
}
