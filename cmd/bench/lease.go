package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store"
)

// What a lease is measured with: the same URLs are due, among few known ones and among many.
const (
	leaseHosts = 100
	leaseDue   = 20 // URLs of each host
	leaseFew   = 10_000
	leaseMany  = 1_000_000
	leases     = 1_000 // are taken and given back
	leaseBatch = 10    // URLs
)

// leaseTimes are medians.
type leaseTimes struct{ few, many time.Duration }

// lease measures what taking a schedule costs as the number of known URLs grows.
func (b *bench) lease(ctx context.Context, r *results) (err error) {
	if r.lease.few, err = b.leaseAmong(ctx, leaseFew); err != nil {
		return err
	}
	r.lease.many, err = b.leaseAmong(ctx, leaseMany)
	return err
}

// leaseAmong takes leases in a database of its own with so many known URLs, and returns the median time of one.
func (b *bench) leaseAmong(ctx context.Context, known int) (median time.Duration, err error) {
	step("leases among %d known URLs", known)
	name := fmt.Sprintf("lease_%d", known)
	if _, err := b.conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return 0, err
	}
	dsn, err := url.Parse(b.cluster.DSN())
	if err != nil {
		return 0, err
	}
	dsn.Path = "/" + name
	s, err := store.Open(ctx, store.Options{DSN: dsn.String(), Application: "bench"})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := fillKnown(ctx, dsn.String(), known); err != nil {
		return 0, err
	}
	process, err := s.EnterCrawl(ctx, store.CrawlWish{Program: "bench"})
	if err != nil {
		return 0, err
	}
	if err := s.BeginCrawl(ctx, store.CrawlStart{Start: process.Run.Start}); err != nil {
		return 0, err
	}
	process.Begun()
	if err := process.Beat(ctx, []string{"bench"}, store.Counts{}); err != nil {
		return 0, err
	}
	times := make([]time.Duration, 0, leases)
	for range leases {
		began := time.Now()
		lease, idle, err := s.Lease(ctx, store.LeaseRequest{
			Run: process.Run.ID, Process: process.ID, Fetcher: "bench", Batch: leaseBatch, TimeOut: time.Hour, Due: process.Run.Start,
		})
		if err != nil {
			return 0, err
		}
		if lease == nil || len(lease.URLs) != leaseBatch {
			return 0, fmt.Errorf("a lease without %d URLs (%+v)", leaseBatch, idle)
		}
		times = append(times, time.Since(began))
		if err := s.Acknowledge(ctx, lease, 0); err != nil {
			return 0, err
		}
		if len(times)%100 == 0 { // nobody takes a thousand leases without a sign of life
			if err := process.Beat(ctx, []string{"bench"}, store.Counts{}); err != nil {
				return 0, err
			}
		}
	}
	slices.Sort(times)
	_, err = process.Leave(ctx, "complete", store.Counts{}, store.GateRules{Share: 1, Period: time.Hour})
	return times[len(times)/2], err
}

// fillKnown makes sites with known URLs, of which the first are due.
func fillKnown(ctx context.Context, dsn string, known int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, query := range []string{
		`INSERT INTO sites (site) SELECT format('http://host%%s/', h) FROM generate_series(1, %[1]d) h`,
		`INSERT INTO sitestate (site_id, host) SELECT site_id, 'host' || site_id FROM sites`,
		`INSERT INTO urlword (url_id, site_id, url, status, crc, last_index_time, next_index_time)
			SELECT i, 1 + i %% %[1]d, format('http://host%%s/%%s', 1 + i %% %[1]d, i), 200, md5(i::text), 1000,
				CASE WHEN i <= %[1]d * %[2]d THEN 2000 + i ELSE extract(epoch FROM now())::bigint + 86400 + i END
			FROM generate_series(1, %[3]d) i`,
		`INSERT INTO urlstate (url_id, attempts, last_attempt) SELECT url_id, 1, now() - interval '9 days' FROM urlword`,
		`INSERT INTO citation (url_id, referrers) SELECT url_id, ARRAY[url_id + 1, url_id + 2, url_id + 3] FROM urlword`,
	} {
		query = fmt.Sprintf(query+"\n-- %[1]d hosts, %[2]d due of each, %[3]d known", leaseHosts, leaseDue, known)
		if _, err := conn.Exec(ctx, query); err != nil {
			return fmt.Errorf("%w: %s", err, query)
		}
	}
	_, err = conn.Exec(ctx, `VACUUM ANALYZE`)
	return err
}
