package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// readAll lets the rest of a transaction read tables whole.
func readAll(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = on")
	return err
}

// collect runs a query of one column.
func collect[T any](ctx context.Context, tx pgx.Tx, query string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}

// notNil makes an empty list of none: the columns are NOT NULL.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// setSize is how many rows a statement of the merge reads or writes at once (storage.md 4).
const setSize = 5000

// perTable makes sixteen statements of one, for the sixteen tables urlwordsNN: the only way in which a table's name
// enters a statement.
func perTable(sql string) (all [16]string) {
	for n := range all {
		all[n] = replaceTable(sql, n)
	}
	return all
}

func replaceTable(sql string, n int) string {
	return strings.ReplaceAll(sql, "urlwordsNN", fmt.Sprintf("urlwords%02d", n))
}

// pgtypeBytes receives a bytea without copying it: it is valid until the next row.
type pgtypeBytes []byte

// ScanBytes implements pgtype.BytesScanner.
func (p *pgtypeBytes) ScanBytes(b []byte) error {
	*p = b
	return nil
}
