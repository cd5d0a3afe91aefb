// Package reader reads document formats without a program from outside: bytes to HTML. It is pure, and bounded in time and memory by
// the size of its input and Options.Limit. An error says in words what is wrong with a document.
package reader

import (
	"context"
	"io"
)

// Source is a document as it was fetched.
type Source struct {
	io.ReaderAt
	Size        int64  // bytes
	ContentType string // with parameters
	Name        string // last segment of the URL's path, unescaped; may be empty
}

// Options bound what a reader returns.
type Options struct {
	Limit int64 // bytes of Text.Body at most; more is cut off
}

// Text is a document as HTML or plain text.
type Text struct {
	Body        []byte
	ContentType string // text/html or text/plain, with its charset
	Truncated   bool   // the text was longer than Options.Limit
}

// Func reads the documents of a media type.
type Func func(context.Context, Source, Options) (Text, error)

// readers holds the media types that this package reads, in lower case.
var readers = map[string]Func{
	"text/csv":                  readTable(','),
	"text/tab-separated-values": readTable('\t'),
}

// For returns the reader of a media type, which is in lower case and has no parameters.
func For(mediaType string) (read Func, ok bool) {
	read, ok = readers[mediaType]
	return read, ok
}
