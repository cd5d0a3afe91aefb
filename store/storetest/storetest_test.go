package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
)

// holdVariable makes TestHold, run in another process, say which server it uses and then wait for its end.
const holdVariable = "PGSEEK_STORETEST_HOLD"

// TestHold runs in the other process of the tests below. Run directly it only creates a database.
func TestHold(t *testing.T) {
	dsn := New(t)
	if os.Getenv(holdVariable) == "" {
		return
	}
	fmt.Printf("SERVER %s\n", serverOf(t, dsn))
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until the parent closes it or kills us
}

// serverOf identifies the server of a connection string by its folder and start time.
func serverOf(t *testing.T, dsn string) string {
	t.Helper()
	return ask(t, dsn, "SELECT current_setting('data_directory') || ' ' || extract(epoch FROM pg_postmaster_start_time())")
}

func ask(t *testing.T, dsn, sql string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// hold starts another test binary and returns it with what it said about its server.
func hold(t *testing.T, environment ...string) (cmd *exec.Cmd, server string) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHold$", "-test.v")
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "PGSEEK_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, holdVariable+"=1")
	cmd.Env = append(cmd.Env, environment...)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	said := bufio.NewScanner(out)
	for said.Scan() {
		if server, ok := strings.CutPrefix(said.Text(), "SERVER "); ok {
			return cmd, server
		}
	}
	t.Fatal("the other test binary ended without a server")
	return nil, ""
}

// kill9 kills a test binary and waits until the system has reaped it.
func kill9(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

// waitGone waits until a shared server's folder is removed, which is the last thing that its supervisor does. Only the
// test's own time-out bounds it.
func waitGone(t *testing.T, server string) {
	t.Helper()
	data, _, _ := strings.Cut(server, " ")
	pid, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Dir(data)); errors.Is(err, os.ErrNotExist) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	line, _, _ := strings.Cut(string(pid), "\n")
	if n, err := strconv.Atoi(line); err == nil && syscall.Kill(n, 0) == nil {
		if cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", n)); err == nil && strings.Contains(string(cmdline), data) {
			t.Errorf("server %d still runs: %s", n, cmdline)
		}
	}
}

func TestDatabasesAreMigratedSeparateAndDropped(t *testing.T) {
	var first string
	t.Run("use", func(t *testing.T) {
		first = New(t)
		second := New(t)
		ask(t, first, "WITH w AS (INSERT INTO sites (site) VALUES ('http://a/') RETURNING 1) SELECT count(*)::text FROM w")
		if got := ask(t, second, "SELECT count(*)::text FROM sites"); got != "0" {
			t.Errorf("the other database has %s sites", got)
		}
		if got := ask(t, Empty(t), "SELECT count(*)::text FROM pg_tables WHERE schemaname = 'public'"); got != "0" {
			t.Errorf("the empty database has %s tables", got)
		}
		pool := Pool(t) // left open: the end of the test closes it
		if err := pool.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
	conn, err := pgx.Connect(t.Context(), first)
	var pg interface{ SQLState() string }
	if err == nil {
		t.Error("the database outlived its test", conn.Close(t.Context()))
	} else if !errors.As(err, &pg) || pg.SQLState() != "3D000" {
		t.Error(err)
	}
}

func TestKilledTestBinaryLeavesNoServer(t *testing.T) {
	t.Parallel()
	cmd, server := hold(t)
	kill9(t, cmd)
	waitGone(t, server)
}

func TestBinariesOfARunShareOneServerWhileItsOwnerLives(t *testing.T) {
	t.Parallel()
	owner := exec.CommandContext(t.Context(), "sleep", "600")
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	run := "PGSEEK_TEST_CLUSTER=" + strconv.Itoa(owner.Process.Pid)

	type said struct {
		cmd    *exec.Cmd
		server string
	}
	answers := make(chan said, 3)
	t.Run("at once", func(t *testing.T) {
		// The processes end with this part; the server stays for its owner.
		for i := range 3 {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				cmd, server := hold(t, run)
				answers <- said{cmd, server}
			})
		}
	})
	first := <-answers
	for range 2 {
		if other := <-answers; other.server != first.server {
			t.Errorf("servers %q and %q", first.server, other.server)
		}
	}
	// All binaries have ended: a later one of the same run finds the same server.
	last, server := hold(t, run)
	if server != first.server {
		t.Errorf("a later binary has server %q, not %q", server, first.server)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // it was killed
	kill9(t, last)
	waitGone(t, server)
}

func TestRunningServerIsUsed(t *testing.T) {
	t.Parallel()
	dsn := New(t)
	_, server := hold(t, "PGSEEK_TEST_DSN="+dsn)
	if want := serverOf(t, dsn); server != want {
		t.Errorf("the other binary used %q, not %q", server, want)
	}
}

func TestTemplateFollowsTheMigrations(t *testing.T) {
	t.Parallel()
	s, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	up := func(sql string) fstest.MapFS {
		return fstest.MapFS{"00001_a.sql": {Data: []byte("-- +goose Up\n" + sql + "\n-- +goose Down\nSELECT 1;\n")}}
	}
	// The names differ from run to run: a server of PGSEEK_TEST_DSN may know an earlier one.
	unique := fmt.Sprintf("-- %d\n", time.Now().UnixNano())
	var names []string
	for _, sql := range []string{"CREATE TABLE a (n integer);", "CREATE TABLE b (n integer);", "CREATE TABLE a (n integer);"} {
		name, err := s.template(t.Context(), up(unique+sql))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { run(t, s.dsn, "DROP DATABASE IF EXISTS "+quote(name)) })
		names = append(names, name)
	}
	if names[0] == names[1] || names[0] != names[2] {
		t.Errorf("templates of schemas a, b, a: %q", names)
	}
	clone := s.create(t, names[1])
	if got := ask(t, clone, "SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE schemaname = 'public'"); got != "b goose_db_version" {
		t.Errorf("the clone of b has tables %q", got)
	}
	if _, err := s.template(t.Context(), up(unique+"CREATE TABLE c (n no_such_type);")); err == nil {
		t.Error("a broken migration made a template")
	}
}

func TestWithDatabase(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgresql://u@/a?host=%2Frun&port=5432": "postgresql://u@/x?host=%2Frun&port=5432",
		"postgres://u:p%40w@h:5433/a":             "postgres://u:p%40w@h:5433/x",
		"postgres://h?dbname=a&user=u":            "postgres://h/x?user=u",
		"host=/run dbname=a user=u":               "host=/run dbname=a user=u dbname='x'",
	} {
		got := withDatabase(dsn, "x")
		if got != want {
			t.Errorf("withDatabase(%q) = %q, want %q", dsn, got, want)
		}
		if cfg, err := pgx.ParseConfig(got); err != nil || cfg.Database != "x" {
			t.Errorf("%q is read as %v, %v", got, cfg, err)
		}
	}
}

func TestFolderOfOthersIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if f, err := joinUsers(dir); err == nil {
		t.Error("a link was taken for our folder", f.Close())
	}
}

// BenchmarkNew measures what a test pays for its database.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(b)
	}
}
