package embedded

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRunAndJoin: a service runs the server until it is asked to stop; other programs wait for it and do not start one.
func TestRunAndJoin(t *testing.T) {
	t.Parallel()
	c := open(t, folder(t))
	joined := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() { joined <- c.Join(ctx) }()

	begin := func(stop context.Context) (ended chan error) {
		t.Helper()
		ready := make(chan bool, 1)
		ended = make(chan error, 1)
		go func() { ended <- c.Run(stop, func() { ready <- true }) }()
		select {
		case <-ready:
		case err := <-ended:
			t.Fatalf("ended before it was ready: %v", err)
		case <-ctx.Done():
			t.Fatal("not ready within a minute")
		}
		return ended
	}
	stop, ask := context.WithCancel(ctx)
	ended := begin(stop)
	if err := <-joined; err != nil {
		t.Errorf("waiting for the service: %v", err)
	}
	query(t, c, "SELECT 1")
	if err := c.Reload(); err != nil {
		t.Error(err)
	}
	ask()
	if err := <-ended; err != nil || c.PostmasterPID() != 0 {
		t.Errorf("asked to stop: %v, process %d", err, c.PostmasterPID())
	}

	ended = begin(ctx)
	if err := c.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("stopped by another program: %v", err)
	}
	ended = begin(ctx)
	kill9(t, c)
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("killed: %v", err)
	}
	stop, ask = context.WithCancel(ctx)
	ask()
	if err := c.Join(stop); err == nil || c.PostmasterPID() != 0 {
		t.Errorf("waiting without a service: %v, process %d", err, c.PostmasterPID())
	}
}

// TestAccountOfTheDirectory: root makes the cluster under the account for which the data directory was made.
func TestAccountOfTheDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory to another account")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 2, 2); err != nil { // bin, on any Unix
		t.Fatal(err)
	}
	if a, err := chooseAccount(filepath.Join(dir, "pg")); err != nil || a.uid != 2 {
		t.Errorf("account %+v, %v", a, err)
	}
	if got := foreign("/x", "pgseek").Error(); got != "/x belongs to account pgseek: run as pgseek (sudo -u pgseek) or root, or set another DataDir" {
		t.Error(got)
	}
}
