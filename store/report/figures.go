package report

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Figures are the numbers of crawls and merges for /metrics. docs/metrics.md describes them.
type Figures struct {
	Documents, Words        int64 // of the merged index
	Lost                    int64 // documents whose site answers with an error; at most MostCounted
	Due                     int64 // URLs that are due; at most MostCounted
	SitesDue, SitesHeld     int64
	HostsPaused             int64 // hosts that asked for a pause
	OpenSchedules           int64
	LateSchedules           int64
	Fetchers                int64 // with a heartbeat in the last half minute
	JournalRows, Marks      int64
	JournalAge              time.Duration // of the oldest row that waits for a merge
	Phase                   string        // of the crawl, as crawl_state.phase
	RulesRefused            bool          // a changed configuration was not taken
	NextRound               time.Time     // zero = not known
	CrawlRunning, MergeRuns bool
	LastRuns                []LastRun
}

// MostCounted bounds what is counted row by row.
const MostCounted = 10_000

// LastRun is the last run of a kind that ended.
type LastRun struct {
	Kind           string
	Started, Ended time.Time
	Reason         string
	Counts         store.Counts
}

const figuresSQL = `
	SELECT /* store.Figures */ t.documents, t.words,
		(SELECT count(*) FROM (SELECT url_id FROM urlword WHERE status >= 65536 AND deleted = 0 LIMIT $1) l),
		(SELECT count(*) FROM (SELECT url_id FROM urlword WHERE next_index_time <= extract(epoch FROM now())::integer AND deleted = 0 LIMIT $1) d),
		(SELECT count(*) FROM sitestate WHERE next_due <= extract(epoch FROM now())),
		(SELECT count(*) FROM site_hold WHERE ended_at IS NULL),
		(SELECT count(*) FROM host_limit WHERE pause_until > now()),
		(SELECT count(*) FROM schedule WHERE status = 's'),
		(SELECT count(*) FROM schedule WHERE status = 's' AND deadline < now()),
		(SELECT count(*) FROM fetcher WHERE heartbeat > now() - interval '30 seconds'),
		(SELECT count(*) FROM journal), (SELECT count(*) FROM markdel),
		coalesce(extract(epoch FROM now() - (SELECT fetched_at FROM journal ORDER BY schedule_seq, place LIMIT 1)), 0)::float8,
		EXISTS (SELECT 1 FROM reindexing WHERE kind = 'crawl' AND ended_at IS NULL AND ` + crawlLockedSQL + `),
		EXISTS (SELECT 1 FROM reindexing WHERE kind = 'merge' AND ended_at IS NULL AND ` + mergeLockedSQL + `)
	FROM totals t`

// As lockedSQL, with parameters of their own: $2 is the class, $3 and $4 are the keys of a crawl and of a merge.
const (
	crawlLockedSQL = `(pg_is_in_recovery() OR EXISTS (
		SELECT 1 FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objsubid = 2
		  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		  AND classid = $2::bigint::oid AND objid = $3::bigint::oid))`
	mergeLockedSQL = `(pg_is_in_recovery() OR EXISTS (
		SELECT 1 FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objsubid = 2
		  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		  AND classid = $2::bigint::oid AND objid = $4::bigint::oid))`
)

const lastRunsByKindSQL = `
	SELECT /* store.Figures */ DISTINCT ON (kind) kind, started_at, ended_at, end_reason,
		documents, created, changed, unchanged, lost, failed, deferred, words, bytes
	FROM reindexing
	WHERE ended_at IS NOT NULL
	ORDER BY kind, run_id DESC`

// Figures reads the numbers. It reads the entries of indexes, never a whole table of URLs.
func (s *Store) Figures(ctx context.Context) (*Figures, error) {
	var f Figures
	err := s.InTx(ctx, "figures", func(tx pgx.Tx) error {
		f = Figures{}
		var age float64
		err := tx.QueryRow(ctx, figuresSQL, MostCounted, store.LockClass, store.LockKeys["crawl"], store.LockKeys["merge"]).Scan(
			&f.Documents, &f.Words, &f.Lost, &f.Due, &f.SitesDue, &f.SitesHeld, &f.HostsPaused, &f.OpenSchedules, &f.LateSchedules, &f.Fetchers,
			&f.JournalRows, &f.Marks, &age, &f.CrawlRunning, &f.MergeRuns)
		if err != nil {
			return err
		}
		var next *time.Time
		err = tx.QueryRow(ctx, `SELECT /* store.Figures */ phase, refused IS NOT NULL, next_round FROM crawl_state`).Scan(&f.Phase, &f.RulesRefused, &next)
		if err != nil {
			return err
		}
		if next != nil {
			f.NextRound = *next
		}
		f.JournalAge = time.Duration(age * float64(time.Second))
		rows, err := tx.Query(ctx, lastRunsByKindSQL)
		if err != nil {
			return err
		}
		f.LastRuns, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r LastRun, err error) {
			c := &r.Counts
			err = row.Scan(&r.Kind, &r.Started, &r.Ended, &r.Reason,
				&c.Documents, &c.Created, &c.Changed, &c.Unchanged, &c.Lost, &c.Failed, &c.Deferred, &c.Words, &c.Bytes)
			return r, err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &f, nil
}
