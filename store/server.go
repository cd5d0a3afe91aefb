package store

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
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

// ServerName returns the host and the port of a connection string for messages, never the password: host:port, or the folder of
// the socket. Several hosts have commas between them.
func ServerName(dsn string) string {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "?"
	}
	names := []string{placeName(c.Host, c.Port)}
	for _, f := range c.Fallbacks { // each host comes once more without TLS
		if name := placeName(f.Host, f.Port); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

func placeName(host string, port uint16) string {
	switch {
	case !strings.HasPrefix(host, "/"):
		return net.JoinHostPort(host, strconv.Itoa(int(port)))
	case port != 5432:
		return host + ":" + strconv.Itoa(int(port))
	}
	return host
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
