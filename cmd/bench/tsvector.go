package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store/posting"
)

// tsvector measures PostgreSQL's own full-text index over the same texts. Making the texts is not part of it.
func (b *bench) tsvector(ctx context.Context, r *results) (err error) {
	step("tsvector: make the texts")
	if err := b.texts(ctx, r); err != nil {
		return err
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	step("tsvector: to_tsvector and GIN")
	r.tsvector, err = b.meter.measure(func() error {
		for _, sql := range []string{
			`CREATE TABLE bench.vectors AS SELECT url_id, to_tsvector('english', text) AS vector FROM bench.texts`,
			`CREATE INDEX vectors_gin ON bench.vectors USING gin (vector)`,
		} {
			if _, err := b.conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.conn.QueryRow(ctx, `SELECT pg_total_relation_size('bench.vectors')`).Scan(&r.vectorSize)
}

// texts fills a table with the text of each document: its title and its words in their order.
func (b *bench) texts(ctx context.Context, r *results) error {
	rules, err := document.NewRules(document.Rules{
		MinWordLength: b.rules.MinWordLength, MaxWordLength: b.rules.MaxWordLength, IndexLimit: int(b.rules.IndexLimit),
	})
	if err != nil {
		return err
	}
	if _, err := b.conn.Exec(ctx, `CREATE SCHEMA bench CREATE TABLE texts (url_id integer, text text)`); err != nil {
		return err
	}
	// A page at a time is read on one connection and copied on another.
	from, err := pgx.Connect(ctx, b.cluster.DSN())
	if err != nil {
		return err
	}
	defer func() { _ = from.Close(context.WithoutCancel(ctx)) }()
	rows, err := from.Query(ctx, `
		SELECT url_id, content_type, words FROM urlwords WHERE words IS NOT NULL AND deleted = 0 ORDER BY url_id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	_, err = b.conn.CopyFrom(ctx, pgx.Identifier{"bench", "texts"}, []string{"url_id", "text"},
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
			text, err := textOf(packed, contentType, rules)
			r.textBytes += int64(len(text))
			return []any{id, text}, err
		}))
	if err != nil {
		return fmt.Errorf("copy texts: %w", err)
	}
	return nil
}

// textOf is the text of stored content.
func textOf(packed []byte, contentType string, rules *document.Rules) (string, error) {
	body, err := posting.UnpackContent(packed, document.MaxIndexLimit)
	if err != nil {
		return "", err
	}
	d, err := document.Parse(body, contentType, rules)
	if err != nil {
		return "", err
	}
	type place struct {
		at   uint16
		word string
	}
	places := make([]place, 0, d.TotalCount)
	for _, w := range d.Words {
		for _, at := range w.Positions {
			if at>>14 == 0 { // of the body; the title stands by itself
				places = append(places, place{at, w.Text})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	var text strings.Builder
	text.WriteString(d.Title)
	for _, p := range places {
		text.WriteByte(' ')
		text.WriteString(p.word)
	}
	return text.String(), nil
}
