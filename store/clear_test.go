package store_test

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestClearWaitsForWhoWritesTheIndex checks that -C waits for writers of the index, also for a merge that has
// lost its lock: such a merge notices -C when it next reads totals.changes.
func TestClearWaitsForWhoWritesTheIndex(t *testing.T) {
	dsn := storetest.New(t)
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "index -C"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	pool := storetest.Connect(t, dsn)
	cleared := make(chan error, 1)
	err = index.New(s).MergeBatch(t.Context(), index.MergeRange{}, store.AnyChanges, func(*index.MergeBatch) error {
		go func() { cleared <- index.New(s).Clear(t.Context()) }()
		for waits := false; !waits; time.Sleep(10 * time.Millisecond) {
			select {
			case err := <-cleared:
				t.Fatalf("cleared beside a batch: %v", err)
			default:
			}
			err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 101)`).Scan(&waits)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-cleared; err != nil {
		t.Fatal(err)
	}
}
