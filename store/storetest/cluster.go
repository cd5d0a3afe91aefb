package storetest

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store/embedded"
)

// Cluster starts a server of the test's own, which it may stop and kill; its database is empty. It ends with the test; a shell that
// outlives us ends it when we are killed.
func Cluster(t testing.TB) *embedded.Cluster {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pgseek-own-")
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
