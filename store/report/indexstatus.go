package report

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// IndexStatus is a summary of the whole index for people, as of one moment.
type IndexStatus struct {
	At        time.Time
	Documents int64 // documents that a search can find: live originals; lost ones included
	Clones    int64 // further URLs of the same contents
	Words     int64 // of the merged index
	Bytes     int64 // of the database on disk

	Statuses []StatusCount // by status, as index -S has them
	Sites    []SiteStatus  // those with most documents first
	AllSites int64         // number of all sites
	Runs     []PastRun     // the newest first
	Merge    MergeStatus
	Crawl    *CrawlStatus // nil = none is running
}

// SiteStatus counts the URLs of a site that no rule has withdrawn.
type SiteStatus struct {
	Site              string
	Known, Live, Lost int64 // Live includes lost ones and clones
	Errors            int64 // URLs that never had content, or have none now
	Due               int64 // to be fetched now
	Hold              string
}

// PastRun is a row of reindexing.
type PastRun struct {
	ID      store.RunID
	Kind    string // crawl, merge, realtime
	Started time.Time
	Ended   *time.Time // nil = it is running, or died
	Reason  string     // why the run ended, empty while it runs
	Counts  store.Counts
}

// MergeStatus shows how far the index is behind the crawl.
type MergeStatus struct {
	Running bool
	Since   *time.Time // when the running merge began
	Waiting int64      // document versions in the journal
	Oldest  *time.Time // of them
	Marks   int64      // documents in the delete set
	Last    *time.Time // end of the last completed merge
}

// CrawlStatus is the progress of the running crawl.
type CrawlStatus struct {
	Started  time.Time
	Fetched  int64 // answers so far
	Fetchers int64 // workers with a heartbeat in the last half minute
	Open     int64 // schedules being fetched
	Late     int64 // of them those past their deadline
}

// The statements of IndexStatus. The role pgseek_search may read what they need: urlword, sites,
// sites_on_hold, reindexing, journal, markdel, totals, schedule, fetcher, and pg_locks, which every role may
// read.
const (
	countStatusesSQL = `
		SELECT /* store.IndexStatus */
			CASE WHEN status < 65536 THEN status ELSE status >> 16 & 2047 END,
			status >= 65536,
			count(*) FILTER (WHERE next_index_time <= extract(epoch FROM now())),
			count(*)
		FROM urlword
		WHERE deleted = 0
		GROUP BY 1, 2
		ORDER BY 1, 2`
	countSitesSQL = `
		SELECT /* store.IndexStatus */ s.site, u.known, u.live, u.lost, u.errors, u.due, coalesce(h.reason, ''), count(*) OVER ()
		FROM (
			SELECT site_id, count(*) AS known,
				count(*) FILTER (WHERE status_base(status) = 200) AS live,
				count(*) FILTER (WHERE status >= 65536) AS lost,
				count(*) FILTER (WHERE status >= 400 AND status < 65536 AND status <> 406) AS errors,
				count(*) FILTER (WHERE next_index_time <= extract(epoch FROM now())) AS due
			FROM urlword
			WHERE deleted = 0
			GROUP BY site_id
		) u
		JOIN sites s ON s.site_id = u.site_id
		LEFT JOIN sites_on_hold h ON h.site_id = u.site_id
		ORDER BY u.live DESC, s.site
		LIMIT $1`
	countIndexSQL = `
		SELECT /* store.IndexStatus */ now(), count(*) FILTER (WHERE origin = 0), count(*) FILTER (WHERE origin <> 0),
			(SELECT words FROM totals), pg_database_size(current_database())
		FROM urlword
		WHERE deleted = 0 AND status_base(status) = 200`
	lastRunsSQL = `
		SELECT /* store.IndexStatus */ run_id, kind, started_at, ended_at, coalesce(end_reason, ''),
			documents, created, changed, unchanged, lost, failed, deferred, words, bytes
		FROM reindexing
		ORDER BY run_id DESC
		LIMIT $1`
	// A row without an end may be of a process that died: the lock shows that.
	mergeStatusSQL = `
		SELECT /* store.IndexStatus */ r.started_at IS NOT NULL, r.started_at, j.rows, j.oldest, (SELECT count(*) FROM markdel),
			(SELECT max(ended_at) FROM reindexing WHERE kind = 'merge')
		FROM (SELECT count(*) AS rows, min(fetched_at) AS oldest FROM journal) j
		LEFT JOIN LATERAL (
			SELECT max(started_at) AS started_at FROM reindexing
			WHERE kind = 'merge' AND ended_at IS NULL AND ` + lockedSQL + `
		) r ON true`
	crawlStatusSQL = `
		SELECT /* store.IndexStatus */ started_at, documents,
			(SELECT count(*) FROM fetcher WHERE heartbeat > now() - interval '30 seconds'),
			(SELECT count(*) FROM schedule WHERE status = 's'),
			(SELECT count(*) FROM schedule WHERE status = 's' AND deadline < now())
		FROM reindexing
		WHERE kind = 'crawl' AND ended_at IS NULL AND ` + lockedSQL + `
		ORDER BY run_id DESC
		LIMIT 1`
	// lockedSQL reports whether a session holds the lock with the keys $1 and $2 (store/lock.go). A standby
	// has no such information: there every run without an end counts as running.
	lockedSQL = `(pg_is_in_recovery() OR EXISTS (
		SELECT 1 FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objsubid = 2
		  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		  AND classid = $1::bigint::oid AND objid = $2::bigint::oid))`
)

