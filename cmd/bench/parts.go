package main

import (
	"bytes"
	"context"
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
	conn    *pgx.Conn // to no database of ours, so that they may be copied
	main    *database // of the crawl
	conf    string
	rules   *config.Spider
	meter   meter
	pages   *pages

	urls     map[string]int32 // documents with content: URL → url_id
	textFile string           // their texts, each ended by a NUL
	textSize map[int32]int    // bytes of each one's text
	edit     *editor
}

// all runs the parts one after the other.
func (b *bench) all(ctx context.Context) (*results, error) {
	r := &results{set: b.set, mergeMemory: b.rules.MergeMemory}
	parts := map[string]func(context.Context, *results) error{
		"crawl": b.crawl, "build": b.build, "floor": b.floor, "rounds": b.rounds, "realtime": b.realtime,
		"searches": b.searches, "synthetic": b.synthetic, "lease": b.lease, "leases": b.leases, "office": b.office,
		"width": b.width,
	}
	for _, name := range []string{"crawl", "build", "floor", "searches", "rounds", "realtime", "synthetic", "lease", "leases", "width", "office"} {
		if !b.wants(name) {
			continue
		}
		if err := parts[name](ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// crawl creates the schema and fetches all pages.
func (b *bench) crawl(ctx context.Context, r *results) (err error) {
	// The schema is created once in the life of a cluster and is not measured.
	if _, err := b.main.index(ctx, "-S"); err != nil {
		return err
	}
	// No VACUUM here: the planner takes a table that was vacuumed while it was empty for one that stays empty, and that is
	// no newcomer's first crawl.
	if err := b.main.exec(ctx, `CHECKPOINT`); err != nil {
		return err
	}
	if err := b.main.watchStatements(ctx); err != nil {
		return err
	}
	if r.crawl, err = b.main.index(ctx, "--no-merge"); err != nil {
		return err
	}
	if err := b.main.showStatements(ctx, "index --no-merge"); err != nil {
		return err
	}
	const countSQL = `
		SELECT (SELECT count(*) FROM urlword WHERE status <> 0), count(*), sum(docsize)
		FROM urlwords WHERE words IS NOT NULL AND deleted = 0`
	if err := b.main.conn.QueryRow(ctx, countSQL).Scan(&r.fetched, &r.documents, &r.bytes); err != nil {
		return err
	}
	if err := b.list(ctx); err != nil {
		return err
	}
	if b.before != "" {
		if err := b.crawlBefore(ctx, r); err != nil {
			return err
		}
	}
	return b.main.waitIdle(ctx)
}

// list finds the documents that are worth storing.
func (b *bench) list(ctx context.Context) error {
	rows, err := b.main.conn.Query(ctx, `
		SELECT w.url, w.url_id FROM urlword w JOIN urlwords c ON c.url_id = w.url_id
		WHERE w.status = 200 AND c.words IS NOT NULL`)
	if err != nil {
		return err
	}
	b.urls = map[string]int32{}
	var url string
	var id int32
	_, err = pgx.ForEachRow(rows, []any{&url, &id}, func() error { b.urls[url] = id; return nil })
	return err
}

// floorOf runs a floor as a process of its own, on a database of its own.
func (b *bench) floorOf(ctx context.Context, r *results, name string, stdin []byte) (u usage, err error) {
	self, err := os.Executable()
	if err != nil {
		return u, err
	}
	there, err := b.openDatabase(ctx, "bench_"+name, nil, "")
	if err != nil {
		return u, err
	}
	step("floor: %s", name)
	if err := there.waitIdle(ctx); err != nil {
		return u, err
	}
	u, err = b.meter.child(ctx, filepath.Join(b.data, name+".log"), stdin, self, name, "-dsn", there.dsn)
	if err != nil {
		return u, err
	}
	const sizeSQL = `
		SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM words),
			pg_total_relation_size('pages') + pg_total_relation_size('words')`
	if err := there.conn.QueryRow(ctx, sizeSQL).Scan(&r.floorDocuments, &r.floorWords, &r.floorSize); err != nil {
		return u, err
	}
	return u, there.drop(ctx)
}

// floor measures the floor of the crawl, and to_tsvector over the same texts.
func (b *bench) floor(ctx context.Context, r *results) (err error) {
	var list bytes.Buffer
	for url := range b.urls {
		list.WriteString(url + "\n")
	}
	if r.floor, err = b.floorOf(ctx, r, "floor", list.Bytes()); err != nil {
		return err
	}
	return b.tsvector(ctx, r)
}

// table is the size of a table in bytes, with its indexes and TOAST.
type table struct {
	name string
	size int64
}

// tables returns the tables of a database that are not empty, the largest first; those of urlwordsNN count as one.
func (d *database) tables(ctx context.Context) ([]table, error) {
	rows, err := d.conn.Query(ctx, `
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
