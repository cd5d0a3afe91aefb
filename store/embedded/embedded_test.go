package embedded

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// childVariable turns the test binary into a program that starts the cluster of the directory it names, prints the
// server's process id and waits for the end of its input.
const childVariable = "PGSEEK_EMBEDDED_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		run := startAndWait
		if what := os.Getenv(upgradeVariable); what != "" {
			run = func(dir string) error { return upgradeChild(dir, what) }
		}
		if err := run(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func startAndWait(dir string) error {
	c, err := Open(dir)
	if err != nil {
		return err
	}
	if err := c.Start(context.Background()); err != nil {
		return err
	}
	fmt.Println(c.PostmasterPID())
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && err.Error() != "EOF" {
		return err
	}
	return nil
}

// child runs another program that starts the cluster of dir, in a process group of its own.
func child(t *testing.T, dir string) (cmd *exec.Cmd, out *bufio.Reader) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the end of the test's context kills it
	return cmd, bufio.NewReader(stdout)
}

// folder creates a data directory that the server's account can access.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pgseek-embedded-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	dir = resolve(dir)
	t.Cleanup(func() { os.RemoveAll(dir) })
	guard(t, dir)
	return dir
}

// guard stops the server of dir with the test, and also when the test binary is killed, because the shell's
// input ends then.
func guard(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c",
		`trap "" INT; read x; for f in "$1"/pg*/postmaster.pid; do kill -QUIT "$(head -n 1 "$f")"; done 2>/dev/null; exit 0`, "sh", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("stop the test's server: %v", err)
		}
	})
}

