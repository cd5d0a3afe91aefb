package e2e

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// slowPage is a page whose answer waits for a signal of the script. Scripts use it to stop programs in the
// middle of their work without a timer.
type slowPage struct {
	asked  chan struct{} // closed when the page was asked for
	answer chan struct{} // close it to let the page be answered
}

// headStart is the time in which a crawl certainly notices a notification.
const headStart = 2 * time.Second

// waits serves a page that is answered when `index -E` has asked the crawl to stop, or interrupt has sent its
// signal.
func (s script) waits(args []string) {
	p := &slowPage{asked: make(chan struct{}), answer: make(chan struct{})}
	s.slow[args[0]] = p
	s.site.Set(args[0], spidertest.Page{Serve: func(_ http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		conn, err := pgx.Connect(ctx, s.dsn)
		if err != nil {
			s.t.Error(err)
			return
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		if _, err := conn.Exec(ctx, "LISTEN pgseek_control"); err != nil {
			s.t.Error(err)
			return
		}
		close(p.asked)
		go func() {
			select {
			case <-p.answer:
				cancel()
			case <-ctx.Done():
			}
		}()
		// Either way the page is answered. The crawl hears the same notification, and nothing outside shows that it has:
		// it gets a head start, so that it does not complete its only page first on a busy machine.
		if _, err := conn.WaitForNotification(ctx); err == nil {
			select {
			case <-time.After(headStart):
			case <-ctx.Done():
			}
		}
	}})
}

// asked waits until a page of waits was requested.
func (s script) asked(args []string) {
	<-s.slow[args[0]].asked
}

// interrupt runs a program, sends it SIGINT when it requests a page of waits, answers the page when the
// program has printed that it stops, and compares its exit code: `interrupt /slow.html 130 index`. With
// -twice it sends a second SIGINT instead of the answer.
func (s script) interrupt(args []string) {
	twice := args[0] == "-twice"
	if twice {
		args = args[1:]
	}
	want, err := strconv.Atoi(args[1])
	s.Check(err)
	cmd := exec.CommandContext(context.Background(), "index", args[3:]...)
	cmd.Dir = s.MkAbs(".")
	cmd.Env = []string{"PGSEEK_DBADDR=" + s.dsn, "GORACE=" + s.Getenv("GORACE")}
	errOut, err := cmd.StderrPipe()
	s.Check(err)
	s.Check(cmd.Start())
	page := s.slow[args[0]]
	<-page.asked
	s.Check(cmd.Process.Signal(syscall.SIGINT))
	said := bufio.NewScanner(errOut)
	for said.Scan() {
		s.Logf("%s", said.Text())
		_, _ = s.Stderr().Write(append(said.Bytes(), '\n'))
		switch {
		case !strings.Contains(said.Text(), "press Ctrl-C again"):
		case twice:
			s.Check(cmd.Process.Signal(syscall.SIGINT))
		default:
			close(page.answer)
		}
	}
	if got := exitCode(s.TestScript, cmd.Wait()); got != want {
		s.Fatalf("exit code %d, want %d", got, want)
	}
}

// dataDir makes a folder for an embedded database that the account of the server can reach, sets
// PGSEEK_DATADIR to it instead of PGSEEK_DBADDR, and removes it at the end. A shell that outlives the test
// ends a server that still runs then.
func (s script) dataDir([]string) {
	dir, err := os.MkdirTemp("/tmp", "pgseek-script-")
	s.Check(err)
	s.Check(os.Chmod(dir, 0o755))
	s.Setenv("PGSEEK_DATADIR", dir)
	s.Setenv("PGSEEK_DBADDR", "")
	guard := exec.CommandContext(context.Background(), "/bin/sh", "-c",
		`trap "" INT; read x; kill -QUIT "$(head -n 1 "$1/pg/postmaster.pid")" 2>/dev/null; rm -rf "$1"`, "sh", dir)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := guard.StdinPipe()
	s.Check(err)
	s.Check(guard.Start())
	s.t.Cleanup(func() {
		if left, err := os.ReadFile(filepath.Join(dir, "pg", "postmaster.pid")); err == nil {
			s.t.Errorf("the script left its server running: %s", bytes.SplitN(left, []byte("\n"), 2)[0])
		}
		_ = in.Close()
		if err := guard.Wait(); err != nil {
			s.t.Errorf("remove %s: %v", dir, err)
		}
	})
}

// untilLimit is how long until waits for what a program does by itself. It only decides when to give up.
const untilLimit = 2 * time.Minute

// until waits until a query returns true: `until 'SELECT ...'`.
func (s script) until(args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), untilLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		s.Fatalf("%v", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		var is *bool
		if err := conn.QueryRow(ctx, args[0]).Scan(&is); err != nil {
			s.Fatalf("%s: %v", args[0], err)
		}
		if is != nil && *is {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
