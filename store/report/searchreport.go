package report

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// SearchReport summarizes the queries in stat since a time (searchd --report).
type SearchReport struct {
	Since time.Time
	Top   []QueryCount // the most frequent queries
	Empty []QueryCount // queries without results
	Slow  []SlowQuery  // the slowest, each by itself
	Days  []SearchDay  // all days since, the first one whole
}

// QueryCount is a query with its filters and how often it was made. Texts that differ only in case and white space are one
// query; further pages of results are not counted.
type QueryCount struct {
	Query  string // as it was last written
	Limits string // filters, such as lang=de path=/docs/
	Count  int64
	URLs   int32 // documents found the last time
	Last   time.Time
	Median time.Duration
}

// SlowQuery is one completed query.
type SlowQuery struct {
	Query  string
	Limits string
	Page   int16 // from 0
	URLs   int32 // documents found, ErrorInQuery after an error
	Start  time.Time
	Took   time.Duration
}

// SearchDay is a row of stat_daily.
type SearchDay struct {
	Day                                         time.Time // midnight UTC of the day in the session's time zone
	Queries, Distinct, Empty, Errors, Addresses int64
	Median, P95, Slowest                        time.Duration
}

// limitsSQL has the filters of a row of stat.
const limitsSQL = `concat_ws(' ', nullif(ul, ''), 'sp=' || nullif(sp, ''), 'st=' || nullif(site, 0))`

// countedSQL counts the queries for a first page that meet a condition.
const countedSQL = `
	SELECT /* store.StatReport */ (array_agg(query ORDER BY start DESC))[1], count(*), (array_agg(urls ORDER BY start DESC))[1],
		to_timestamp(max(start)::double precision),
		percentile_cont(0.5) WITHIN GROUP (ORDER BY (finish - start)::double precision), ` + limitsSQL + `
	FROM stat                                                                    -- stat_start
	WHERE start >= $1::bigint::numeric / 1000 AND np = 0 AND btrim(query) <> '' AND `

const countedOrderSQL = `
	GROUP BY lower(regexp_replace(btrim(query), '\s+', ' ', 'g')), ` + limitsSQL + `
	ORDER BY count(*) DESC, max(start) DESC, 1
	LIMIT $2`

const (
	topQueriesSQL   = countedSQL + `urls >= 0` + countedOrderSQL
	emptyQueriesSQL = countedSQL + `urls = 0` + countedOrderSQL
)

const slowQueriesSQL = `
	SELECT /* store.StatReport */ query, np, urls, to_timestamp(start::double precision), (finish - start)::double precision,
		` + limitsSQL + `
	FROM stat                                                                    -- stat_start
	WHERE start >= $1::bigint::numeric / 1000
	ORDER BY finish - start DESC, start DESC
	LIMIT $2`

const searchDaysSQL = `
	SELECT /* store.StatReport */ day, queries, distinct_queries, empty, errors, addresses,
		median_ms::double precision / 1000, p95_ms::double precision / 1000, slowest_ms::double precision / 1000
	FROM stat_daily
	WHERE day >= to_timestamp($1::bigint::double precision / 1000)::date
	ORDER BY day`

// StatReport summarizes the queries since a time, with the first n of each list, from one snapshot. The days
// read all of stat; PurgeStat removes what is too old. Only the owner may call it, not the search role.
func (s *Store) StatReport(ctx context.Context, since time.Time, n int) (r SearchReport, err error) {
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = s.Retry(ctx, "report on stat", func() error {
		return pgx.BeginTxFunc(ctx, s.Pool, opts, func(tx pgx.Tx) (err error) {
			if err = store.ReadAll(ctx, tx); err != nil {
				return err
			}
			r = SearchReport{Since: since}
			if r.Top, err = queryCounts(ctx, tx, topQueriesSQL, since, n); err != nil {
				return err
			}
			if r.Empty, err = queryCounts(ctx, tx, emptyQueriesSQL, since, n); err != nil {
				return err
			}
			if r.Slow, err = slowQueries(ctx, tx, since, n); err != nil {
				return err
			}
			r.Days, err = searchDays(ctx, tx, since)
			return err
		})
	})
	return r, err
}

func queryCounts(ctx context.Context, tx pgx.Tx, query string, since time.Time, n int) ([]QueryCount, error) {
	rows, err := tx.Query(ctx, query, since.UnixMilli(), n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (q QueryCount, err error) {
		var median float64
		err = row.Scan(&q.Query, &q.Count, &q.URLs, &q.Last, &median, &q.Limits)
		q.Median = seconds(median)
		return q, err
	})
}

func slowQueries(ctx context.Context, tx pgx.Tx, since time.Time, n int) ([]SlowQuery, error) {
	rows, err := tx.Query(ctx, slowQueriesSQL, since.UnixMilli(), n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (q SlowQuery, err error) {
		var took float64
		err = row.Scan(&q.Query, &q.Page, &q.URLs, &q.Start, &took, &q.Limits)
		q.Took = seconds(took)
		return q, err
	})
}

func searchDays(ctx context.Context, tx pgx.Tx, since time.Time) ([]SearchDay, error) {
	rows, err := tx.Query(ctx, searchDaysSQL, since.UnixMilli())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (d SearchDay, err error) {
		var median, p95, slowest float64
		err = row.Scan(&d.Day, &d.Queries, &d.Distinct, &d.Empty, &d.Errors, &d.Addresses, &median, &p95, &slowest)
		d.Median, d.P95, d.Slowest = seconds(median), seconds(p95), seconds(slowest)
		return d, err
	})
}

// seconds returns a duration with microseconds.
func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Microsecond)
}
