package program

import (
	"os"
	"strings"
	"time"
)

// maxLine is the greatest length of the last line of standard error, in bytes.
const maxLine = 200

// tail keeps the last lines of what a command writes to standard error, and reads all of it: a full pipe would stop the command.
type tail struct {
	text []byte
	done chan struct{}
	file *os.File
}

// follow reads a pipe to its end.
func follow(f *os.File) *tail {
	t := &tail{done: make(chan struct{}), file: f}
	go func() {
		defer close(t.done)
		b := make([]byte, 4<<10)
		for {
			n, err := f.Read(b)
			t.text = append(t.text, b[:n]...)
			if len(t.text) > 4*maxLine {
				t.text = append(t.text[:0], t.text[len(t.text)-2*maxLine:]...)
			}
			if err != nil {
				return
			}
		}
	}()
	return t
}

// last returns the last line that is not empty, printable and not too long. It waits for the end at most a while.
func (t *tail) last(patience time.Duration) string {
	select {
	case <-t.done:
	case <-time.After(patience):
		_ = t.file.Close() // unblocks the reader
		<-t.done
	}
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "\ufffd"))
	for len(line) > maxLine {
		_, line, _ = strings.Cut(line, " ")
		if line == "" {
			break
		}
	}
	return line
}
