package search_test

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestEngineBoundsMemory: with Memory the limit is 200 MB and 10 bytes for each URL, less the program's own
// code. Without it the engine does not change the limit.
func TestEngineBoundsMemory(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	const urls = 1_000_000
	if _, err := pool.Exec(t.Context(), `INSERT INTO urlrank (url_id, rank) VALUES ($1, 1)`, urls); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	if _, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("an engine among other things set a limit of %d", limit)
	}
	if _, err := search.NewEngine(t.Context(), lookup.New(s), search.EngineOptions{Memory: true}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit < 150<<20+10*urls || limit > 200<<20+10*(urls+1) {
		t.Errorf("the limit is %d MiB", limit>>20)
	}
}
