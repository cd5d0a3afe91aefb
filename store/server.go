package store

import "context"

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
