package main

import (
	"context"
	"fmt"
	"strings"
)

// watchStatements resets the server's statistics of statements (-statements).
func (d *database) watchStatements(ctx context.Context) error {
	if d.statements == 0 {
		return nil
	}
	_, err := d.conn.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`)
	if err == nil {
		_, err = d.conn.Exec(ctx, `SELECT pg_stat_statements_reset()`)
	}
	return err
}

// showStatements prints the costliest statements of a part, by time in the executor. The sixteen statements of
// urlwordsNN count as one.
func (d *database) showStatements(ctx context.Context, part string) error {
	if d.statements == 0 {
		return nil
	}
	rows, err := d.conn.Query(ctx, `
		SELECT sum(calls)::bigint, sum(total_exec_time), sum(s.rows)::bigint, sum(wal_bytes)::bigint, sum(wal_records)::bigint,
			left(regexp_replace(regexp_replace(query, 'urlwords\d\d', 'urlwordsNN', 'g'), '\s+', ' ', 'g'), 110)
		FROM pg_stat_statements s
		GROUP BY 6 ORDER BY 2 DESC LIMIT $1`, d.statements)
	if err != nil {
		return err
	}
	defer rows.Close()
	fmt.Printf("\nStatements of %s\n%9s %9s %9s %9s %8s %8s  %s\n", part, "ms", "calls", "us/call", "rows", "WAL MB", "WAL rec", "statement")
	for rows.Next() {
		var calls, n, bytes, records int64
		var ms float64
		var query string
		if err := rows.Scan(&calls, &ms, &n, &bytes, &records, &query); err != nil {
			return err
		}
		fmt.Printf("%9.0f %9d %9.1f %9d %8.1f %8d  %s\n", ms, calls, 1000*ms/float64(max(calls, 1)), n, float64(bytes)/1e6, records,
			strings.TrimSpace(query))
	}
	return rows.Err()
}
