package program

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// TestStopOn is reliability.md F2: the first signal asks, and the second one, or the end of patience, drops what is under
// way.
func TestStopOn(t *testing.T) {
	for _, c := range []struct {
		name     string
		signals  int
		patience time.Duration
	}{
		{"a second signal", 2, time.Hour},
		{"no patience left", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			signals := make(chan os.Signal, c.signals)
			for range c.signals {
				signals <- os.Interrupt
			}
			var told bytes.Buffer
			var calls []string
			stopOn(signals, c.patience, &told, func() { calls = append(calls, "soft") }, func() { calls = append(calls, "hard") })
			if len(calls) != 2 || calls[0] != "soft" || calls[1] != "hard" {
				t.Errorf("got calls %q, want soft, then hard", calls)
			}
			if !bytes.HasPrefix(told.Bytes(), []byte("index: stopping")) {
				t.Errorf("got %q, want a word about stopping", told.String())
			}
		})
	}
}
