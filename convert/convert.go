// Package convert turns documents that package document cannot parse into HTML or plain text. The result is what is parsed, stored,
// shown as a copy and read again: from then on nothing needs the original bytes or the converter (docs/reference/behavior.md,
// Reading a body).
package convert

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"runtime"
	"strings"
	"time"

	"github.com/pgseek/pgseek/convert/program"
	"github.com/pgseek/pgseek/convert/reader"
)

// Source is a document as it was fetched.
type Source struct {
	io.ReaderAt
	Size        int64  // bytes
	ContentType string // with parameters
	URL         string
	Name        string // last segment of the URL's path, unescaped; may be empty
}

// ErrHere marks errors of this machine, such as a full disk. They say nothing about the document.
var ErrHere = program.ErrHere

// ErrNoText marks errors about documents of a type that can hold text, when this one holds something else: a tar file inside of gzip.
var ErrNoText = reader.ErrNoText

// Text is a document as HTML or plain text.
type Text struct {
	Body        []byte
	ContentType string // text/html or text/plain, with its charset
	Truncated   bool   // the text was longer than Options.Limit

	Stderr  string        // last line that a program wrote to standard error
	Elapsed time.Duration // of a program
}

// Options are the settings of a Set.
type Options struct {
	Limit     int64                  // bytes of a Text at most; more is cut off
	Lines     []Line                 // in the order in which they are tried, before the readers
	Runner    *program.Runner        // of programs; nil: none is run
	Installed func(name string) bool // whether a program is
}

// A Set knows how to convert media types. It is safe for concurrent use.
type Set struct {
	o       Options
	lines   []Line
	missing []Line
	reading chan struct{} // has room for as many documents as readers read at the same time
}

// New returns a Set that has the readers of this program, and the lines whose program is installed.
func New(o Options) *Set {
	s := &Set{o: o, reading: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if o.Runner == nil {
		return s
	}
	named := false
	for _, l := range o.Lines {
		if named = named || l.fits(pdf.From); o.Installed(l.Args[0]) {
			s.lines = append(s.lines, l)
		} else {
			s.missing = append(s.missing, l)
		}
	}
	if !named && o.Installed(pdf.Args[0]) {
		s.lines = append(s.lines, pdf)
	}
	return s
}

// Missing returns the lines whose program is not installed. They convert nothing.
func (s *Set) Missing() []Line { return s.missing }

// A Way converts the documents of one media type.
type Way struct {
	Name string // of the converter, as --explain shows it
	ID   string // changes with what the way makes of a document: 32 hex digits
	read func(context.Context, Source) (Text, error)
}

// Find returns the way to convert a media type, nil when there is none. Parameters are ignored.
func (s *Set) Find(contentType string) *Way {
	media := mediaType(contentType)
	if chain := s.chain(media); chain != nil {
		return s.byPrograms(chain)
	}
	read, ok := reader.For(media)
	if !ok {
		return nil
	}
	name := "the reader of " + media
	return &Way{Name: name, ID: identify(name, reader.Version), read: func(ctx context.Context, source Source) (Text, error) {
		select { // readers need a processor each, and memory
		case s.reading <- struct{}{}:
			defer func() { <-s.reading }()
		case <-ctx.Done():
			return Text{}, context.Cause(ctx)
		}
		t, err := read(ctx, reader.Source{ReaderAt: source.ReaderAt, Size: source.Size, ContentType: source.ContentType, Name: source.Name},
			reader.Options{Limit: s.o.Limit})
		return Text{Body: t.Body, ContentType: t.ContentType, Truncated: t.Truncated}, err
	}}
}

// mediaType returns a type without its parameters, in lower case.
func mediaType(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(contentType, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	return media
}

// Convert converts a document. An error says in words what is wrong with it.
func (w *Way) Convert(ctx context.Context, source Source) (t Text, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panicked: %v", w.Name, r)
		}
	}()
	return w.read(ctx, source)
}

// InMemory returns a Source with a body that is held in memory.
func InMemory(body []byte, contentType, url, name string) Source {
	return Source{ReaderAt: bytes.NewReader(body), Size: int64(len(body)), ContentType: contentType, URL: url, Name: name}
}
