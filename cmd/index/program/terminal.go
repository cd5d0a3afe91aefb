package program

import (
	"io"
	"sync"
)

// terminal is standard error with at most one live line at its end; log lines are printed above it. It is safe for
// concurrent use.
type terminal struct {
	mu   sync.Mutex
	out  io.Writer
	live string // the live line; empty = none
}

// clearLine moves to the beginning of the line and clears it.
const clearLine = "\r\x1b[K"

// show replaces the live line.
func (t *terminal) show(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = text
	t.write(clearLine + text)
}

// leave finishes the live line and continues below it.
func (t *terminal) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live != "" {
		t.live = ""
		t.write("\n")
	}
}

// Write writes whole lines above the live line.
func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live == "" {
		return t.out.Write(b)
	}
	t.write(clearLine)
	n, err := t.out.Write(b)
	t.write(t.live)
	return n, err
}

// write ignores the error: a progress line that cannot be printed is no reason to end.
func (t *terminal) write(s string) { _, _ = io.WriteString(t.out, s) }
