package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// What a lease is measured with: the same URLs are due, among few known ones and among many.
const (
	leaseHosts  = 100
	leaseDue    = 20 // URLs of each host
	leaseFew    = 10_000
	leaseMany   = 1_000_000
	leaseRounds = 20
	leaseRound  = 50 // leases are taken and given back
	leaseBatch  = 10 // URLs
)

// leaseTimes are medians.
type leaseTimes struct{ few, many time.Duration }

// lease measures what leasing a schedule costs as the number of registered URLs grows. The two databases
// alternate, so that other work on the machine slows both.
func (b *bench) lease(ctx context.Context, r *results) error {
	few, err := b.newLeaser(ctx, known{leaseHosts, leaseDue, leaseFew})
	if err != nil {
		return err
	}
	defer few.store.Close()
	many, err := b.newLeaser(ctx, known{leaseHosts, leaseDue, leaseMany})
	if err != nil {
		return err
	}
	defer many.store.Close()
	step("leases")
	for range leaseRounds {
		for _, l := range []*leaser{few, many} {
			if err := l.round(ctx); err != nil {
				return err
			}
		}
	}
	r.lease = leaseTimes{few.median(), many.median()}
	return nil
}

// leaser takes leases in a database of its own.
type leaser struct {
	dsn     string
	store   *store.DB
	process *crawl.Process
	times   []time.Duration
}

// newLeaser creates a database with registered URLs, and begins a crawl of it.
func (b *bench) newLeaser(ctx context.Context, urls known) (l *leaser, err error) {
	step("a database of %d known URLs on %d hosts", urls.all, urls.hosts)
	name := fmt.Sprintf("lease_%d_%d", urls.hosts, urls.all)
	if _, err := b.conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return nil, err
	}
	dsn, err := url.Parse(b.cluster.DSN())
	if err != nil {
		return nil, err
	}
	dsn.Path = "/" + name
	l = &leaser{dsn: dsn.String()}
	if l.store, err = store.Open(ctx, store.Options{DSN: dsn.String(), Application: "bench"}); err != nil {
		return nil, err
	}
	if err = urls.load(ctx, dsn.String()); err == nil {
		if l.process, err = crawl.New(l.store).EnterCrawl(ctx, crawl.CrawlRequest{Program: "bench"}); err == nil {
			err = crawl.New(l.store).BeginCrawl(ctx, crawl.CrawlStart{Run: l.process.Run.ID, Start: l.process.Run.Start})
		}
	}
	if err != nil {
		l.store.Close()
	}
	return l, err
}

// round takes some leases and returns them, so that the same URLs are due in the next round.
func (l *leaser) round(ctx context.Context) error {
	if err := l.process.Heartbeat(ctx, []string{"bench"}, store.Counts{}); err != nil {
		return err
	}
	for range leaseRound {
		began := time.Now()
		leases, idle, err := crawl.New(l.store).Lease(ctx, crawl.LeaseRequest{
			Run: l.process.Run.ID, Process: l.process.ID, Fetchers: []string{"bench"}, Batch: leaseBatch, TimeOut: time.Hour, Due: l.process.Run.Start,
		})
		if err != nil {
			return err
		}
		if len(leases) != 1 || len(leases[0].URLs) != leaseBatch {
			return fmt.Errorf("a lease without %d URLs (%+v)", leaseBatch, idle)
		}
		l.times = append(l.times, time.Since(began))
		if _, err := crawl.New(l.store).Acknowledge(ctx, crawl.Finished{Lease: leases[0]}); err != nil {
			return err
		}
	}
	return nil
}

func (l *leaser) median() time.Duration {
	slices.Sort(l.times)
	return l.times[len(l.times)/2]
}

// known are registered URLs: so many hosts, so many due URLs of each, and so many URLs in all.
type known struct{ hosts, due, all int }

// load writes sites with registered URLs, of which the first ones are due.
func (k known) load(ctx context.Context, dsn string) error {
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
		query = fmt.Sprintf(query+"\n-- %[1]d hosts, %[2]d due of each, %[3]d known", k.hosts, k.due, k.all)
		if _, err := conn.Exec(ctx, query); err != nil {
			return fmt.Errorf("%w: %s", err, query)
		}
	}
	for _, query := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} { // no work of the load is left to the leases
		if _, err := conn.Exec(ctx, query); err != nil {
			return fmt.Errorf("%w: %s", err, query)
		}
	}
	return nil
}
