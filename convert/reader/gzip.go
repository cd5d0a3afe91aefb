package reader

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
)

// innerTypes are the types of files whose names have these extensions before .gz.
var innerTypes = map[string]string{
	"htm": "text/html", "html": "text/html", "xhtml": "application/xhtml+xml", "md": "text/markdown", "markdown": "text/markdown",
	"csv": "text/csv", "tsv": "text/tab-separated-values", "json": "application/json", "xml": "text/xml", "rss": "text/xml",
	"atom": "text/xml", "jsonl": "application/x-ndjson",
}

// readGzip reads a text inside of gzip, at most Options.Limit bytes of it. What is compressed twice, or is no text, is not read.
func readGzip(ctx context.Context, s Source, o Options) (Text, error) {
	z, err := gzip.NewReader(bufio.NewReader(io.NewSectionReader(s, 0, s.Size)))
	if err != nil {
		return Text{}, fmt.Errorf("damaged gzip file: %w", err)
	}
	name := z.Name
	body, err := io.ReadAll(io.LimitReader(&contextReader{ctx, z}, o.Limit+1))
	if ctx.Err() != nil {
		return Text{}, context.Cause(ctx)
	}
	if err != nil && len(body) == 0 {
		return Text{}, fmt.Errorf("damaged gzip file: %w", err)
	}
	more := err != nil || int64(len(body)) > o.Limit
	body = body[:min(int64(len(body)), o.Limit)]
	if base, ok := strings.CutSuffix(strings.ToLower(s.Name), ".gz"); ok {
		name = base
	}
	kind, err := innerType(body, strings.ToLower(name))
	if err != nil {
		return Text{}, err
	}
	t := Text{Body: body, ContentType: kind}
	if read, ok := readers[kind]; ok {
		if more && kind != "text/xml" {
			body = wholeLine(body)
		}
		t, err = read(ctx, Source{ReaderAt: bytes.NewReader(body), Size: int64(len(body)), ContentType: kind, Name: name}, o)
		if err != nil {
			return Text{}, err
		}
	}
	t.Truncated = t.Truncated || more
	return t, nil
}

// innerType decides how the content of a gzip file is read: by the extension of its name, if it is text at all.
func innerType(body []byte, name string) (string, error) {
	first := body[:min(len(body), 4096)]
	switch {
	case len(body) > 262 && string(body[257:262]) == "ustar":
		return "", fmt.Errorf("%w but a tar file", ErrNoText)
	case bytes.HasPrefix(first, []byte("\xFE\xFF")) || bytes.HasPrefix(first, []byte("\xFF\xFE")):
	case !isText(first):
		return "", fmt.Errorf("%w but a binary file", ErrNoText)
	}
	if kind := innerTypes[strings.TrimPrefix(path.Ext(name), ".")]; kind != "" {
		return kind, nil
	}
	begin := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(first, []byte("\xEF\xBB\xBF"))))
	switch {
	case bytes.HasPrefix(begin, []byte("<!doctype html")), bytes.HasPrefix(begin, []byte("<html")):
		return "text/html", nil
	case bytes.HasPrefix(begin, []byte("<?xml")):
		return "text/xml", nil
	}
	return "text/plain", nil
}

// isText reports whether bytes are those of a text: they have no control characters but those of printers and terminals.
func isText(first []byte) bool {
	odd := 0
	for _, c := range first {
		if c < ' ' && (c < '\a' || c > '\r') && c != 0x1B && c != 0x0E && c != 0x0F || c == 0x7F {
			if odd++; c == 0 {
				return false
			}
		}
	}
	return odd == 0 || odd*100 < len(first) && utf8.Valid(first[:max(0, len(first)-utf8.UTFMax)])
}

// contextReader ends when a context has ended.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.in.Read(p)
}
