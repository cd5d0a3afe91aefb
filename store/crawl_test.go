package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store/crawl"
)

// fillLater adds URLs of one site that are due in an hour, numbered from 1001.
func (f *frontier) fillLater(rows int) {
	f.t.Helper()
	site, err := f.s.RegisterSite(f.t.Context(), "http://many/", "many")
	if err != nil {
		f.t.Fatal(err)
	}
	f.exec(`INSERT INTO urlword (url_id, site_id, url, status, next_index_time)
		SELECT 1000 + n, $1, 'http://many/' || CASE WHEN n % 2 = 0 THEN 'even/' ELSE 'odd/' END || n, 200, $2
		FROM generate_series(1, $3::integer) n`, site, f.process.Run.Start+3600, rows)
}

// due counts URLs that are due in the run, in committed rows.
func (f *frontier) due(where string) string {
	f.t.Helper()
	return f.one(`SELECT count(*) FROM urlword WHERE next_index_time <= $1 AND `+where, f.process.Run.Start)
}

// TestAllInPortions: -a makes URLs due in short transactions, so that a transaction that holds one row blocks
// only its portion. The run has not begun before the last portion.
func TestAllInPortions(t *testing.T) {
	f := newFrontier(t)
	f.fillLater(25000)
	held, err := f.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback(context.Background()) }()
	if _, err := held.Exec(t.Context(), `SELECT FROM urlword WHERE url_id = 26000 FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	began := make(chan error, 1)
	go func() {
		began <- f.s.BeginCrawl(t.Context(), crawl.CrawlStart{
			Run: f.process.Run.ID, Start: f.process.Run.Start, All: true, Gate: crawl.GateRules{Share: 1, Period: time.Hour},
		})
	}()
	for end := time.Now().Add(20 * time.Second); f.due(`true`) != "20000"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s URLs are due while a row of the third portion is held, want 20000", f.due(`true`))
		}
	}
	if got := f.one(`SELECT begun_at IS NULL FROM reindexing WHERE run_id = $1`, f.process.Run.ID); got != "true" {
		t.Error("the run has begun before all is due")
	}
	f.exec(`UPDATE urlword SET tag = 1 WHERE url_id = 1001`) // nobody waits for a portion that is done
	// The holder of the row decides that it is never due: that must stay.
	if _, err := held.Exec(t.Context(), `UPDATE urlword SET deleted = 1, next_index_time = 4611686018427387904 WHERE url_id = 26000`); err != nil {
		t.Fatal(err)
	}
	if err := held.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-began; err != nil {
		t.Fatal(err)
	}
	if got := f.due(`true`); got != "24999" {
		t.Errorf("%s URLs are due, want 24999", got)
	}
	if got := f.one(`SELECT begun_at IS NOT NULL FROM reindexing WHERE run_id = $1`, f.process.Run.ID); got != "true" {
		t.Error("the run has not begun")
	}
}

// TestAllWithinLimits: the limits hold in each portion.
func TestAllWithinLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits crawl.Limits
		want   string // of all, and of the even ones
	}{
		{"pattern", crawl.Limits{URLs: []string{"%/even/%"}}, "12500 12500"},
		{"tmpurl", crawl.Limits{Tmpurl: true}, "250 125"},
		{"both", crawl.Limits{URLs: []string{"%/even/%"}, Tmpurl: true}, "125 125"},
		{"status", crawl.Limits{Statuses: []int32{404}}, "0 0"},
		{"none", crawl.Limits{}, "25000 12500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFrontier(t)
			f.fillLater(25000)
			f.exec(`INSERT INTO tmpurl (url_id) SELECT url_id FROM urlword WHERE url_id % 200 IN (0, 1)`)
			f.begin(crawl.CrawlStart{All: true, Limits: c.limits})
			if got := f.due(`true`) + " " + f.due(`url LIKE '%/even/%'`); got != c.want {
				t.Errorf("due: %s, want %s", got, c.want)
			}
		})
	}
}

// TestAllOfAnotherRun: -a makes nothing due for a run that has begun, or that another process has ended.
func TestAllOfAnotherRun(t *testing.T) {
	f := newFrontier(t)
	f.begin(crawl.CrawlStart{All: true})
	f.fillLater(10)
	f.begin(crawl.CrawlStart{All: true})
	if got := f.due(`true`); got != "0" {
		t.Errorf("%s URLs became due in a run that had begun", got)
	}
	f.exec(`UPDATE reindexing SET begun_at = NULL, ended_at = now(), end_reason = 'stopped' WHERE run_id = $1`, f.process.Run.ID)
	err := f.s.BeginCrawl(t.Context(), crawl.CrawlStart{Run: f.process.Run.ID, Start: f.process.Run.Start, All: true})
	if got := f.due(`true`); !errors.Is(err, crawl.ErrRunEnded) || got != "0" {
		t.Errorf("of a run that was ended: %v, %s URLs are due; want ErrRunEnded and none", err, got)
	}
}
