package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestScript runs testdata/script: one behavior per file. Each script has a database of its own, named by
// PGSEEK_DBADDR ($NOWHERE does not exist on the same server), the program index, and a web site at $SITE that
// serves the script's files under site/ and is the start URL of its sets.cnf.
func TestScript(t *testing.T) {
	t.Parallel()
	programs := buildIndex(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error { return newScript(e, programs) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit": scriptExit, "sql": scriptSQL, "daemon": scriptDaemon, "says": scriptSays, "ask": scriptAsk, "halt": scriptHalt, "hangup": scriptHangup, "until": scriptUntil,
		},
	})
}

// script has what a running script works with.
type script struct {
	dsn    string
	daemon *exec.Cmd
	said   chan string // lines of the daemon's standard error; closed at its end
}

type scriptKey struct{}

func newScript(e *testscript.Env, programs string) error {
	t := e.T().(testing.TB)
	s := &script{dsn: storetest.New(t)}
	e.Values[scriptKey{}] = s
	e.Setenv("PATH", programs+string(os.PathListSeparator)+e.Getenv("PATH"))
	e.Setenv("PGSEEK_DBADDR", s.dsn)
	e.Setenv("GORACE", os.Getenv("GORACE"))
	config, err := pgx.ParseConfig(s.dsn)
	if err != nil {
		return err
	}
	e.Setenv("NOWHERE", strings.ReplaceAll(s.dsn, config.Database, "nowhere"))
	site := spidertest.NewSite(t)
	e.Setenv("SITE", site.URL)
	files, err := filepath.Glob(filepath.Join(e.WorkDir, "site", "*"))
	if err != nil {
		return err
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		site.HTML("/"+filepath.Base(f), string(body))
		if filepath.Base(f) == "index.html" {
			site.HTML("/", string(body))
		}
	}
	return os.WriteFile(filepath.Join(e.WorkDir, "sets.cnf"), []byte("Server "+site.URL+"/\n"), 0o600)
}

func of(ts *testscript.TestScript) *script { return ts.Value(scriptKey{}).(*script) }

// scriptExit runs a program that must end with exactly this code: `exit 2 searchd --since`.
func scriptExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit code program [argument ...]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		code = -1
		if _, after, ok := strings.Cut(err.Error(), "exit status "); ok {
			code, _ = strconv.Atoi(after)
		}
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s: exit code %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

// scriptSQL runs a statement on the script's database. Its rows go to stdout, columns joined by a blank.
func scriptSQL(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(of(ts).dsn)
	ts.Check(err)
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(ctx, config)
	ts.Check(err)
	defer func() { ts.Check(conn.Close(ctx)) }()
	rows, err := conn.Query(ctx, strings.Join(args, " "))
	ts.Check(err)
	out := ts.Stdout()
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		values, err := row.Values()
		text := make([]string, len(values))
		for i, v := range values {
			text[i] = fmt.Sprint(v)
		}
		fmt.Fprintln(out, strings.Join(text, " "))
		return struct{}{}, err
	})
	ts.Check(err)
}

// scriptDaemon starts searchd, waits until it answers, and sets SEARCHD to its address: `daemon --config
// conf`. The daemon ends with the script at the latest.
func scriptDaemon(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	cmd := exec.CommandContext(context.Background(), "searchd", append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PGSEEK_DBADDR", "PGSEEK_MAXSEARCHES", "PGSEEK_STATADDRESS", "GORACE", "PATH"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	errOut, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	s.daemon, s.said = cmd, make(chan string, 1000)
	go func() {
		defer close(s.said)
		lines := bufio.NewScanner(errOut)
		for lines.Scan() {
			s.said <- lines.Text()
		}
	}()
	ts.Defer(func() {
		if s.daemon != nil {
			_ = s.daemon.Process.Kill()
			_ = s.daemon.Wait()
		}
	})
	line := await(ts, "listening")
	_, address, _ := strings.Cut(line, "address=")
	ts.Setenv("SEARCHD", strings.TrimSuffix(address, "/"))
}

// await reads the daemon's output up to a line that contains a text.
func await(ts *testscript.TestScript, text string) string {
	late := time.After(time.Minute)
	for {
		select {
		case line, ok := <-of(ts).said:
			if !ok {
				ts.Fatalf("the daemon ended without saying %q", text)
			}
			ts.Logf("%s", line)
			_, _ = fmt.Fprintln(ts.Stderr(), line)
			if strings.Contains(line, text) {
				return line
			}
		case <-late:
			ts.Fatalf("the daemon does not say %q", text)
		}
	}
}

// scriptSays waits until the daemon prints a text: `says searching`.
func scriptSays(ts *testscript.TestScript, _ bool, args []string) { await(ts, strings.Join(args, " ")) }

// scriptAsk sends a request to the daemon: `ask 200 /search?q=a 'Accept: application/json'`. The status must
// be this one. The answer goes to stdout, its headers to stderr.
func scriptAsk(ts *testscript.TestScript, _ bool, args []string) {
	address, err := url.Parse(ts.Getenv("SEARCHD") + args[1])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	ts.Check(err)
	for _, header := range args[2:] {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	ts.Check(err)
	defer func() { _ = answer.Body.Close() }()
	_, err = io.Copy(ts.Stdout(), answer.Body)
	ts.Check(err)
	ts.Check(answer.Header.Write(ts.Stderr()))
	if strconv.Itoa(answer.StatusCode) != args[0] {
		ts.Fatalf("%s: status %d, want %s", args[1], answer.StatusCode, args[0])
	}
}

// scriptUntil sends a request until the answer has a text: `until '/suggest?q=a' apple`.
func scriptUntil(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile(args[1])
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, ts.Getenv("SEARCHD")+args[0], nil)
		ts.Check(err)
		answer, err := http.DefaultClient.Do(r)
		ts.Check(err)
		body, err := io.ReadAll(answer.Body)
		ts.Check(errors.Join(err, answer.Body.Close()))
		found := want.Match(body)
		if !found && time.Now().Before(end) {
			continue
		}
		_, _ = ts.Stdout().Write(body)
		ts.Check(answer.Header.Write(ts.Stderr()))
		if !found {
			ts.Fatalf("%s has no %q", args[0], args[1])
		}
		return
	}
}

// scriptHangup sends the daemon a SIGHUP: `hangup`.
func scriptHangup(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(of(ts).daemon.Process.Signal(syscall.SIGHUP))
}

// scriptHalt sends the daemon a signal and waits for its end: `halt TERM 0`. With the signal 0 nothing is sent.
func scriptHalt(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	if signal, ok := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT}[args[0]]; ok {
		ts.Check(s.daemon.Process.Signal(signal))
	}
	for line := range s.said {
		ts.Logf("%s", line)
		_, _ = fmt.Fprintln(ts.Stderr(), line)
	}
	_ = s.daemon.Wait()
	code := s.daemon.ProcessState.ExitCode()
	s.daemon = nil
	if strconv.Itoa(code) != args[1] {
		ts.Fatalf("exit code %d, want %s", code, args[1])
	}
}
