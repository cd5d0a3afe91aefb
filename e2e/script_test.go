package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestScript runs the tests of the command line in testdata/script: one behavior a file. Each script has
//
//	a database of its own, named by PGSEEK_DBADDR; $NOWHERE names one that does not exist on the same server
//	one fetcher, by PGSEEK_THREADS
//	a web site of its own at $SITE, which serves the script's files under site/; site/index.html is also /
//	a sets.cnf with that site as its only Server, unless it brings one; $SITE is replaced in every .cnf and .txt file
//
// and the commands of scriptCommands besides those of testscript.
func TestScript(t *testing.T) {
	t.Parallel()
	var calls callers
	t.Cleanup(func() { calls.end(t) })
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", Setup: func(e *testscript.Env) error { return newScript(e, &calls) }, Cmds: scriptCommands,
		RequireExplicitExec: true, RequireUniqueNames: true,
	})
}

// scriptCommands are the commands of our scripts. Their doc comments show their use.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"exit":      scriptExit,
	"call":      scriptCall,
	"sql":       onScript(script.sql),
	"page":      onScript(script.page),
	"gone":      onScript(script.gone),
	"status":    onScript(script.status),
	"requests":  onScript(script.requests),
	"hold":      onScript(script.hold),
	"waits":     onScript(script.waits),
	"asked":     onScript(script.asked),
	"interrupt": onScript(script.interrupt),
	"datadir":   onScript(script.dataDir),
	"until":     onScript(script.until),
}

// script has what a running script works with.
type script struct {
	*testscript.TestScript
	t    testing.TB
	dsn  string
	site *spidertest.Site
	slow map[string]*slowPage

	callers *callers
	env     []string // with which it began
}

// scriptKey is the key of a script's site and database among testscript's values.
type scriptKey struct{}

// onScript turns one of our commands into a command of testscript.
func onScript(command func(script, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command cannot be negated")
		}
		s := ts.Value(scriptKey{}).(script)
		s.TestScript = ts
		command(s, args)
	}
}

// newScript makes a script's database, site and configuration.
func newScript(e *testscript.Env, calls *callers) error {
	t := e.T().(testing.TB)
	s := script{t: t, dsn: storetest.New(t), site: spidertest.NewSite(t), slow: map[string]*slowPage{}, callers: calls}
	t.Cleanup(func() { storetest.CheckInvariants(t, s.dsn) })
	e.Setenv("PGSEEK_DBADDR", s.dsn)
	e.Setenv("PGSEEK_THREADS", "1") // each further fetcher costs a connection
	e.Setenv("SITE", s.site.URL)
	e.Setenv("GORACE", os.Getenv("GORACE"))
	config, err := pgx.ParseConfig(s.dsn)
	if err != nil {
		return err
	}
	e.Setenv("NOWHERE", strings.ReplaceAll(s.dsn, config.Database, "nowhere"))
	s.env = append(slices.Clone(e.Vars), "GOGC="+os.Getenv("GOGC"))
	e.Values[scriptKey{}] = s
	if err := s.serve(filepath.Join(e.WorkDir, "site")); err != nil {
		return err
	}
	sets := filepath.Join(e.WorkDir, "sets.cnf")
	if _, err := os.Stat(sets); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(sets, []byte("Server $SITE/\n"), 0o600); err != nil {
			return err
		}
	}
	return filepath.WalkDir(e.WorkDir, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".cnf" && ext != ".txt" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "$SITE", s.site.URL)), 0o600)
	})
}

// serve puts the files of a folder, which may be missing, on the site.
func (s script) serve(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s.put(strings.TrimPrefix(path, dir), string(body))
		return nil
	})
}

// put serves a page with validators. robots.txt is plain text.
func (s script) put(path, body string) {
	if strings.HasSuffix(path, ".txt") {
		s.site.Set(path, spidertest.Page{Body: body, Type: "text/plain"})
		return
	}
	s.site.HTML(path, body)
	if name, ok := strings.CutSuffix(path, "index.html"); ok {
		s.site.HTML(name, body)
	}
}

// scriptExit runs a program that must end with exactly this code: `exit 2 index -n 0`.
func scriptExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit code program [argument ...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	if got := exitCode(ts, err); got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// exitCode returns the exit code of a program.
func exitCode(ts *testscript.TestScript, err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	ts.Check(err)
	return 0
}

// sql runs a statement on the script's database. Its rows go to stdout, columns joined by a blank: `sql
// 'SELECT count(*) FROM journal'`.
func (s script) sql(args []string) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(s.dsn)
	s.Check(err)
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(ctx, config)
	s.Check(err)
	defer func() { s.Check(conn.Close(ctx)) }()
	rows, err := conn.Query(ctx, strings.Join(args, " "))
	s.Check(err)
	out := s.Stdout() // also without rows
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		values, err := row.Values()
		text := make([]string, len(values))
		for i, v := range values {
			text[i] = fmt.Sprint(v)
		}
		fmt.Fprintln(out, strings.Join(text, " "))
		return struct{}{}, err
	})
	s.Check(err)
}

// page gives a path another body: `page /a.html 'new words'`.
func (s script) page(args []string) { s.put(args[0], strings.Join(args[1:], " ")) }

// gone makes paths answer 404.
func (s script) gone(args []string) {
	for _, path := range args {
		s.site.Remove(path)
	}
}

// status makes a path answer with a status: `status /a.html 500`.
func (s script) status(args []string) {
	code, err := strconv.Atoi(args[1])
	s.Check(err)
	s.site.Set(args[0], spidertest.Page{Status: code, Body: "broken"})
}

// requests prints the requests since the last call without those of robots.txt, sorted: "GET /a.html 200",
// with "if changed" for a conditional request.
func (s script) requests([]string) {
	var lines []string
	for _, r := range s.site.Requests() {
		if r.Path == "/robots.txt" {
			continue
		}
		line := fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status)
		if r.Conditional() {
			line += " if changed"
		}
		lines = append(lines, line)
	}
	s.site.Forget()
	slices.Sort(lines)
	out := s.Stdout() // also when there is nothing to say: what the last program said must not stand for it
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
}

// hold takes a lock of the database, as a running crawl or merge does, until the script ends: `hold merge
// 'index -D'`.
func (s script) hold(args []string) {
	ctx := context.Background()
	other, err := store.Open(ctx, store.Options{DSN: s.dsn, Application: args[1]})
	s.Check(err)
	lock, err := other.Lock(ctx, args[0])
	if err != nil {
		other.Close()
		s.Fatalf("%v", err)
	}
	s.Defer(func() { lock.Release(); other.Close() })
}
