package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ReadAll allows sequential scans for the rest of a transaction.
func ReadAll(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL enable_seqscan = on")
	return err
}

// Collect runs a query of one column and returns its values.
func Collect[T any](ctx context.Context, tx pgx.Tx, query string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}

// NotNil returns an empty list for nil, because the columns are NOT NULL.
func NotNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// SetSize is how many rows a statement of the merge reads or writes at once.
const SetSize = 5000

// PerTable returns a statement for each of the sixteen tables urlwordsNN. There is no other way in which the
// name of a table enters a statement.
func PerTable(sql string) (all [16]string) {
	for n := range all {
		all[n] = replaceTable(sql, n)
	}
	return all
}

func replaceTable(sql string, n int) string {
	return strings.ReplaceAll(sql, "urlwordsNN", fmt.Sprintf("urlwords%02d", n))
}

// Bytes receives a bytea without copying it: it is valid until the next row.
type Bytes []byte

// ScanBytes implements pgtype.BytesScanner.
func (p *Bytes) ScanBytes(b []byte) error {
	*p = b
	return nil
}
