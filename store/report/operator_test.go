package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestOperatorStatus: the figures of the operator's pages, read as the role that searches.
func TestOperatorStatus(t *testing.T) {
	ctx := t.Context()
	dsn := storetest.New(t)
	owner, err := store.Open(ctx, store.Options{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	searcher, err := store.Open(ctx, store.Options{DSN: dsn, Role: store.SearchRole})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	if searcher.Role() != store.SearchRole {
		t.Fatalf("acts as %q", searcher.Role())
	}
	s := New(searcher)
	if x, err := s.OperatorStatus(ctx); err != nil || len(x.Failures)+len(x.Growth)+len(x.Slow) > 0 {
		t.Errorf("empty database: %+v, %v", x, err)
	}
	if x, err := s.Figures(ctx); err != nil || x.Documents+x.Due != 0 || x.JournalAge != 0 || x.CrawlRunning {
		t.Errorf("empty database: %+v, %v", x, err)
	}
	for _, q := range []string{
		`INSERT INTO sites (site_id, site) VALUES (1, 'http://a/'), (2, 'http://b/')`,
		`INSERT INTO sitestate (site_id, host, gate, next_due) VALUES (1, 'a', 'h', 9000000000), (2, 'b', 'a', 5)`,
		`INSERT INTO urlword (url_id, site_id, url, next_index_time, status, deleted) VALUES
			(1, 1, 'http://a/1', 9000000000, 200, 0), (2, 1, 'http://a/2', 9000000000, 404, 0), (3, 2, 'http://b/3', 5, 500, 0),
			(4, 2, 'http://b/4', 9000000000, 200 + (404 << 16) + (1 << 27), 0), (5, 2, 'http://b/5', 9000000000, 404, 1), (6, 2, 'http://b/6', 9000000000, 800, 0)`,
		`INSERT INTO urlstate (url_id, error_class, error_count, last_attempt) VALUES (1, '', 0, now()), (2, 'gone', 2, '2026-01-02'),
			(3, 'server', 1, '2026-01-03'), (4, 'gone', 1, '2026-01-01'), (5, 'gone', 9, now()), (6, 'unread', 1, now())`,
		`INSERT INTO crawl_history (url_id, slot, run_id, at, rule, result, old_status, new_status, elapsed_ms, cause) VALUES
			(1, 0, 1, now(), 'T-01', 200, 0, 200, 10, ''), (2, 0, 1, now(), 'T-04', 404, 0, 404, 30, ''),
			(3, 0, 1, now() - interval '1 hour', 'T-04', 502, 0, 502, 100, 'older'), (3, 1, 1, now(), 'T-04', 500, 0, 500, 300, 'Internal Server Error'),
			(6, 0, 1, now(), 'T-08', 800, 0, 800, 0, 'no converter for image/png')`,
		`UPDATE totals SET words = 42, documents = 7`,
		`INSERT INTO reindexing (kind, started_at, ended_at, end_reason, documents, created, live) VALUES
			('crawl', now(), now(), 'complete', 5, 2, 6), ('merge', now(), now() - interval '1 hour', 'complete', 4, 0, 7), ('merge', now(), now(), 'failed', 1, 0, 9)`,
		`INSERT INTO site_hold (site_id, run_id, reason, url_id, cause, live, turned_lost) VALUES (1, 1, 'share', 2, 'Not Found', 1, 1)`,
		`INSERT INTO journal (run_id, url_id, site_id, status, fetched_at, schedule_seq) VALUES (1, 1, 1, 200, now() - interval '2 minutes', 4), (1, 2, 1, 200, now(), 5)`,
	} {
		if _, err := owner.Pool.Exec(ctx, q); err != nil {
			t.Fatalf("%v\n%s", err, q)
		}
	}
	got, err := s.OperatorStatus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ms := time.Millisecond
	want := &OperatorStatus{
		Crawl:  CrawlState{Mode: "once", Phase: "stopped", Run: 1, EndReason: "complete"},
		Growth: []GrowthPoint{{Documents: 7}, {Documents: 9}},
		Errors: []SiteErrors{{Site: "http://b/", All: 2, Server: 1, Gone: 1}, {Site: "http://a/", All: 1, Gone: 1}},
		Holds:  []Hold{{Site: "http://a/", Reason: "share", URL: "http://a/2", Cause: "Not Found"}},
		Unread: []UnreadType{{"image/png", 1}},
		Slow:   []SlowHost{{"http://b/", 2, 200 * ms, 300 * ms}, {"http://a/", 2, 20 * ms, 30 * ms}},
		Failures: []Failure{
			{URL: "http://b/3", Class: "server", Count: 1, Result: 500, Cause: "Internal Server Error"},
			{URL: "http://a/2", Class: "gone", Count: 2, Result: 404},
			{URL: "http://b/4", Class: "gone", Count: 1},
		},
	}
	ignored := cmp.Options{
		cmpopts.IgnoreFields(GrowthPoint{}, "At"), cmpopts.IgnoreFields(Failure{}, "At"), cmpopts.IgnoreFields(Hold{}, "Since"), cmpopts.IgnoreFields(CrawlState{}, "Began", "Ended", "Merged"),
		cmpopts.IgnoreFields(LastRun{}, "Started", "Ended"), cmp.Comparer(func(a, b time.Duration) bool { return a.Round(time.Second) == b.Round(time.Second) || a == b }),
	}
	if diff := cmp.Diff(want, got, ignored); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	figures, err := s.Figures(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wanted := &Figures{
		Phase:     "stopped",
		Documents: 7, Words: 42, Lost: 1, Due: 1, SitesDue: 1, SitesHeld: 1, JournalRows: 2, JournalAge: 2 * time.Minute,
		LastRuns: []LastRun{
			{Kind: "crawl", Reason: "complete", Counts: store.Counts{Documents: 5, Created: 2}}, {Kind: "merge", Reason: "failed", Counts: store.Counts{Documents: 1}},
		},
	}
	if diff := cmp.Diff(wanted, figures, ignored); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestThinned(t *testing.T) {
	var all []GrowthPoint
	for i := range 1000 {
		all = append(all, GrowthPoint{Documents: int64(i)})
	}
	few := thinned(all)
	if len(few) != growthMost || few[growthMost-1].Documents != 999 {
		t.Errorf("%d points, the last %+v", len(few), few[len(few)-1])
	}
}
