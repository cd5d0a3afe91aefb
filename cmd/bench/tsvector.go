package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store/posting"
)

// tsvector measures PostgreSQL's own full-text index over the same texts. Extracting the texts is not measured.
func (b *bench) tsvector(ctx context.Context, r *results) (err error) {
	if err := b.main.waitIdle(ctx); err != nil {
		return err
	}
	step("tsvector: to_tsvector and GIN")
	r.tsvector, err = b.meter.measure(func() error {
		return b.main.exec(ctx,
			`CREATE TABLE bench.vectors AS SELECT url_id, to_tsvector('english', text) AS vector FROM bench.texts`,
			`CREATE INDEX vectors_gin ON bench.vectors USING gin (vector)`)
	})
	if err != nil {
		return err
	}
	// Rounds find their rows by key; what that costs, and autovacuum, is not theirs.
	err = b.main.exec(ctx, `ALTER TABLE bench.vectors ADD PRIMARY KEY (url_id)`, `ALTER TABLE bench.vectors SET (autovacuum_enabled = off)`,
		`ANALYZE bench.vectors`)
	if err != nil {
		return err
	}
	return b.main.conn.QueryRow(ctx, `SELECT pg_total_relation_size('bench.vectors')`).Scan(&r.vectorSize)
}

// texts writes the text of each document to a table and to a file; in the file a NUL ends each.
func (b *bench) texts(ctx context.Context, r *results) (err error) {
	step("make the texts")
	if err := b.main.exec(ctx, `CREATE SCHEMA bench`); err != nil {
		return err
	}
	b.textFile = filepath.Join(b.data, "texts")
	f, err := os.Create(b.textFile)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	out := bufio.NewWriterSize(f, 1<<20)
	b.textSize = map[int32]int{}
	if err := b.main.copyTexts(ctx, "texts", nil, func(id int32, text string) {
		b.textSize[id] = len(text)
		r.textBytes += int64(len(text))
		_, _ = out.WriteString(text) // Flush tells
		_ = out.WriteByte(0)
	}); err != nil {
		return err
	}
	return out.Flush()
}

// copyTexts creates a table in schema bench with the current texts of documents: of those with the given ids, or
// of all.
func (d *database) copyTexts(ctx context.Context, name string, ids []int32, each func(id int32, text string)) error {
	if err := d.exec(ctx, `DROP TABLE IF EXISTS bench.`+name, `CREATE TABLE bench.`+name+` (url_id integer, text text) WITH (autovacuum_enabled = off)`); err != nil {
		return err
	}
	// A page at a time is read on one connection and copied on another.
	from, err := pgx.Connect(ctx, d.dsn)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close(context.WithoutCancel(ctx)) }()
	rows, err := from.Query(ctx, `
		SELECT url_id, content_type, words FROM urlwords
		WHERE words IS NOT NULL AND deleted = 0 AND ($1::integer[] IS NULL OR url_id = ANY($1)) ORDER BY url_id`, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	_, err = d.conn.CopyFrom(ctx, pgx.Identifier{"bench", name}, []string{"url_id", "text"},
		pgx.CopyFromFunc(func() ([]any, error) {
			if !rows.Next() {
				return nil, rows.Err()
			}
			var id int32
			var contentType string
			var packed []byte
			if err := rows.Scan(&id, &contentType, &packed); err != nil {
				return nil, err
			}
			body, err := posting.UnpackContent(packed, document.MaxIndexLimit)
			if err != nil {
				return nil, err
			}
			text := textOf(body, contentType)
			each(id, text)
			return []any{id, text}, nil
		}))
	if err != nil {
		return fmt.Errorf("copy texts: %w", err)
	}
	return nil
}

// update gives the vectors of documents new texts, as the merge has taken them in, and leaves no pending list.
func (b *bench) updateVectors(ctx context.Context, ids []int32, sizes func(id int32, text string)) (usage, error) {
	if err := b.main.copyTexts(ctx, "changed", ids, sizes); err != nil {
		return usage{}, err
	}
	if err := b.main.exec(ctx, `ANALYZE bench.changed`); err != nil {
		return usage{}, err
	}
	return b.meter.measure(func() error {
		return b.main.exec(ctx,
			`UPDATE bench.vectors v SET vector = to_tsvector('english', c.text) FROM bench.changed c WHERE c.url_id = v.url_id`,
			`SELECT gin_clean_pending_list('bench.vectors_gin')`)
	})
}
