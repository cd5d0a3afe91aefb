package reader

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
)

// xmlText reads XML with encoding/xml, which expands no entities but the predefined ones; those of HTML are known as well. A document
// that is cut or damaged is read up to there.
type xmlText struct {
	*page
	ctx   context.Context
	d     *xml.Decoder
	depth int
	n     int
	err   error // why it ended; nil at the end of the document
}

// next returns the next tag or text, nil at the end.
func (x *xmlText) next() xml.Token {
	if x.n++; x.n%1024 == 0 && x.ctx.Err() != nil {
		x.err = context.Cause(x.ctx)
		return nil
	}
	token, err := x.d.Token()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			x.err = err
		}
		return nil
	}
	switch token.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > deepest {
			x.err = fmt.Errorf("XML is nested more than %d deep", deepest)
			return nil
		}
	case xml.EndElement:
		x.depth--
	}
	return token
}

// content returns the text up to the end of the element that began, at most some bytes of it.
func (x *xmlText) content(limit int) string {
	var b strings.Builder
	for until := x.depth; ; {
		switch token := x.next().(type) {
		case nil:
			return b.String()
		case xml.CharData:
			if b.Len() < limit {
				b.Write(token)
			}
		case xml.StartElement:
			if b.Len() > 0 && b.Len() < limit {
				b.WriteByte(' ')
			}
		case xml.EndElement:
			if x.depth < until {
				return b.String()
			}
		}
	}
}

const (
	atomSpace  = "http://www.w3.org/2005/Atom"
	xhtmlSpace = "http://www.w3.org/1999/xhtml"
	dcSpace    = "http://purl.org/dc/elements/1.1/"
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
	siteSpace  = "http://www.sitemaps.org/schemas/sitemap/"
)

// readXML reads XML: feeds as a list of their entries, XHTML as HTML, anything else as the text of its elements.
func readXML(ctx context.Context, s Source, o Options) (Text, error) {
	body, more, err := s.head(o.Limit)
	if err != nil {
		return Text{}, err
	}
	x := &xmlText{page: newPage(s, o), ctx: ctx}
	x.d = xml.NewDecoder(bytes.NewReader(o.unified(body, s.ContentType)))
	x.d.Strict, x.d.Entity = false, xml.HTMLEntity
	x.d.CharsetReader = charset.NewReaderLabel
	for found := false; !found; {
		switch token := x.next().(type) {
		case nil:
			if len(bytes.TrimSpace(body)) == 0 {
				t := x.done()
				t.Truncated = t.Truncated || more
				return t, nil
			}
			if x.err == nil {
				x.err = io.ErrUnexpectedEOF
			}
			return Text{}, fmt.Errorf("damaged XML: %w", x.err)
		case xml.StartElement:
			found = true
			switch name := token.Name; {
			case name.Local == "html" && (name.Space == xhtmlSpace || name.Space == ""):
				return Text{Body: body, ContentType: "application/xhtml+xml", Truncated: more}, nil
			case name.Local == "feed" && (name.Space == atomSpace || name.Space == ""), name.Local == "rss", name.Local == "RDF":
				x.feed(token)
			default:
				// A list of addresses for search engines is no text.
				x.naming = true
				x.noIndex = strings.HasPrefix(name.Space, siteSpace)
				x.elements(token)
			}
		}
	}
	if ctx.Err() != nil {
		return Text{}, context.Cause(ctx)
	}
	if x.err != nil && len(x.body) == 0 {
		return Text{}, fmt.Errorf("damaged XML: %w", x.err)
	}
	t := x.done()
	t.Truncated = t.Truncated || more || x.err != nil
	return t, nil
}

// unified returns XML whose charset the decoder learns from its declaration. UTF-16 has a byte order mark that the decoder does not
// know, and a charset of the header goes before the declaration.
func (o Options) unified(body []byte, contentType string) []byte {
	if !marked(body) && !strings.Contains(strings.ToLower(contentType), "charset") {
		switch declared := declaredCharset(body); {
		case declared != "" && declared != "utf-8" && declared != "utf8":
			return body
		case declared != "":
			return printing(bytes.ToValidUTF8(body, []byte("\uFFFD")))
		}
		return printing(o.decode(body, contentType))
	}
	decoded := printing(o.decode(body, contentType))
	if i := bytes.Index(decoded[:min(len(decoded), 1024)], []byte("?>")); i >= 0 && bytes.HasPrefix(decoded, []byte("<?xml")) {
		return decoded[i+2:] // the declaration holds no longer
	}
	return decoded
}

var declaration = regexp.MustCompile(`^\s*<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)["']`)

// declaredCharset returns the charset that a declaration names, in lower case.
func declaredCharset(body []byte) string {
	if found := declaration.FindSubmatch(body[:min(len(body), 1024)]); found != nil {
		return strings.ToLower(string(found[1]))
	}
	return ""
}

// printing makes control characters blanks, in place: the decoder of XML stops at them, and feeds have them.
func printing(body []byte) []byte {
	for i, c := range body {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			body[i] = ' '
		}
	}
	return body
}

// marked reports whether a text begins with a byte order mark.
func marked(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")) || bytes.HasPrefix(body, []byte("\xFE\xFF")) || bytes.HasPrefix(body, []byte("\xFF\xFE"))
}

// declared notes what the root element says.
func (x *xmlText) declared(root xml.StartElement) {
	for _, a := range root.Attr {
		switch {
		case a.Name.Local == "lang":
			x.lang = a.Value
		case a.Name.Local == "base" && a.Name.Space == xmlSpace:
			x.base = a.Value
		}
	}
}

// elements writes the text of all elements. A tag that touches text, such as <b> in a sentence, parts no paragraph; a line end or a
// tag behind a tag does.
func (x *xmlText) elements(root xml.StartElement) {
	x.declared(root)
	x.block("p")
	const (
		blank = iota
		words
		tag
	)
	for last := tag; !x.full; {
		switch token := x.next().(type) {
		case nil:
			x.endBlock()
			return
		case xml.CharData:
			switch {
			case len(bytes.TrimSpace(token)) > 0:
				if last == tag && x.opened != "" {
					x.raw(" ")
				}
				x.text(token)
				last = words
			case bytes.IndexByte(token, '\n') >= 0:
				x.block("p")
				last = blank
			case len(token) > 0:
				last = words
			}
		case xml.StartElement:
			if last == tag {
				x.block("p")
			}
			last = tag
			if token.Name.Local == "title" && x.title == "" && x.depth <= 5 {
				x.title = blanks(x.content(64 << 10))
				x.paragraph("h1", x.title)
				x.block("p")
			}
		case xml.EndElement:
			if last == tag {
				x.block("p")
			}
			last = tag
		}
	}
}
