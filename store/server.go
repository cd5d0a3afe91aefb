package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// CheckDSN returns the error of Open about a connection string that the driver cannot read.
func CheckDSN(dsn string) error {
	_, err := pgxpool.ParseConfig(dsn)
	return badDSN(err)
}

func badDSN(err error) error {
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return nil
}

// Name returns the database and its host for messages, never the password.
func (s *DB) Name() string {
	c := s.Pool.Config().ConnConfig
	return c.Database + " on " + c.Host
}

// Ping asks the database for an answer once. It does not wait for a server that is away.
func (s *DB) Ping(ctx context.Context) error { return s.Pool.Ping(ctx) }

const standbySQL = `SELECT /* store.Standby */ pg_is_in_recovery()`

// Standby reports whether the server is a read-only standby. A promotion can end that at any time.
func (s *DB) Standby(ctx context.Context) (standby bool, err error) {
	err = s.Retry(ctx, "standby", func() error { return s.Pool.QueryRow(ctx, standbySQL).Scan(&standby) })
	return standby, err
}
