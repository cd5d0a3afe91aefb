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

// startsDueSQL makes start URLs due: all, or in a round ($6) those whose time has come.
var startsDueSQL = `
	UPDATE /* store.BeginCrawl */ urlword w
	SET next_index_time = 0
	WHERE w.url_id = ANY($5) AND w.next_index_time NOT IN (0, ` + keptOutSQL + `) AND (NOT $6 OR w.next_index_time <= $7) AND ` + workSQL

// beginSitesSQL returns the sites whose state a run computes again. A process that died may have left any of them out of date. A round ($1)
// follows a clean end, so only the sites with due URLs can have another class than before, and those of start URLs that are new.
const beginSitesSQL = `
	SELECT /* store.BeginCrawl */ t.site_id FROM sitestate t
	WHERE NOT $1 OR t.next_due <= $2 OR t.next_class < 9 OR t.lease_seq <> 0
		OR t.site_id = ANY(ARRAY(SELECT w.site_id FROM urlword w WHERE w.url_id = ANY($3)))                     -- urlword_pkey
	ORDER BY t.site_id`

// sitesDue computes what the sites of a run have to do. It costs a few rows a site, however many URLs there are.
func (c CrawlStart) sitesDue(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, beginSitesSQL, c.Round && !c.Recheck, c.Due(), store.NotNil(c.Starts))
	if err != nil {
		return err
	}
	sites, err := pgx.CollectRows(rows, pgx.RowTo[store.SiteID])
	if err != nil || len(sites) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, lookAgainSQL, sites, neverDue, c.Due())
	return err
}

// CrawlStart defines the work of a run.
type CrawlStart struct {
	Run      store.RunID
	Start    int64 // of the run, epoch seconds
	All      bool  // -a, and -M within its table: everything within the limits is due
	Respider bool
	Starts   []store.URLID // start URLs, visited in every run; empty with -q
	// Round says that this run follows one that ended cleanly, with the same configuration, and is one of many: sitestate is up to
	// date, and start URLs are visited when they are due.
	Round bool
	// Recheck says that the state of all sites is computed again in a round, too: a process may have died.
	Recheck bool
	Limits  Limits
	Gate    GateRules

	DocumentLimit int64 // live documents up to which the run adds new ones; 0 = any number
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
		if _, err := tx.Exec(ctx, startsDueSQL, c.Limits.with(c.Starts, c.Round, c.Start)...); err != nil {
			return err
		}
		if err := c.sitesDue(ctx, tx); err != nil {
			return err
		}
		if err := beginGates(ctx, tx, c); err != nil {
			return err
		}
		if err := c.setRoom(ctx, tx); err != nil {
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
