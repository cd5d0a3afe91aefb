package report

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// OperatorStatus is what an operator wants to know besides IndexStatus.
type OperatorStatus struct {
	Crawl    crawl.ControlState
	Growth   []GrowthPoint // the oldest first
	Errors   []SiteErrors  // those with most errors first
	Holds    []Hold
	Unread   []UnreadType // the most frequent first
	Slow     []SlowHost   // the slowest first
	Failures []Failure    // the newest first
}

// CrawlState is what the crawl does at the moment.
type CrawlState = crawl.ControlState

// A GrowthPoint is the number of documents at the end of a run.
type GrowthPoint struct {
	At        time.Time
	Documents int64
}

// SiteErrors counts the URLs of a site that are in a series of errors, by class.
type SiteErrors struct {
	Site                                 string
	All, Server, Auth, Gone, Unreachable int64
}

// An UnreadType is a media type that nothing reads.
type UnreadType struct {
	Type string
	URLs int64
}

// A SlowHost has the times of fetches from a site.
type SlowHost struct {
	Site          string
	Fetches       int64
	Mean, Slowest time.Duration
}

// A Failure is a URL whose last visit ended with an error.
type Failure struct {
	URL    string
	Class  string // as urlstate.error_class
	Count  int    // in a row
	At     *time.Time
	Result int // extended status
	Cause  string
}

// Limits of OperatorStatus.
const (
	growthDays  = 90
	growthMost  = 200
	errorSites  = 20
	unreadMost  = 20
	slowMost    = 10
	slowSample  = 5000 // URLs whose history is read
	failureMost = 20
)

const (
	growthSQL = `
		SELECT /* store.OperatorStatus */ ended_at, live
		FROM reindexing
		WHERE live IS NOT NULL AND kind IN ('merge', 'realtime') AND ended_at > now() - make_interval(days => $1)
		ORDER BY run_id`
	siteErrorsSQL = `
		SELECT /* store.OperatorStatus */ s.site, count(*),
			count(*) FILTER (WHERE e.error_class = 'server'), count(*) FILTER (WHERE e.error_class = 'auth'),
			count(*) FILTER (WHERE e.error_class = 'gone'), count(*) FILTER (WHERE e.error_class = 'unreachable')
		FROM urlstate e JOIN urlword w ON w.url_id = e.url_id JOIN sites s ON s.site_id = w.site_id
		WHERE e.error_class IN ('server', 'auth', 'gone', 'unreachable') AND w.deleted = 0
		GROUP BY s.site
		ORDER BY 2 DESC, 1
		LIMIT $1`
	unreadMostSQL = `
		SELECT /* store.OperatorStatus */ media_type, count(*)
		FROM unread_documents
		WHERE media_type <> ''
		GROUP BY 1
		ORDER BY 2 DESC, 1
		LIMIT $1`
	// URLs at equal distances, so that the cost does not grow with the index.
	slowHostsSQL = `
		SELECT /* store.OperatorStatus */ s.site, count(*), avg(h.elapsed_ms)::float8, max(h.elapsed_ms)
		FROM crawl_history h JOIN urlword w ON w.url_id = h.url_id JOIN sites s ON s.site_id = w.site_id
		WHERE h.url_id = ANY ($1) AND h.elapsed_ms > 0 AND h.at > now() - interval '30 days'
		GROUP BY s.site
		ORDER BY 3 DESC, 1
		LIMIT $2`
	failuresSQL = `
		SELECT /* store.OperatorStatus */ w.url_id, w.url, e.error_class, e.error_count, e.last_attempt
		FROM urlstate e JOIN urlword w ON w.url_id = e.url_id
		WHERE e.error_class IN ('server', 'auth', 'gone', 'unreachable') AND w.deleted = 0
		ORDER BY e.last_attempt DESC NULLS LAST, w.url_id
		LIMIT $1`
	failureCausesSQL = `
		SELECT /* store.OperatorStatus */ DISTINCT ON (url_id) url_id, result, cause
		FROM crawl_history
		WHERE url_id = ANY ($1)
		ORDER BY url_id, at DESC, slot DESC`
)

