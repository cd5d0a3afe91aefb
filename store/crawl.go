package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// dropSchedulesSQL: acknowledged schedules are of interest to people only, and not for long.
const dropSchedulesSQL = `
	DELETE /* store.BeginCrawl */ FROM schedule
	WHERE status = 'a' AND schedule_time < now() - interval '30 days'`

// leftoversSQL: what links reached in a --respider run that was stopped is due like everything else; in the next such run
// links must reach it anew.
const leftoversSQL = `
	UPDATE /* store.BeginCrawl */ urlword
	SET next_index_time = $1
	WHERE next_index_time = -2`

// allDueSQL leaves out what is never due: purged orphans.
const allDueSQL = `
	UPDATE /* store.BeginCrawl */ urlword w
	SET next_index_time = $5
	WHERE w.next_index_time > $5 AND w.next_index_time < $6 AND ` + workSQL

const startsDueSQL = `
	UPDATE /* store.BeginCrawl */ urlword w
	SET next_index_time = 0
	WHERE w.url_id = ANY($5) AND w.next_index_time <> 0 AND ` + workSQL

// sitesDueSQL recomputes what sitestate says from urlword, the truth: a process that died may have left it behind.
const sitesDueSQL = `
	WITH due AS MATERIALIZED (
		SELECT site_id, min(next_index_time) AS time,
			min(CASE
				WHEN next_index_time > $2 THEN 9
				WHEN next_index_time BETWEEN -1 AND 0 THEN 0
				WHEN deleted = 1 THEN 4
				WHEN status = 0 THEN 1
				ELSE 3 END) AS class
		FROM urlword GROUP BY site_id
	)
	UPDATE /* store.BeginCrawl */ sitestate t
	SET next_due = coalesce(due.time, $1), next_class = coalesce(due.class, 9),
		lease_seq = CASE WHEN EXISTS (SELECT FROM schedule c WHERE c.seq = t.lease_seq AND c.status = 's') THEN t.lease_seq ELSE 0 END
	FROM sitestate s LEFT JOIN due ON due.site_id = s.site_id
	WHERE t.site_id = s.site_id`

// CrawlStart says what a run takes for its work.
type CrawlStart struct {
	Start    int64 // of the run, epoch seconds
	All      bool  // -a, and -M within its table: everything within the limits is due
	Respider bool
	Starts   []URLID // start URLs, visited in every run; empty with -q
	Limits   Limits
	Gate     GateRules
}

// Due is the threshold of the run: its work is what has at most this next_index_time. A --respider run visits start URLs
// and what links reach, whether due or not, and nothing else (C-26).
func (c CrawlStart) Due() int64 {
	if c.Respider {
		return 0
	}
	return c.Start
}

// BeginCrawl makes the frontier ready for a run. The caller has opened the run, and no other process has entered it:
// schedules that are open belong to dead processes and are issued again first (rules.md 5, 1 and 8).
func (s *Store) BeginCrawl(ctx context.Context, c CrawlStart) error {
	return s.inTx(ctx, "begin crawl", func(tx pgx.Tx) error {
		if err := readAll(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropSchedulesSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, leftoversSQL, c.Start); err != nil {
			return err
		}
		if c.All {
			if _, err := tx.Exec(ctx, allDueSQL, c.Limits.with(c.Start, neverDue)...); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, startsDueSQL, c.Limits.with(c.Starts)...); err != nil {
			return err
		}
		if err := beginGates(ctx, tx, c.Gate, c.Starts); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, sitesDueSQL, neverDue, c.Due())
		return err
	})
}
