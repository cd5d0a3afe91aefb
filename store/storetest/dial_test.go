package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestDial verifies that a session is handed on as new, and only when its connection ended properly.
func TestDial(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dsn := New(t)
	open := func() (*pgx.Conn, uint32) {
		t.Helper()
		conn, err := openConn(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		return conn, conn.PgConn().PID()
	}
	exec := func(conn *pgx.Conn, sql string) {
		t.Helper()
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	one := func(conn *pgx.Conn, sql string, args ...any) (got string) {
		t.Helper()
		if err := conn.QueryRow(ctx, sql, args...).Scan(&got); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return got
	}

	watch, _ := open()
	defer func() { _ = watch.Close(ctx) }()
	conn, first := open()
	exec(conn, `SET statement_timeout = '1h'`)
	exec(conn, `CREATE TEMP TABLE left_over (n int)`)
	exec(conn, `SELECT pg_advisory_lock(17)`)
	exec(conn, `LISTEN left_over`)
	if got := one(conn, `SELECT $1::text`, "prepared"); got != "prepared" {
		t.Errorf("got %q", got)
	}
	_ = conn.Close(ctx)
	if got := one(watch, `SELECT pg_try_advisory_lock(17)::text`); got != "true" {
		t.Error("a lock stayed when its connection had ended")
	}

	conn, pid := open()
	if pid != first {
		t.Errorf("session %d was not handed on, but %d", first, pid)
	}
	for sql, want := range map[string]string{
		`SHOW statement_timeout`: "0",
		`SELECT coalesce(to_regclass('pg_temp.left_over')::text, '')`: "",
		`SELECT count(*)::text FROM pg_listening_channels()`:          "0",
		`SELECT $1::text`: "prepared", // no statement of that name is in the way
	} {
		var args []any
		if want == "prepared" {
			args = append(args, want)
		}
		if got := one(conn, sql, args...); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	exec(conn, `BEGIN`)
	_ = conn.Close(ctx)

	conn, pid = open()
	if pid == first {
		t.Error("a session within a transaction was handed on")
	}
	hurried, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := conn.Exec(hurried, `SELECT pg_sleep(60)`); err == nil {
		t.Error("a minute passed")
	}
	_ = conn.Close(ctx)
	conn, again := open()
	if again == pid {
		t.Error("a session with a statement that was given up was handed on")
	}
	_ = conn.Close(ctx)

	exec(watch, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	conn, pid = open()
	if pid == again {
		t.Error("a session that the server has ended was handed on")
	}
	if got := one(conn, `SELECT 'alive'`); got != "alive" {
		t.Errorf("got %q", got)
	}
	_ = conn.Close(ctx)
}
