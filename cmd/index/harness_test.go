package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgseek/pgseek/store/storetest"
)

// world is a configuration and a database, as an operator has them.
type world struct {
	t    testing.TB
	dir  string
	dsn  string
	pool *pgxpool.Pool
}

// newWorld makes a configuration directory with these sets.cnf lines, and a migrated database.
func newWorld(t testing.TB, sets string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), dsn: storetest.New(t)}
	w.pool = storetest.Connect(t, w.dsn)
	t.Cleanup(func() { storetest.CheckInvariants(t, w.dsn) })
	w.sets(sets)
	w.spider("")
	return w
}

// check holds the tables against the invariants.
func (w *world) check() {
	w.t.Helper()
	storetest.CheckInvariants(w.t, w.dsn)
}

// sets writes sets.cnf.
func (w *world) sets(text string) { w.write("sets.cnf", text) }

// spider writes spider.cnf, with the database.
func (w *world) spider(text string) {
	w.write("spider.cnf", fmt.Sprintf("DBAddr %s\n%s", quote(w.dsn), text))
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// try runs index with these arguments and returns its exit code and output.
func (w *world) try(args ...string) (code int, out, errOut string) {
	w.t.Helper()
	var o, e bytes.Buffer
	ctx := context.Background()
	code = run(ctx, ctx, append([]string{"--config", w.dir}, args...), strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// index runs index, which must end well, and returns what it printed.
func (w *world) index(args ...string) string {
	w.t.Helper()
	code, out, errOut := w.try(args...)
	if code != exitDone {
		w.t.Fatalf("index %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return out
}

// rows runs a query and returns its rows as text, columns joined by a blank.
func (w *world) rows(query string, args ...any) []string {
	w.t.Helper()
	found, err := w.pool.Query(context.Background(), query, args...)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, query)
	}
	list, err := pgx.CollectRows(found, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		text := make([]string, len(values))
		for i, v := range values {
			text[i] = fmt.Sprint(v)
		}
		return strings.Join(text, " "), err
	})
	if err != nil {
		w.t.Fatalf("%v\n%s", err, query)
	}
	return list
}

// one is rows for a single row.
func (w *world) one(query string, args ...any) string {
	w.t.Helper()
	list := w.rows(query, args...)
	if len(list) != 1 {
		w.t.Fatalf("got %d rows, want 1: %q\n%s", len(list), list, query)
	}
	return list[0]
}
