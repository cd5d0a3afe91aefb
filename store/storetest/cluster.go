package storetest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store/embedded"
)

// Cluster starts a server for one test, which the test may stop and kill; its database is empty. It ends with
// the test. A shell that outlives the test binary ends it when that is killed.
func Cluster(t testing.TB) *embedded.Cluster {
	t.Helper()
	return startIn(t, clusterFolder(t))
}

// Standby starts a streaming standby of such a server. It ends with the test, or becomes a primary by pg_promote().
func Standby(t testing.TB, primary *embedded.Cluster) *embedded.Cluster {
	t.Helper()
	dir := clusterFolder(t)
	is, err := primary.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	owner, err := os.Stat(is.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	bin, _, err := embedded.Find(is.Major)
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(bin, "pg_basebackup")
	if _, err := os.Stat(backup); errors.Is(err, os.ErrNotExist) {
		t.Skip("these programs of PostgreSQL, fetched by scripts/newest-postgresql, have no pg_basebackup")
	}
	data := filepath.Join(dir, "pg")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), backup, "--pgdata="+data, "--dbname="+is.DSN,
		"--write-recovery-conf", "--checkpoint=fast", "--no-sync")
	cmd.Dir = dir
	if st, ok := owner.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() { // the server has an account of its own
		if err := os.Chown(data, int(st.Uid), int(st.Gid)); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: st.Uid, Gid: st.Gid}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	return startIn(t, dir)
}

// clusterFolder returns a folder for the server of one test. The server ends with the test.
func clusterFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(serverRoot(), "pgseek-own-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the server has an account of its own
		t.Fatal(err)
	}
	guard := exec.CommandContext(context.Background(), "/bin/sh", "-c",
		`trap "" INT; read x; kill -QUIT "$(head -n 1 "$1/pg/postmaster.pid")" 2>/dev/null; rm -rf "$1"`, "sh", dir)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := guard.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := guard.Wait(); err != nil {
			t.Errorf("remove %s: %v", dir, err)
		}
	})
	return dir
}

// startIn starts the server of a folder until the test ends.
func startIn(t testing.TB, dir string) *embedded.Cluster {
	t.Helper()
	cluster, err := embedded.Open(dir, embedded.Volatile())
	if err == nil {
		err = cluster.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := cluster.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return cluster
}
