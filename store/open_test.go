package store_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestOpenWaits: Open waits as long as WaitLimit says for a server that answers that it has no free
// connection.
func TestOpenWaits(t *testing.T) {
	t.Parallel()
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	login := fmt.Sprintf("login_%d", time.Now().UnixNano())
	exec := func(query string) {
		t.Helper()
		if _, err := pool.Exec(context.Background(), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec(`CREATE ROLE ` + login + ` LOGIN PASSWORD 'x' CONNECTION LIMIT 1; GRANT SELECT ON goose_db_version TO ` + login)
	defer exec(`DROP OWNED BY ` + login + `; DROP ROLE ` + login)
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	as := fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=x sslmode=disable", cfg.Host, cfg.Port, cfg.Database, login)
	taken, err := pgx.Connect(t.Context(), as)
	if err != nil {
		t.Fatal(err)
	}
	open := func(ctx context.Context, limit time.Duration) (time.Duration, error) {
		begin := time.Now()
		s, err := store.Open(ctx, store.Options{DSN: as, Application: "test", WaitLimit: limit})
		if err == nil {
			s.Close()
		}
		return time.Since(begin), err
	}
	refused := func(limit time.Duration) {
		t.Helper()
		took, err := open(t.Context(), limit)
		var pg *pgconn.PgError
		if !errors.Is(err, store.ErrUnavailable) || !errors.As(err, &pg) || pg.Code != "53300" || took < limit {
			t.Errorf("with the limit %v after %v: %v; want ErrUnavailable for want of a connection", limit, took, err)
		}
	}
	refused(0)
	refused(time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if took, err := open(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("whose caller gives up: after %v %v", took, err)
	}
	time.AfterFunc(time.Second, func() { _ = taken.Close(context.Background()) })
	if took, err := open(t.Context(), time.Minute); err != nil || took < 900*time.Millisecond {
		t.Errorf("a connection is free after a second: after %v %v", took, err)
	}
}

// TestOpenThroughARestart: the server answers that it is stopping, does not answer, and comes back.
func TestOpenThroughARestart(t *testing.T) {
	t.Parallel()
	cluster := storetest.Cluster(t)
	open, err := pgx.Connect(t.Context(), cluster.DSN())
	if err != nil {
		t.Fatal(err)
	}
	// A smart shutdown: while a client is connected it goes on, and refuses new ones.
	if err := syscall.Kill(cluster.PostmasterPID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for {
		another, err := pgx.Connect(t.Context(), cluster.DSN())
		var pg *pgconn.PgError
		if errors.As(err, &pg) && pg.Code == "57P03" {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = another.Close(t.Context())
	}
	done := make(chan error, 1)
	go func() {
		s, err := store.Open(t.Context(), store.Options{DSN: cluster.DSN(), Application: "test", WaitLimit: 5 * time.Minute})
		if err == nil {
			s.Close()
		}
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it does not wait: %v", err)
	case <-time.After(500 * time.Millisecond):
	}
	_ = open.Close(t.Context())
	for cluster.PostmasterPID() != 0 {
		time.Sleep(10 * time.Millisecond)
	}
	select {
	case err := <-done:
		t.Fatalf("it does not wait while the server is away: %v", err)
	case <-time.After(500 * time.Millisecond):
	}
	if err := cluster.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestOpenDoesNotWaitForNobody: when no server answers, the address is probably wrong.
func TestOpenDoesNotWaitForNobody(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	_, err := store.Open(t.Context(), store.Options{DSN: "postgres://me@127.0.0.1:1/web", Application: "test", WaitLimit: time.Hour})
	if took := time.Since(begin); !errors.Is(err, store.ErrUnavailable) || took > 20*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
}
