package sitemap

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/gzip"
)

// The limits of the protocol.
const (
	MaxEntries = 50_000
	MaxBytes   = 50 << 20 // uncompressed
)

// Kind is what a sitemap is.
type Kind string

// Kinds of sitemaps.
const (
	Index Kind = "index" // of other sitemaps
	URLs  Kind = "urls"
	Text  Kind = "text"
	Feed  Kind = "feed"
)

// Entry is a URL that a sitemap names.
type Entry struct {
	URL     string    // as written, without white space around it; absolute unless the author erred
	LastMod time.Time // zero without a date that can be read
}

// Result says what was read.
type Result struct {
	Kind    Kind
	Entries int  // handed out
	More    bool // there are more than MaxEntries: the rest was not read
}

// Error says what is wrong with a sitemap.
type Error struct {
	Line   int // from 1
	Reason string
}

// Error is the reason alone: the line has its own place in messages.
func (e *Error) Error() string { return e.Reason }

// errTooLarge is the error of reading beyond MaxBytes.
var errTooLarge = fmt.Errorf("longer than %d bytes, the limit of the protocol", MaxBytes)

// Read reads a sitemap and calls each for its entries, in their order. An error is an *Error, or that of each, as
// it is.
func Read(r io.Reader, each func(Kind, Entry) error) (Result, error) {
	t := reading{each: each, in: bufio.NewReaderSize(r, 16<<10)}
	if head, _ := t.in.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(t.in)
		if err != nil {
			return t.Result, &Error{1, "gzip: " + err.Error()}
		}
		defer func() { _ = z.Close() }() // the error was one of reading
		t.in = bufio.NewReaderSize(&limited{r: z, left: MaxBytes}, 16<<10)
	} else {
		t.in = bufio.NewReaderSize(&limited{r: t.in, left: MaxBytes}, 16<<10)
	}
	if head, _ := t.in.Peek(3); string(head) == "\ufeff" {
		_, _ = t.in.Discard(3) // is there
	}
	head, err := t.in.Peek(512)
	switch first := bytes.TrimLeft(head, " \t\r\n"); {
	case len(first) > 0 && first[0] == '<': // an error, if there is one, comes again
		err = t.readXML()
	case err != nil && !errors.Is(err, io.EOF):
		return t.Result, &Error{1, err.Error()}
	case len(first) == 0:
		return t.Result, &Error{1, "empty"}
	default:
		err = t.readText()
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return t.Result, err
}

// reading is the reading of one sitemap.
type reading struct {
	Result
	in   *bufio.Reader
	each func(Kind, Entry) error
}

// errEnough ends the reading: MaxEntries were handed out.
var errEnough = errors.New("enough entries")

// add hands an entry out.
func (t *reading) add(e Entry) error {
	if t.Entries == MaxEntries {
		t.More = true
		return errEnough
	}
	t.Entries++
	return t.each(t.Kind, e)
}

// limited is a reader of a number of bytes. More of them are an error, not the end.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		if n, err := l.r.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
