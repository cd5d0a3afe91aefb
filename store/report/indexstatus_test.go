package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

func TestIndexStatus(t *testing.T) {
	ctx := t.Context()
	s, err := store.Open(ctx, store.Options{DSN: storetest.New(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := New(s).Ping(ctx); err != nil {
		t.Error(err)
	}
	empty, err := New(s).IndexStatus(ctx, 10, 10)
	if err != nil {
		t.Fatal(err)
	}
	if empty.Bytes == 0 || empty.At.IsZero() || empty.Crawl != nil || empty.Merge.Running {
		t.Errorf("empty database: %+v", empty)
	}

	for _, q := range []string{
		`INSERT INTO sites (site_id, site) VALUES (1, 'http://a/'), (2, 'http://b/'), (3, 'http://c/')`,
		`INSERT INTO sitestate (site_id, host, gate) VALUES (1, 'a', 'a'), (2, 'b', 'a'), (3, 'c', 'a')`,
		`INSERT INTO urlword (url_id, site_id, url, next_index_time, status, deleted, origin) VALUES
			(1, 1, 'http://a/1', 0, 200, 0, 0),
			(2, 1, 'http://a/2', 9000000000, 200, 0, 1),
			(3, 1, 'http://a/3', 9000000000, 200 + (404 << 16) + (1 << 27), 0, 0),
			(4, 1, 'http://a/4', 9000000000, 404, 0, 0),
			(5, 2, 'http://b/5', 0, 0, 0, 0),
			(6, 2, 'http://b/6', 0, 200, 1, 0),
			(7, 2, 'http://b/7', 9000000000, 200, 0, 0),
			(8, 3, 'http://c/8', 9000000000, 301, 0, 0)`,
		`UPDATE totals SET words = 42, documents = 7`,
		`INSERT INTO reindexing (kind, started_at, ended_at, end_reason, documents) VALUES
			('crawl', '2026-01-01', '2026-01-02', 'complete', 5), ('merge', '2026-01-02', '2026-01-03', 'complete', 4)`,
		// Both died: no session holds their locks.
		`INSERT INTO reindexing (kind, started_at, documents) VALUES ('merge', '2026-01-04', 0), ('crawl', '2026-01-05', 3)`,
		`INSERT INTO schedule (run_id, fetcher, schedule_time, deadline, site_ids, url_ids, status) VALUES
			(4, 'f', now() - interval '2 hours', now() - interval '1 hour', '{1}', '{1}', 's'), (4, 'f', now(), now() + interval '1 hour', '{2}', '{5}', 's'),
			(4, 'f', now(), now() + interval '1 hour', '{2}', '{5}', 'a')`,
		`INSERT INTO fetcher (name, run_id, heartbeat) VALUES ('f', 4, now()), ('gone', 4, now() - interval '1 minute')`,
		`INSERT INTO markdel (url_id, site_id, run_id, reason) VALUES (6, 2, 4, 'T-12')`,
	} {
		if _, err := s.Pool.Exec(ctx, q); err != nil {
			t.Fatalf("%v\n%s", err, q)
		}
	}
	day := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	at := func(d int) *time.Time { when := day(d); return &when }
	want := &IndexStatus{
		Documents: 3, Clones: 1, Words: 42,
		Statuses: []StatusCount{{0, false, 1, 1}, {200, false, 1, 3}, {301, false, 0, 1}, {404, false, 0, 1}, {404, true, 0, 1}},
		Sites: []SiteStatus{
			{Site: "http://a/", Known: 4, Live: 3, Lost: 1, Errors: 1, Due: 1},
			{Site: "http://b/", Known: 2, Live: 1, Due: 1},
		},
		AllSites: 3,
		Runs: []PastRun{
			{ID: 4, Kind: "crawl", Started: day(5), Counts: store.Counts{Documents: 3}},
			{ID: 3, Kind: "merge", Started: day(4)},
			{ID: 2, Kind: "merge", Started: day(2), Ended: at(3), Reason: "complete", Counts: store.Counts{Documents: 4}},
		},
		Merge: MergeStatus{Marks: 1, Last: at(3)},
	}
	same := cmp.Options{
		cmpopts.IgnoreFields(IndexStatus{}, "At", "Bytes"),
		cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }),
	}
	got, err := New(s).IndexStatus(ctx, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("both died (-want +got):\n%s", diff)
	}

	size, err := New(s).IndexSize(ctx)
	if diff := cmp.Diff(&IndexSize{Documents: 7, Sites: 2, Updated: at(3)}, size, same); diff != "" || err != nil {
		t.Errorf("size, %v (-want +got):\n%s", err, diff)
	}

	for _, name := range []string{"crawl", "merge"} {
		held, err := s.Lock(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Release()
	}
	if got, err = New(s).IndexStatus(ctx, 2, 3); err != nil {
		t.Fatal(err)
	}
	want.Merge.Running, want.Merge.Since = true, at(4)
	want.Crawl = &CrawlStatus{Started: day(5), Fetched: 3, Fetchers: 1, Open: 2, Late: 1}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("both run (-want +got):\n%s", diff)
	}

	_, err = s.Pool.Exec(ctx, `INSERT INTO urlword (url_id, site_id, url, next_index_time, status, deleted) VALUES
		(9, 3, 'http://c/9', 0, 800, 0), (10, 3, 'http://c/10', 0, 800, 1), (11, 3, 'http://c/11', 0, 801, 0)`)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := New(s).UnreadURLs(ctx); n != 1 || err != nil {
		t.Errorf("UnreadURLs: %d, %v, want 1", n, err)
	}
}
