package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// dropSchedulesSQL deletes old acknowledged schedules. They serve people only.
const dropSchedulesSQL = `
	DELETE /* store.BeginCrawl */ FROM schedule
	WHERE status = 'a' AND schedule_time < now() - interval '30 days'`

// leftoversSQL makes the URLs that links reached in a stopped --respider run due like all others. The next
// such run must reach them again.
const leftoversSQL = `
	UPDATE /* store.BeginCrawl */ urlword
	SET next_index_time = $1
	WHERE next_index_time = -2`

// allDueSQL makes the next 10,000 rows due, except those that are never due: purged orphans. Its condition on
// next_index_time is checked again where it waited for a row. IS TRUE keeps the planner from the indexes of
// that column, because the portion is a range of the key.
const allDueSQL = `
	WITH portion AS MATERIALIZED (
		SELECT max(url_id) AS up_to FROM (SELECT url_id FROM urlword WHERE url_id > $7 ORDER BY url_id LIMIT 10000) p -- urlword_pkey
	), made AS (
		UPDATE /* store.BeginCrawl */ urlword w
		SET next_index_time = $5
		WHERE w.url_id > $7 AND w.url_id <= (SELECT up_to FROM portion)                                               -- urlword_pkey
			AND (w.next_index_time > $5 AND w.next_index_time < $6) IS TRUE AND ` + workSQL + `
	)
	SELECT coalesce(up_to, 0) FROM portion`

var startsDueSQL = `
	UPDATE /* store.BeginCrawl */ urlword w
	SET next_index_time = 0
	WHERE w.url_id = ANY($5) AND w.next_index_time NOT IN (0, ` + keptOutSQL + `) AND ` + workSQL

// sitesDueSQL recomputes sitestate from urlword, the source of truth: a process that died may have left it
// out of date.
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
		lease_seq = CASE WHEN EXISTS (SELECT 1 FROM schedule c WHERE c.seq = t.lease_seq AND c.status = 's') THEN t.lease_seq ELSE 0 END
	FROM sitestate s LEFT JOIN due ON due.site_id = s.site_id
	WHERE t.site_id = s.site_id`

// CrawlStart defines the work of a run.
type CrawlStart struct {
	Run      store.RunID
	Start    int64 // of the run, epoch seconds
	All      bool  // -a, and -M within its table: everything within the limits is due
	Respider bool
	Starts   []store.URLID // start URLs, visited in every run; empty with -q
	Limits   Limits
	Gate     GateRules
}

// Due returns the threshold of the run: its work is the URLs with at most this next_index_time. A --respider
// run visits start URLs and what links reach, due or not, and nothing else.
func (c CrawlStart) Due() int64 {
	if c.Respider {
		return 0
	}
	return c.Start
}

// ErrRunEnded says that another process ended the run before it had begun, because it took the opener for
// dead.
var ErrRunEnded = errors.New("another process ended the run before it began")

const beginningSQL = `
	SELECT /* store.BeginCrawl */ begun_at IS NOT NULL, ended_at IS NOT NULL FROM reindexing WHERE run_id = $1`

// hasBegun returns true after an unknown commit that did happen (P6).
func hasBegun(ctx context.Context, tx pgx.Tx, run store.RunID) (begun bool, err error) {
	var ended bool
	err = tx.QueryRow(ctx, beginningSQL, run).Scan(&begun, &ended)
	if err == nil && ended && !begun {
		err = ErrRunEnded
	}
	return begun, err
}

// begunSQL comes last: each heartbeat writes the row, too, and must not wait.
const begunSQL = `
	UPDATE /* store.BeginCrawl */ reindexing SET begun_at = clock_timestamp(), starts = $2
	WHERE run_id = $1 AND begun_at IS NULL AND ended_at IS NULL`

// BeginCrawl prepares the frontier of a run and records that in the row of the run: from then on other
// processes may enter. The caller has opened the run. Open schedules belong to dead processes and are issued
// again first. It returns ErrRunEnded, and has changed nothing, when the run is over already.
//
// With All it first makes all URLs due in portions of 10,000 rows, each a transaction, so that a recrawl of
// millions blocks neither other programs nor VACUUM. What a process makes due before it dies is due in the
// next run of any kind.
func (s *Store) BeginCrawl(ctx context.Context, c CrawlStart) error {
	if c.All {
		if err := s.allDue(ctx, c); err != nil {
			return err
		}
	}
	return s.InTx(ctx, "begin crawl", func(tx pgx.Tx) error {
		if begun, err := hasBegun(ctx, tx, c.Run); err != nil || begun {
			return err
		}
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, dropSchedulesSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, leftoversSQL, c.Start); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, startsDueSQL, c.Limits.with(c.Starts)...); err != nil {
			return err
		}
		if err := beginGates(ctx, tx, c.Gate, c.Starts); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sitesDueSQL, neverDue, c.Due()); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, begunSQL, c.Run, store.NotNil(c.Starts))
		if err == nil && done.RowsAffected() == 0 {
			err = ErrRunEnded
		}
		return err
	})
}

// allDue makes everything within the limits due, as long as the run has not begun.
func (s *Store) allDue(ctx context.Context, c CrawlStart) error {
	for last := store.URLID(0); ; {
		var upTo store.URLID // 0 = there is nothing behind last
		err := s.InTx(ctx, "begin crawl", func(tx pgx.Tx) error {
			upTo = 0
			if begun, err := hasBegun(ctx, tx, c.Run); err != nil || begun {
				return err
			}
			return tx.QueryRow(ctx, allDueSQL, c.Limits.with(c.Start, neverDue, last)...).Scan(&upTo)
		})
		if err != nil || upTo == 0 {
			return err
		}
		last = upTo
	}
}