func open(t *testing.T, dir string) *Cluster {
	t.Helper()
	c, err := Open(dir, Volatile())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func start(t *testing.T, c *Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

// query runs one statement and returns its first value as text, empty without one.
func query(t *testing.T, c *Cluster, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) { return string(row.RawValues()[0]), nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// kill9 kills the postmaster and waits until it is gone.
func kill9(t *testing.T, c *Cluster) {
	t.Helper()
	if err := c.stop(t.Context(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func TestStartMakesJoinsAndKeeps(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t))
	if err := c.Stop(t.Context()); err != nil {
		t.Errorf("stopping a cluster that was never made: %v", err)
	}
	if s, err := c.Status(t.Context()); err != nil || s.Made || s.PID != 0 || !strings.HasPrefix(s.String(), "not created yet, PostgreSQL ") {
		t.Errorf("before the first start: %+v, %v", s, err)
	}
	start(t, c)
	query(t, c, "CREATE TABLE kept (n integer)")
	query(t, c, "INSERT INTO kept VALUES (42)")
	pid := c.PostmasterPID()

	start(t, c)
	if got := c.PostmasterPID(); got != pid {
		t.Errorf("a second start made server %d beside %d", got, pid)
	}
	s, err := c.Status(t.Context())
	if err != nil || !s.Made || s.PID != pid || s.Major < OldestMajor || s.Account == "root" ||
		!strings.Contains(s.String(), "running as process "+strconv.Itoa(pid)) {
		t.Errorf("status of a running cluster: %+v, %v", s, err)
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.PostmasterPID(); got != 0 {
		t.Errorf("server %d runs after Stop", got)
	}
	start(t, open(t, c.dir))
	if got := query(t, c, "SELECT n::text FROM kept"); got != "42" {
		t.Errorf("after a restart the row is %q", got)
	}
}

func TestServerIsDurableAndPrivate(t *testing.T) {
	t.Parallel()
	c, err := Open(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	start(t, c)
	for name, want := range map[string]string{
		"listen_addresses": "", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "autovacuum": "on",
		"server_encoding": "UTF8", "lc_ctype": "C.UTF-8", "lc_collate": "C.UTF-8", "data_checksums": "on",
		"unix_socket_permissions": "0700", "cluster_name": "pgseek", "shared_buffers": "256MB",
	} {
		sql := "SELECT setting FROM pg_settings WHERE name = '" + name + "'"
		if strings.HasPrefix(name, "lc_") {
			sql = "SELECT dat" + strings.TrimPrefix(name, "lc_") + " FROM pg_database WHERE datname = current_database()"
		}
		if name == "shared_buffers" {
			sql = "SELECT current_setting('shared_buffers')"
		}
		if got := query(t, c, sql); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{c.socketFolder(), c.data} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
	}
	out, err := c.PsqlCommand("-AtXc", "SELECT current_user || ' in ' || current_database()").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "pgseek in pgseek" {
		t.Errorf("psql said %q, %v", out, err)
	}
}

func TestProgramsThatStartAtOnceShareOneServer(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	var outs []*bufio.Reader
	for range 6 {
		_, out := child(t, dir)
		outs = append(outs, out)
	}
	seen := make(map[string]bool)
	for _, out := range outs {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("a program did not start: %v", err)
		}
		seen[line] = true
	}
	if len(seen) != 1 {
		t.Errorf("servers: %v", seen)
	}
}

func TestServerOutlivesItsStarterAndCtrlC(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	cmd, out := child(t, dir)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	// A terminal sends the signal of Ctrl-C to the whole foreground group.
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the starter ignored the signal")
	}
	c := open(t, dir)
	if got := strconv.Itoa(c.PostmasterPID()); got != strings.TrimSpace(line) {
		t.Errorf("server was %s, is %s", strings.TrimSpace(line), got)
	}
	query(t, c, "SELECT 1")
}

func TestKilledServerRecovers(t *testing.T) {
	t.Parallel()
	c, err := Open(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	start(t, c)
	query(t, c, "CREATE TABLE kept AS SELECT 7 AS n")
	kill9(t, c)
	start(t, c)
	if got := query(t, c, "SELECT n::text FROM kept"); got != "7" {
		t.Errorf("after the kill the row is %q", got)
	}
}

// A backend in a loop does not notice that its postmaster is gone, and no server starts beside it.
func TestBusyOrphanOfKilledServerIsEnded(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t))
	start(t, c)
	conn, err := pgx.Connect(t.Context(), c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	pid := int(conn.PgConn().PID())
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "DO $$ BEGIN LOOP END LOOP; END $$")
		done <- err
	}()
	for query(t, c, "SELECT state FROM pg_stat_activity WHERE pid = "+strconv.Itoa(pid)) != "active" {
		time.Sleep(pollPause) // bounded by the test's own time-out
	}
	kill9(t, c)
	start(t, c)
	if err := <-done; err == nil {
		t.Error("the endless loop ended")
	}
	query(t, c, "SELECT 1")
}

func TestStarterKilledWhileMakingLeavesNoHalf(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	cmd, _ := child(t, dir)
	for making := 0; making == 0; {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), makePrefix) {
				making++
			}
			if e.Name() == "pg" {
				t.Fatal("the cluster was there before it was whole")
			}
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	c := open(t, dir)
	start(t, c)
	query(t, c, "SELECT 1")
}

func TestHalfMadeClusterIsReplaced(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	half := filepath.Join(dir, makePrefix+"1")
	if err := os.MkdirAll(filepath.Join(half, "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	start(t, open(t, dir))
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", half, err)
	}
}

func TestStalePIDFileOfAStrangerIsCleared(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t))
	start(t, c)
	content, err := os.ReadFile(filepath.Join(c.data, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	kill9(t, c)
	// The process id of the dead server now belongs to another program of the same account.
	stranger := c.account.command(t.Context(), "/bin/sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	}()
	_, rest, _ := strings.Cut(string(content), "\n")
	content = []byte(strconv.Itoa(stranger.Process.Pid) + "\n" + rest)
	if err := os.WriteFile(filepath.Join(c.data, "postmaster.pid"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	if pid := c.PostmasterPID(); pid != 0 {
		t.Errorf("sleep (process %d) was taken for the server", pid)
	}
	start(t, c)
	query(t, c, "SELECT 1")
}

func TestServerWhoseSocketWasRemovedIsStartedAnew(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t))
	start(t, c)
	if err := os.RemoveAll(c.socketFolder()); err != nil {
		t.Fatal(err)
	}
	start(t, c)
	query(t, c, "SELECT 1")
}

func TestCancelledStartReturns(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Start(ctx); err == nil {
		t.Error("Start under a cancelled context succeeded")
	}
	start(t, c)
}
