package spider

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"net/url"
	"path"
	"strings"

	"github.com/pgseek/pgseek/convert"
	"github.com/pgseek/pgseek/document"
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
}

// Reads reports whether documents of a media type can be read: by the parser, or after a conversion.
func (o *Options) Reads(contentType string) bool {
	return document.Readable(contentType) || o.Converters != nil && o.Converters.Find(contentType) != nil
}

// content returns the form of an answer in which it is parsed and stored. The error says what the converter said.
func (v *visit) content(ctx context.Context, a *fetch.Answer) (content, error) {
	if document.Readable(a.ContentType) || v.c.o.Converters == nil {
		return content{body: a.Body, readAs: a.ContentType}, nil
	}
	way := v.c.o.Converters.Find(a.ContentType)
	if way == nil {
		return content{}, document.ErrUnreadable
	}
	text, err := way.Convert(ctx, convert.InMemory(a.Body, a.ContentType, v.page.Text, fileName(v.page.Text)))
	return content{body: text.Body, readAs: text.ContentType, converted: true, truncated: text.Truncated}, err
}

// of says of a stored content what the database keeps about it.
func (c *content) of() crawl.Converted {
	if !c.converted {
		return crawl.Converted{}
	}
	sum := md5.Sum(c.body)
	return crawl.Converted{ReadAs: c.readAs, CRC: hex.EncodeToString(sum[:])}
}

// fileName returns the last segment of a URL's path, unescaped.
func fileName(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.HasSuffix(u.Path, "/") {
		return ""
	}
	return path.Base(u.Path)
}
