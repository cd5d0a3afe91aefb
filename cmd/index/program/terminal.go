package program

import (
	"io"
	"sync"
)

// terminal is standard error with at most one live line at its end, which log lines push down instead of running into.
// It is safe for concurrent use.
type terminal struct {
	mu   sync.Mutex
	out  io.Writer
	live string // what stands in the live line; empty = there is none
}

// clearLine returns to the begin of the line and empties it.
const clearLine = "\r\x1b[K"

// show replaces the live line.
func (t *terminal) show(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = text
	t.write(clearLine + text)
}

// leave lets the live line stand and goes on below it.
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

// write drops the error: a progress line that nobody sees is no reason to end.
func (t *terminal) write(s string) { _, _ = io.WriteString(t.out, s) }
