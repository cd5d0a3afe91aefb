package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/report"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestWatchIndexOnAStandby: a server in recovery refuses LISTEN. WatchIndex there still reports changes by
// merges and ranks, and nothing else, also after a promotion.
func TestWatchIndexOnAStandby(t *testing.T) {
	t.Parallel()
	primary := storetest.Cluster(t)
	p := openStore(t, primary.DSN())
	f := &frontier{t: t, dsn: primary.DSN(), pool: storetest.Connect(t, primary.DSN()), s: crawl.New(p)}
	standby := storetest.Standby(t, primary)
	s, err := store.Open(t.Context(), store.Options{DSN: standby.DSN(), Application: "test", Role: store.SearchRole})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if is, err := s.Standby(t.Context()); err != nil || !is {
		t.Fatalf("the standby is one: %v, %v", is, err)
	}
	if is, err := p.Standby(t.Context()); err != nil || is {
		t.Fatalf("the primary is a standby: %v, %v", is, err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	said, over := make(chan string, 100), make(chan error, 1)
	go func() { over <- lookup.New(s).WatchIndex(ctx, func(what string) { said <- what }) }()
	hear := func(after string) {
		t.Helper()
		select {
		case <-said:
		case err := <-over:
			t.Fatalf("after %s the watch ended: %v", after, err)
		case <-time.After(time.Minute):
			t.Fatalf("nothing was heard of %s", after)
		}
	}
	hear("the beginning")
	change := func(in *store.DB) {
		t.Helper()
		if _, err := in.BeginChange(t.Context(), store.AnyChanges); err != nil {
			t.Fatal(err)
		}
	}
	change(p)
	hear("a merge")
	ranks := func(rank float32) {
		t.Helper()
		st, err := index.New(p).RankState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		given := false
		_, err = index.New(p).PutRanks(t.Context(), st, 10, func() error { given = false; return nil }, func() (r index.Rank, ok bool, err error) {
			r, ok, given = index.Rank{URL: 1, Rank: rank}, !given, true
			return r, ok, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ranks(2)
	hear("ranks")
	ranks(2) // as they were
	f.exec(`INSERT INTO tmpurl (url_id) VALUES (1)`)
	select {
	case what := <-said:
		t.Errorf("heard %q of what is no change of the index", what)
	case <-time.After(5 * time.Second):
	}
	// It does not see the primary's locks: every run without an end counts as running.
	f.exec(`INSERT INTO reindexing (kind, program) VALUES ('merge', 'test'), ('crawl', 'test')`)
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		x, err := report.New(s).IndexStatus(t.Context(), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if x.Merge.Running && x.Crawl != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the runs without an end are not running: %+v, %+v", x.Merge, x.Crawl)
		}
	}
	own := storetest.Connect(t, standby.DSN())
	if _, err := own.Exec(t.Context(), `SELECT pg_promote()`); err != nil {
		t.Fatal(err)
	}
	hear("the promotion")
	promoted := openStore(t, standby.DSN())
	change(promoted)
	if _, err := own.Exec(t.Context(), `SELECT pg_notify('pgseek_index', 'merge')`); err != nil {
		t.Fatal(err)
	}
	hear("a merge after the promotion")
}
