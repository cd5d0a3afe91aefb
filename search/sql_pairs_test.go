package search_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestPairsInSQL: a single Chinese character that begins and ends 1200 pairs finds in SQL what it finds in an Engine, with the
// same ranks, and the comparison of places does not go through all postings for each pair.
func TestPairsInSQL(t *testing.T) {
	const documents, pairs = 120, 1200
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	fillIndex(t, pool, rand.New(rand.NewPCG(2, 6)), documents)
	var live [][2]int32
	rows, err := pool.Query(t.Context(), `SELECT url_id, site_id FROM urlword ORDER BY site_id, url_id`)
	if err != nil {
		t.Fatal(err)
	}
	var url, site int32
	if _, err := pgx.ForEachRow(rows, []any{&url, &site}, func() error { live = append(live, [2]int32{url, site}); return nil }); err != nil {
		t.Fatal(err)
	}
	batch, random := &pgx.Batch{}, rand.New(rand.NewPCG(1, 1))
	for i := range pairs {
		for k, word := range []string{"的" + string(rune(0x4e00+i)), string(rune(0x4e00+i)) + "的"} {
			var entries []posting.Entry
			for _, d := range live {
				if random.IntN(4) == 0 {
					entries = append(entries, posting.Entry{Site: d[1], URL: d[0], Positions: []uint16{uint16(1000 + i*4 + k)}})
				}
			}
			batch.Queue(`INSERT INTO wordurl VALUES ($1, $2, $3, $4, 0)`, word, 100000+2*i+k, posting.AppendBlob(nil, entries), len(entries))
		}
	}
	if err := pool.SendBatch(t.Context(), batch).Close(); err != nil {
		t.Fatal(err)
	}
	s, pool := underRole(t, dsn, pool)
	engine, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.Parse("的 full", query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.Search(t.Context(), search.Request{Query: q, PerPage: 100, Forms: []string{search.DocumentLanguages}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for _, h := range r.Hits {
		want = append(want, fmt.Sprint(h.Rank, " ", h.URLID))
	}
	ask := func(sql string) (got []string, took time.Duration) {
		begin := time.Now()
		rows, err := pool.Query(t.Context(), sql, "的 full")
		if err != nil {
			t.Fatal(err)
		}
		got, err = pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return got, time.Since(begin)
	}
	got, _ := ask(`SELECT rank || ' ' || url_id FROM search($1, 100)`)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 50 {
		t.Errorf("%d documents (-engine +SQL):\n%s", len(want), diff)
	}
	_, plain := ask(`SELECT ''::text FROM search_matches($1, judged => false)`)
	if _, judged := ask(`SELECT ''::text FROM search_matches($1)`); judged > 20*plain+5*time.Second {
		t.Errorf("with the places compared it takes %v, without %v", judged, plain)
	}
}
