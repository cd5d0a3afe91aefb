package sitemap

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// maxLine is the longest line of a text that is read. What is longer is no URL: the rest of the line is passed over.
const maxLine = 8 << 10

// maxJunk is how many lines without a URL may begin a text. More of them, and it is no sitemap.
const maxJunk = 20

// readText reads a text with a URL a line. Empty lines do not count.
func (t *reading) readText() error {
	t.Kind = Text
	good := false
	for line := 1; ; line++ {
		text, err := readLine(t.in)
		if err != nil && !errors.Is(err, io.EOF) {
			return &Error{line, err.Error()}
		}
		text = strings.TrimSpace(text)
		good = good || isURL(text)
		if !good && (line >= maxJunk || errors.Is(err, io.EOF)) || strings.IndexByte(text, 0) >= 0 {
			t.Kind = ""
			return &Error{line, "neither XML nor a list of URLs"}
		}
		if text != "" && good {
			if err := t.add(Entry{URL: text}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

// isURL reports whether a text begins as a URL of the Web does.
func isURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// readLine reads a line without its end, of which it keeps maxLine bytes. Lines end with LF, CR LF or CR.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		b, err := in.ReadByte()
		if err != nil {
			return string(line), err
		}
		switch {
		case b == '\n':
			return string(line), nil
		case b == '\r':
			if next, _ := in.Peek(1); string(next) == "\n" {
				_, _ = in.Discard(1) // is there
			}
			return string(line), nil
		case len(line) < maxLine:
			line = append(line, b)
		}
	}
}
