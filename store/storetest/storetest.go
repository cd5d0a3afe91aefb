// Package storetest gives tests a real, migrated PostgreSQL database of their own.
//
// A test asks for one with New or Pool and gets a clone of a template database, made in some hundredths of a second and
// dropped when the test ends. Connections hand on sessions of the server (Dial). The server is a private one, shared by the test
// binaries of a run and stopped when the last one ends, however it ends (see supervise.go); PGSEEK_TEST_DSN names a running
// server instead. Without PostgreSQL's programs tests fail and say which package to install.
//
// Variables of the environment:
//
//	PGSEEK_TEST_DSN      connection URL or key=value string of a role that may create databases
//	PGSEEK_TEST_CLUSTER  process id for whose life one private server is kept for all test binaries; the Makefile sets
//	                     it. Without it each test binary has a server of its own.
//	PGSEEK_TEST_DIR      folder for the servers. Without it they are in memory (/dev/shm) when 4 GB are free there, else
//	                     in the temporary directory.
//
// The package does not import store, so that store's own tests may use it.
package storetest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// New returns the connection string of a freshly migrated database, which is dropped when the test ends. Connections
// that are still open then are ended.
func New(t testing.TB) string {
	t.Helper()
	s, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	template, err := theTemplate()
	if err != nil {
		t.Fatal(err)
	}
	return s.create(t, template)
}

// Empty is New without the schema: for tests of the migrations themselves.
func Empty(t testing.TB) string {
	t.Helper()
	s, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	return s.create(t, "template0")
}

// Pool returns a pool of connections to a freshly migrated database. It is closed and the database dropped when the test
// ends.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return Connect(t, New(t))
}

// Connect returns a pool for a connection string of New or Empty, which is closed when the test ends.
func Connect(t testing.TB, dsn string) *pgxpool.Pool {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.ConnConfig.DialFunc = Dial
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// openConn opens a connection as Dial does.
func openConn(ctx context.Context, dsn string) (*pgx.Conn, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.DialFunc = Dial
	return pgx.ConnectConfig(ctx, cfg)
}

// made counts the databases of this test binary.
var made atomic.Int64

// create creates a database from a template, and drops it when the test ends. Copying files is faster than
// logging pages when nothing waits for the disk: 37 ms against 104 ms.
func (s server) create(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("pgseek_test_%d_%d_%d", time.Now().Unix(), os.Getpid(), made.Add(1))
	s.run(t, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(template)+" STRATEGY FILE_COPY")
	t.Cleanup(func() {
		idle.forget(name)
		s.run(t, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
	})
	return withDatabase(s.dsn, name)
}

// run runs one statement. Its connections stay: each new one costs the server several milliseconds.
func (s server) run(t testing.TB, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pool, err := s.pool()
	if err == nil {
		_, err = pool.Exec(ctx, sql)
	}
	if err != nil {
		t.Fatalf("storetest: %s: %v", sql, err)
	}
}

// run runs one statement on another database's connection. It does not end with the test's context: it cleans up, too.
func run(t testing.TB, dsn, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := openConn(ctx, dsn)
	if err != nil {
		t.Fatalf("storetest: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatalf("storetest: %s: %v", sql, err)
	}
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// withDatabase returns a connection string, in either of its two forms, for another database of the same server.
func withDatabase(dsn, name string) string {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		if u, err := url.Parse(dsn); err == nil {
			u.Path = "/" + name
			q := u.Query()
			q.Del("dbname")
			q.Del("database")
			u.RawQuery = q.Encode()
			return u.String()
		}
	}
	return dsn + " dbname='" + name + "'" // the last one of a name counts
}
