// Package reader reads document formats without a program from outside: bytes to HTML. It is pure, and bounded in time and memory by
// the size of its input and Options.Limit. An error says in words what is wrong with a document.
package reader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoText is wrapped by errors about documents of a type that can hold text, when this one holds something else: a tar file inside
// gzip.
var ErrNoText = errors.New("it holds no text")

// Version changes when the readers make something else of a document: documents are converted again then.
const Version = "3"

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
	// Decode returns a text as UTF-8, given its media type with parameters. Nil: a simple rule that knows byte order marks, the
	// charset parameter and UTF-8, and else takes windows-1252.
	Decode func(body []byte, contentType string) []byte
}

// Text is a document as HTML or plain text.
type Text struct {
	Body        []byte
	ContentType string // text/html or text/plain, with its charset
	Truncated   bool   // the text was longer than Options.Limit
}

// Func reads the documents of a media type.
type Func func(context.Context, Source, Options) (Text, error)

const (
	word    = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	sheet   = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	slides  = "application/vnd.openxmlformats-officedocument.presentationml."
	oasis   = "application/vnd.oasis.opendocument."
	macroDo = "application/vnd.ms-word."
	macroXl = "application/vnd.ms-excel."
	macroPp = "application/vnd.ms-powerpoint."
)

// readers holds the media types that this package reads, in lower case.
var readers = map[string]Func{
	word + "document": readWord, word + "template": readWord,
	macroDo + "document.macroenabled.12": readWord, macroDo + "template.macroenabled.12": readWord,
	sheet + "sheet": readWorkbook, sheet + "template": readWorkbook,
	macroXl + "sheet.macroenabled.12": readWorkbook, macroXl + "template.macroenabled.12": readWorkbook,
	slides + "presentation": readSlides, slides + "template": readSlides, slides + "slideshow": readSlides,
	macroPp + "presentation.macroenabled.12": readSlides, macroPp + "slideshow.macroenabled.12": readSlides,
	oasis + "text": readOpenDocument, oasis + "text-template": readOpenDocument, oasis + "text-master": readOpenDocument,
	oasis + "spreadsheet": readOpenDocument, oasis + "spreadsheet-template": readOpenDocument,
	oasis + "presentation": readOpenDocument, oasis + "presentation-template": readOpenDocument,
	oasis + "graphics": readOpenDocument, oasis + "graphics-template": readOpenDocument,
	"application/epub+zip": readEPUB,

	"text/markdown": readMarkdown, "text/x-markdown": readMarkdown,
	"text/csv": readTable, "application/csv": readTable, "text/tab-separated-values": readTable,
	"application/json": readJSON, "text/json": readJSON, "application/x-ndjson": readJSON, "application/jsonl": readJSON,
	"text/xml": readXML, "application/xml": readXML,
}

// For returns the reader of a media type, which is in lower case and has no parameters.
func For(mediaType string) (read Func, ok bool) {
	if read, ok = readers[mediaType]; ok {
		return read, true
	}
	if mediaType == "application/gzip" || mediaType == "application/x-gzip" {
		return readGzip, true
	}
	// Whatever else is said to be XML or JSON is read as that. XHTML is HTML, and pictures are not text.
	switch major, minor, _ := strings.Cut(mediaType, "/"); {
	case major == "image" || major == "audio" || major == "video" || mediaType == "application/xhtml+xml":
	case strings.HasSuffix(minor, "+json"):
		return readJSON, true
	case strings.HasSuffix(minor, "+xml"):
		return readXML, true
	}
	return nil, false
}

// head returns the first bytes of a document, at most limit, and whether there are more.
func (s Source) head(limit int64) (body []byte, more bool, err error) {
	n := min(s.Size, limit)
	body = make([]byte, n)
	if read, err := io.ReadFull(io.NewSectionReader(s, 0, n), body); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, fmt.Errorf("read %d of %d bytes: %w", read, n, err)
	}
	return body, s.Size > n, nil
}
