package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgseek/pgseek/cmd/index/program"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

// world is a configuration and a database, as an operator has them.
type world struct {
	t    testing.TB
	dir  string
	dsn  string
	pool *pgxpool.Pool
	env  []string // of index, in addition to that of the tests: KEY=value
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

// copy is the world once more, for a test: a copy of its database, where nothing may be running, with these sets.cnf lines.
func (w *world) copy(t testing.TB, sets string) *world {
	t.Helper()
	c := &world{t: t, dir: t.TempDir(), dsn: storetest.Copy(t, w.dsn)}
	c.pool = storetest.Connect(t, c.dsn)
	c.sets(sets)
	c.spider("")
	return c
}

// check holds the tables against the invariants.
func (w *world) check() {
	w.t.Helper()
	storetest.CheckInvariants(w.t, w.dsn)
}

// sets writes sets.cnf.
func (w *world) sets(text string) { w.write("sets.cnf", text) }

// spider writes spider.cnf, with the database. Unless it says otherwise there is one fetcher: each further one costs a
// connection, with a server process that reads the schema.
func (w *world) spider(text string) {
	if !strings.Contains(text, "Threads") {
		text += "\nThreads 1\n"
	}
	w.write("spider.cnf", fmt.Sprintf("DBAddr %s\n%s", quote(w.dsn), text))
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// try runs index with these arguments and returns its exit code and output. It calls the program in this process: a
// process of its own costs more than most of what the tests let it do. Only variables of the environment need one.
func (w *world) try(args ...string) (code int, out, errOut string) {
	w.t.Helper()
	if len(w.env) > 0 {
		return w.tryProcess(args...)
	}
	var o, e bytes.Buffer
	ctx := store.WithDial(context.Background(), storetest.Dial)
	code = program.Run(ctx, ctx, w.arguments(args), strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// tryProcess is try in a process of its own.
func (w *world) tryProcess(args ...string) (code int, out, errOut string) {
	w.t.Helper()
	var o, e bytes.Buffer
	cmd := w.command(args...)
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	code = cmd.ProcessState.ExitCode()
	if code < 0 || code == exitRace || strings.Contains(e.String(), "\ngoroutine ") { // a panic ends with exitUsage
		w.t.Fatalf("index %s: %v\n%s%s", strings.Join(args, " "), cmd.ProcessState, o.String(), e.String())
	}
	return code, o.String(), e.String()
}

// exitRace is the exit code of a program in which the race detector found something.
const exitRace = 66

// command is index with these arguments, of this configuration and environment.
func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), "index", w.arguments(args)...)
	cmd.Env = append(append(os.Environ(), "GOGC="), w.env...) // without our own, which TestMain sets
	return cmd
}

// arguments are those of index in this world.
func (w *world) arguments(args []string) []string {
	return append([]string{"--config", w.dir}, args...)
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

// crawl runs a crawl, which must end well. That no start URL answered is well: what remote sites do is part of the test.
func (w *world) crawl(args ...string) string {
	w.t.Helper()
	code, out, errOut := w.try(args...)
	if code != exitDone && !noStart(code, errOut) {
		w.t.Fatalf("index %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return out
}

// noStart reports whether a crawl said that no start URL brought anything.
func noStart(code int, errOut string) bool {
	return code == exitFailed && (strings.Contains(errOut, "\nindex: the start URL brings nothing: ") ||
		strings.Contains(errOut, " start URLs brings anything; the first: "))
}

// rows runs a query and returns its rows as text, columns joined by a blank.
func (w *world) rows(query string, args ...any) []string {
	w.t.Helper()
	return w.rowsIn(w.pool, query, args...)
}

// rowsIn is rows by a pool or within a transaction.
func (w *world) rowsIn(by interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}, query string, args ...any,
) []string {
	w.t.Helper()
	found, err := by.Query(context.Background(), query, args...)
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
