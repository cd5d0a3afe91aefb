package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store/embedded"
)

// bench is one run.
type bench struct {
	settings
	cluster *embedded.Cluster
	conn    *pgx.Conn
	conf    string
	rules   *config.Spider
	meter   meter
}

// all runs the parts one after the other.
func (b *bench) all(ctx context.Context) (r *results, err error) {
	r = &results{}
	if err := b.ours(ctx, r); err != nil {
		return nil, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, err
	}
	list, err := b.list(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.floor(ctx, r, list); err != nil {
		return nil, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, err
	}
	if err := b.tsvector(ctx, r); err != nil {
		return nil, err
	}
	return r, b.lease(ctx, r)
}

// settle leaves nothing of a part to the next: neither dirty pages nor work for autovacuum.
func (b *bench) settle(ctx context.Context) error {
	for _, sql := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} {
		if _, err := b.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// ours crawls and merges.
func (b *bench) ours(ctx context.Context, r *results) (err error) {
	index := func(name string, args ...string) (usage, error) {
		step("ours: index %v", args)
		return b.meter.child(ctx, filepath.Join(b.data, name+".log"), nil, b.index, append([]string{"--config", b.conf}, args...)...)
	}
	// The schema is made once in a cluster's life and belongs to nobody's account.
	if _, err := index("migrate", "-S"); err != nil {
		return err
	}
	// No VACUUM here: the planner takes a table that was vacuumed while it was empty for one that stays empty, and that is
	// no newcomer's first crawl.
	if _, err := b.conn.Exec(ctx, `CHECKPOINT`); err != nil {
		return err
	}
	if err := b.watchStatements(ctx); err != nil {
		return err
	}
	if r.crawl, err = index("crawl", "--no-merge"); err != nil {
		return err
	}
	if err := b.showStatements(ctx, "index --no-merge"); err != nil {
		return err
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	if err := b.watchStatements(ctx); err != nil {
		return err
	}
	if r.merge, err = index("merge", "-D"); err != nil {
		return err
	}
	if err := b.showStatements(ctx, "index -D"); err != nil {
		return err
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	if err := b.watchStatements(ctx); err != nil {
		return err
	}
	if r.again, err = index("again", "-a", "--no-merge"); err != nil {
		return err
	}
	if err := b.showStatements(ctx, "index -a --no-merge, nothing changed"); err != nil {
		return err
	}
	const countSQL = `
		SELECT (SELECT count(*) FROM urlword WHERE status <> 0), count(*), sum(docsize), (SELECT count(*) FROM wordurl)
		FROM urlwords WHERE words IS NOT NULL AND deleted = 0`
	if err := b.conn.QueryRow(ctx, countSQL).Scan(&r.fetched, &r.documents, &r.bytes, &r.words); err != nil {
		return err
	}
	r.oursTables, err = b.tables(ctx)
	return err
}

// table is the size of a table in bytes, with its indexes and TOAST.
type table struct {
	name string
	size int64
}

// tables are the tables of a database that hold anything, the largest first; those of urlwordsNN count as one.
func (b *bench) tables(ctx context.Context) ([]table, error) {
	rows, err := b.conn.Query(ctx, `
		SELECT regexp_replace(relname, '^urlwords\d\d$', 'urlwords00..15'), sum(pg_total_relation_size(oid))::bigint
		FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
		GROUP BY 1 HAVING sum(pg_total_relation_size(oid)) >= 1000000
		ORDER BY 2 DESC`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t table, err error) {
		err = row.Scan(&t.name, &t.size)
		return t, err
	})
}

// list is what ours found worth storing: the pages that the floor fetches, a URL a line.
func (b *bench) list(ctx context.Context) ([]byte, error) {
	rows, err := b.conn.Query(ctx, `
		SELECT w.url FROM urlword w JOIN urlwords c ON c.url_id = w.url_id
		WHERE w.status = 200 AND c.words IS NOT NULL ORDER BY w.url_id`)
	if err != nil {
		return nil, err
	}
	urls, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return nil, err
	}
	return bytes.Join(urls, []byte("\n")), nil
}

// floorDatabase is the floor's own.
const floorDatabase = "bench_floor"

// floor runs the floor as a process of its own, on a database of its own.
func (b *bench) floor(ctx context.Context, r *results, list []byte) (err error) {
	if _, err := b.conn.Exec(ctx, `CREATE DATABASE `+floorDatabase+` TEMPLATE template0`); err != nil {
		return err
	}
	dsn, err := url.Parse(b.cluster.DSN())
	if err != nil {
		return err
	}
	dsn.Path = "/" + floorDatabase
	if err := b.settle(ctx); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	step("floor: fetch, cut, pack, copy")
	log := filepath.Join(b.data, "floor.log")
	if r.floor, err = b.meter.child(ctx, log, list, self, "floor", "-dsn", dsn.String()); err != nil {
		return err
	}
	there, err := pgx.Connect(ctx, dsn.String())
	if err != nil {
		return err
	}
	defer func() { _ = there.Close(context.WithoutCancel(ctx)) }()
	const sizeSQL = `
		SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM words),
			pg_total_relation_size('pages') + pg_total_relation_size('words')`
	return there.QueryRow(ctx, sizeSQL).Scan(&r.floorDocuments, &r.floorWords, &r.floorSize)
}