// OperatorStatus reads urlstate twice and urlword once, so callers keep the result for some seconds.
func (s *Store) OperatorStatus(ctx context.Context) (status *OperatorStatus, err error) {
	err = s.Retry(ctx, "operator status", func() error {
		o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		return pgx.BeginTxFunc(ctx, s.Pool, o, func(tx pgx.Tx) error {
			status = &OperatorStatus{}
			return status.read(ctx, tx)
		})
	})
	if err != nil {
		return nil, err
	}
	return status, nil
}

func (x *OperatorStatus) read(ctx context.Context, tx pgx.Tx) (err error) {
	if x.Crawl, err = crawl.StateIn(ctx, tx); err != nil {
		return err
	}
	ids, err := sampled(ctx, tx)
	if err != nil {
		return err
	}
	if x.Slow, err = lines[SlowHost](ctx, tx, func(row pgx.CollectableRow) (l SlowHost, err error) {
		var mean float64
		var most int64
		err = row.Scan(&l.Site, &l.Fetches, &mean, &most)
		l.Mean, l.Slowest = time.Duration(mean*float64(time.Millisecond)), time.Duration(most)*time.Millisecond
		return l, err
	}, slowHostsSQL, ids, slowMost); err != nil {
		return err
	}
	if err := store.ReadAll(ctx, tx); err != nil {
		return err
	}
	if x.Growth, err = lines(ctx, tx, pgx.RowToStructByPos[GrowthPoint], growthSQL, growthDays); err != nil {
		return err
	}
	x.Growth = thinned(x.Growth)
	if x.Errors, err = lines(ctx, tx, pgx.RowToStructByPos[SiteErrors], siteErrorsSQL, errorSites); err != nil {
		return err
	}
	if x.Holds, err = lines(ctx, tx, pgx.RowToStructByPos[Hold], holdsSQL); err != nil {
		return err
	}
	if x.Unread, err = lines(ctx, tx, pgx.RowToStructByPos[UnreadType], unreadMostSQL, unreadMost); err != nil {
		return err
	}
	return x.failures(ctx, tx)
}

func (x *OperatorStatus) failures(ctx context.Context, tx pgx.Tx) (err error) {
	places := map[store.URLID]int{}
	var ids []store.URLID
	if x.Failures, err = lines(ctx, tx, func(row pgx.CollectableRow) (f Failure, err error) {
		var id store.URLID
		err = row.Scan(&id, &f.URL, &f.Class, &f.Count, &f.At)
		places[id], ids = len(ids), append(ids, id)
		return f, err
	}, failuresSQL, failureMost); err != nil || ids == nil {
		return err
	}
	rows, err := tx.Query(ctx, failureCausesSQL, ids)
	if err != nil {
		return err
	}
	var id store.URLID
	var result int
	var cause string
	_, err = pgx.ForEachRow(rows, []any{&id, &result, &cause}, func() error {
		f := &x.Failures[places[id]]
		f.Result, f.Cause = result, cause
		return nil
	})
	return err
}

// sampled returns ids of URLs at equal distances, at most slowSample; some may not exist.
func sampled(ctx context.Context, tx pgx.Tx) ([]store.URLID, error) {
	var last int64
	if err := tx.QueryRow(ctx, `SELECT /* store.OperatorStatus */ coalesce(max(url_id), 0) FROM urlword`).Scan(&last); err != nil {
		return nil, err
	}
	ids := []store.URLID{}
	n := min(last, slowSample)
	for i := range n {
		ids = append(ids, store.URLID((i+1)*last/n))
	}
	return ids, nil
}

// thinned returns at most growthMost points, the last one among them.
func thinned(all []GrowthPoint) []GrowthPoint {
	n := len(all)
	if n <= growthMost {
		return all
	}
	few := make([]GrowthPoint, 0, growthMost)
	for i := range growthMost {
		few = append(few, all[(i+1)*n/growthMost-1])
	}
	return few
}

func lines[T any](ctx context.Context, tx pgx.Tx, read pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, read)
}
