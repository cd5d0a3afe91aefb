package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const expireSchedulesSQL = `
	UPDATE /* store.BeginCrawl */ schedule
	SET deadline = schedule_time + interval '1 microsecond'
	WHERE status = 's'`

// dropSchedulesSQL: acknowledged schedules are of interest to people only, and not for long.
const dropSchedulesSQL = `
	DELETE /* store.BeginCrawl */ FROM schedule
	WHERE status = 'a' AND schedule_time < now() - interval '30 days'`

const allDueSQL = `
	UPDATE /* store.BeginCrawl */ urlword w
	SET next_index_time = $4
	WHERE w.next_index_time > $4 AND ` + limitsSQL

const startsDueSQL = `
	UPDATE /* store.BeginCrawl */ urlword w
	SET next_index_time = 0
	WHERE w.url_id = ANY($4) AND w.next_index_time <> 0 AND ` + limitsSQL

// sitesDueSQL recomputes what sitestate says from urlword, the truth: a process that died may have left it behind.
const sitesDueSQL = `
	WITH due AS MATERIALIZED (
		SELECT site_id, min(next_index_time) AS time FROM urlword GROUP BY site_id
	)
	UPDATE /* store.BeginCrawl */ sitestate t
	SET next_due = coalesce(due.time, $1),
		lease_seq = CASE WHEN EXISTS (SELECT FROM schedule c WHERE c.seq = t.lease_seq AND c.status = 's') THEN t.lease_seq ELSE 0 END
	FROM sitestate s LEFT JOIN due ON due.site_id = s.site_id
	WHERE t.site_id = s.site_id`

// CrawlStart says what a run takes for its work.
type CrawlStart struct {
	Start  int64   // of the run, epoch seconds
	All    bool    // -a: everything within the limits is due
	Starts []URLID // start URLs, visited in every run; empty with -q
	Limits Limits
}

// BeginCrawl makes the frontier ready for a run. The caller holds the crawl lock, so schedules that are open belong to
// dead processes: they time out at once and are issued again first (rules.md 5, 1 and 8).
func (s *Store) BeginCrawl(ctx context.Context, c CrawlStart) error {
	return s.inTx(ctx, "begin crawl", func(tx pgx.Tx) error {
		if err := readAll(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, expireSchedulesSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropSchedulesSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE /* store.BeginCrawl */ FROM fetcher`); err != nil {
			return err
		}
		if c.All {
			if _, err := tx.Exec(ctx, allDueSQL, c.Limits.Statuses, c.Limits.Tags, c.Limits.URLs, c.Start); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, startsDueSQL, c.Limits.Statuses, c.Limits.Tags, c.Limits.URLs, c.Starts); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sitesDueSQL, neverDue)
		return err
	})
}

const enterFetcherSQL = `
	INSERT /* store.Beat */ INTO fetcher (name, run_id) SELECT unnest($1::text[]), $2
	ON CONFLICT (name) DO UPDATE SET heartbeat = now()`

// Beat is the sign of life of some fetchers.
func (s *Store) Beat(ctx context.Context, run RunID, names []string) error {
	return s.inTx(ctx, "heartbeat", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, enterFetcherSQL, names, run)
		return err
	})
}

// LeaveFetchers removes fetchers that ended.
func (s *Store) LeaveFetchers(ctx context.Context, names []string) error {
	return s.inTx(ctx, "leave", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE /* store.LeaveFetchers */ FROM fetcher WHERE name = ANY($1)`, names)
		return err
	})
}

// Frontier is what a progress line shows of the work that is left.
type Frontier struct {
	Due int64 // URLs that this run has still to fetch
}

const frontierSQL = `
	SELECT /* store.Frontier */ count(*) FROM urlword w     -- urlword_next_index_time
	WHERE w.next_index_time <= $4 AND ` + limitsSQL

// Frontier counts what is left of a run.
func (s *Store) Frontier(ctx context.Context, start int64, limits Limits) (f Frontier, err error) {
	err = s.inTx(ctx, "frontier", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, frontierSQL, limits.Statuses, limits.Tags, limits.URLs, start).Scan(&f.Due)
	})
	return f, err
}
