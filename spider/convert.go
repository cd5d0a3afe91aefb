package spider

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/pgseek/pgseek/convert"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store/crawl"
)

// content is the form of a document in which it is parsed and stored: the body that was fetched or, of a type that package document
// does not parse, what it was converted to.
type content struct {
	body      []byte
	readAs    string // media type
	converted bool
	truncated bool // by the converter

	way     *convert.Way // that converted it now, nil for none
	by      string       // id of the way that converted what is stored
	stderr  string       // last line that its program wrote to standard error
	elapsed time.Duration
	leftOut string // of an archive
}

// Reads reports whether documents of a media type can be read: by the parser, or after a conversion.
func (o *Options) Reads(contentType string) bool {
	return document.Readable(contentType) || o.mayBeArchive(contentType) || o.Converters != nil && o.Converters.Find(contentType) != nil
}

// Converts reports whether documents of a media type can be read after a conversion.
func (o *Options) Converts(contentType string) bool {
	return !document.Readable(contentType) && (o.mayBeArchive(contentType) || o.Converters != nil && o.Converters.Find(contentType) != nil)
}

// content returns the form of an answer in which it is parsed and stored. The error of a converter has its last line of standard error.
func (v *visit) content(ctx context.Context, a *fetch.Answer) (content, error) {
	if document.Readable(a.ContentType) {
		return content{body: a.Body, readAs: a.ContentType}, nil
	}
	if v.c.o.isArchive(v.page.Text) && v.c.o.mayBeArchive(a.ContentType) {
		return v.listing(ctx, a)
	}
	if v.c.o.Converters == nil {
		return content{body: a.Body, readAs: a.ContentType}, nil
	}
	way := v.c.o.Converters.Find(a.ContentType)
	if way == nil {
		return content{}, document.ErrUnreadable
	}
	source := convert.InMemory(a.Body, a.ContentType, v.page.Text, fileName(v.page.Text))
	if a.File != nil {
		source.ReaderAt, source.Size = a.File, a.Size
		if info, err := a.File.Stat(); err == nil {
			source.Size = info.Size()
		}
	}
	text, err := way.Convert(ctx, source)
	if err == nil {
		slog.DebugContext(ctx, "converted", "url", printable.Log(v.page.Text), "by", way.Name, "elapsed", text.Elapsed, "stderr", text.Stderr)
	}
	return content{body: text.Body, readAs: text.ContentType, converted: true, truncated: text.Truncated, way: way, stderr: text.Stderr, elapsed: text.Elapsed}, err
}

// told returns the line of --explain: what converted the document, how long a program took, and its last line of standard error.
func (c *content) told() string {
	text := "converted by " + c.way.Name
	if c.elapsed > 0 {
		text += fmt.Sprintf(" in %v", c.elapsed.Round(time.Millisecond))
	}
	if c.stderr != "" {
		text += "; its last message: " + c.stderr
	}
	if c.leftOut != "" {
		text += "; left out: " + c.leftOut
	}
	return fetch.ValidText(text, maxCause)
}

// of returns the columns of urlstate about a stored content.
func (c *content) of() crawl.Converted {
	if !c.converted {
		return crawl.Converted{}
	}
	sum := md5.Sum(c.body)
	by := c.by
	if c.way != nil {
		by = c.way.ID
	}
	return crawl.Converted{ReadAs: c.readAs, CRC: hex.EncodeToString(sum[:]), By: by}
}

// fileName returns the last segment of a URL's path, unescaped.
func fileName(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.HasSuffix(u.Path, "/") {
		return ""
	}
	return path.Base(u.Path)
}

// maxCause bounds what a converter says of a document, in bytes.
const maxCause = 255

// spareText decides that a document stays as it is whose type nothing here converts: what converted it before is gone, or was installed
// on another machine only. An answer of another type than the document's says something else.
func (v *visit) spareText(ctx context.Context, o *outcome) error {
	if o.status != fetch.StatusNoConverter || v.due.Status.Base() != 200 || v.due.Deleted || o.content.way != nil {
		return nil
	}
	kept, err := v.c.store.StoredContent(ctx, v.due.ID, v.due.CRC)
	if err != nil || kept == nil || kept.CRC == "" || media(kept.ContentType) != media(o.answer.ContentType) {
		return err
	}
	o.sparesText, o.cause = true, o.cause+" here; the stored text stays"
	v.c.tellUnconverted(ctx, media(kept.ContentType))
	return nil
}

// media returns a type without its parameters.
func media(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// tellUnconverted says once for each type that documents of it keep their text.
func (c *crawler) tellUnconverted(ctx context.Context, mediaType string) {
	if _, told := c.unconverted.LoadOrStore(mediaType, true); told {
		return
	}
	slog.WarnContext(ctx, "nothing on this machine converts documents that were converted before; their stored texts stay",
		"type", mediaType, "remedy", "install the program, or write a Converter line in sets.cnf")
}
