package cli

import (
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestReady: systemd receives one message with the state and a line, at a path or at an abstract address.
func TestReady(t *testing.T) {
	for _, name := range []string{filepath.Join(t.TempDir(), "notify"), "@pgseek-test-" + filepath.Base(t.TempDir()) + time.Now().Format("150405.000000")} {
		manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("NOTIFY_SOCKET", name)
		Ready(t.Context(), "listening\nREADY=0")
		if err := manager.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		message := make([]byte, 200)
		n, err := manager.Read(message)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(message[:n]), "READY=1\nSTATUS=listening READY=0"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		manager.Close()
		Ready(t.Context(), "nobody listens there any more") // only a warning
	}
	t.Setenv("NOTIFY_SOCKET", "")
	Ready(t.Context(), "no manager")
}