// IndexStatus returns the summary of the whole index, with at most the given numbers of sites and runs. It
// reads urlword three times, so callers keep the result for some seconds.
func (s *Store) IndexStatus(ctx context.Context, sites, runs int) (status *IndexStatus, err error) {
	err = s.Retry(ctx, "index status", func() error {
		o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		return pgx.BeginTxFunc(ctx, s.Pool, o, func(tx pgx.Tx) error {
			status = &IndexStatus{}
			return status.read(ctx, tx, sites, runs)
		})
	})
	if err != nil {
		return nil, err
	}
	return status, nil
}

func (x *IndexStatus) read(ctx context.Context, tx pgx.Tx, sites, runs int) error {
	if err := store.ReadAll(ctx, tx); err != nil {
		return err
	}
	if err := tx.QueryRow(ctx, countIndexSQL).Scan(&x.At, &x.Documents, &x.Clones, &x.Words, &x.Bytes); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, countStatusesSQL)
	if err != nil {
		return err
	}
	if x.Statuses, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StatusCount]); err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, countSitesSQL, sites); err != nil {
		return err
	}
	x.Sites, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l SiteStatus, err error) {
		err = row.Scan(&l.Site, &l.Known, &l.Live, &l.Lost, &l.Errors, &l.Due, &l.Hold, &x.AllSites)
		return l, err
	})
	if err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, lastRunsSQL, runs); err != nil {
		return err
	}
	x.Runs, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r PastRun, err error) {
		c := &r.Counts
		err = row.Scan(&r.ID, &r.Kind, &r.Started, &r.Ended, &r.Reason,
			&c.Documents, &c.Created, &c.Changed, &c.Unchanged, &c.Lost, &c.Failed, &c.Deferred, &c.Words, &c.Bytes)
		return r, err
	})
	if err != nil {
		return err
	}
	m := &x.Merge
	err = tx.QueryRow(ctx, mergeStatusSQL, store.LockClass, store.LockKeys["merge"]).Scan(&m.Running, &m.Since, &m.Waiting, &m.Oldest, &m.Marks, &m.Last)
	if err != nil {
		return err
	}
	var c CrawlStatus
	err = tx.QueryRow(ctx, crawlStatusSQL, store.LockClass, store.LockKeys["crawl"]).Scan(&c.Started, &c.Fetched, &c.Fetchers, &c.Open, &c.Late)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	x.Crawl = &c
	return nil
}

// IndexSize is a quick summary of the index.
type IndexSize struct {
	Documents int64      // of the merged index
	Sites     int64      // known
	Updated   *time.Time // end of the last merge or index -T, nil = there was none
}

const indexSizeSQL = `
	SELECT /* store.IndexSize */ (SELECT documents FROM totals),
		(SELECT count(*) FROM sites s WHERE EXISTS (
			SELECT 1 FROM urlword u WHERE u.site_id = s.site_id AND u.deleted = 0 AND u.status <> 0 AND u.status & 65535 = 200)),
		(SELECT max(ended_at) FROM reindexing WHERE kind IN ('merge', 'realtime'))`

// IndexSize reads the sizes. Of a site it reads URLs up to the first live document, by the index urlword_due.
func (s *Store) IndexSize(ctx context.Context) (*IndexSize, error) {
	var size IndexSize
	err := s.InTx(ctx, "index size", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRow(ctx, indexSizeSQL).Scan(&size.Documents, &size.Sites, &size.Updated)
	})
	if err != nil {
		return nil, err
	}
	return &size, nil
}

const unreadURLsSQL = `
	SELECT /* store.UnreadURLs */ count(*)
	FROM urlword
	WHERE deleted = 0 AND status = 800`

// UnreadURLs counts the URLs whose type nothing reads. It reads urlword once, so callers keep the number for some time.
func (s *Store) UnreadURLs(ctx context.Context) (n int64, err error) {
	err = s.InTx(ctx, "unread URLs", func(tx pgx.Tx) error { return tx.QueryRow(ctx, unreadURLsSQL).Scan(&n) })
	return n, err
}
