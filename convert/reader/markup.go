package reader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// kind of a piece of markup.
type kind int8

const (
	textToken kind = iota
	startTag
	endTag
)

// longestToken bounds a tag or text between two tags, in bytes.
const longestToken = 8 << 20

// markup cuts the XML of Office documents into tags and texts, in one pass and without a tree. It is lenient, as the tokenizer of
// HTML is; it does not know entities that the document declares.
type markup struct {
	z     *html.Tokenizer
	kind  kind
	name  []byte // local name in lower case
	space []byte // prefix in lower case
	empty bool   // the end of an empty element comes next
	attrs []attribute
	more  bool // attributes have not been read
}

type attribute struct{ name, value []byte } // name in lower case, without prefix unless it is r:id

// newMarkup reads XML in UTF-8, or in UTF-16 with a byte order mark.
func newMarkup(in io.Reader) *markup {
	mark := make([]byte, 2)
	n, err := io.ReadFull(in, mark)
	if in = io.MultiReader(bytes.NewReader(mark[:n]), in); err == nil && (mark[0] == 0xFE && mark[1] == 0xFF || mark[0] == 0xFF && mark[1] == 0xFE) {
		in = transform.NewReader(in, unicode.BOMOverride(unicode.UTF8.NewDecoder()))
	}
	z := html.NewTokenizer(in)
	z.SetMaxBuf(longestToken)
	return &markup{z: z}
}

// next goes to the next tag or text. After the last one, or an error, it returns false.
func (m *markup) next() bool {
	if m.empty {
		m.empty, m.kind, m.more = false, endTag, false
		m.attrs = m.attrs[:0]
		return true
	}
	for {
		m.attrs, m.more = m.attrs[:0], false
		switch t := m.z.Next(); t {
		case html.ErrorToken:
			return false
		case html.TextToken:
			m.kind = textToken
			return true
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			m.kind = startTag
			if t == html.EndTagToken {
				m.kind = endTag
			}
			m.empty = t == html.SelfClosingTagToken
			var name []byte
			name, m.more = m.z.TagName()
			m.space, m.name = nil, name
			if i := bytes.IndexByte(name, ':'); i >= 0 {
				m.space, m.name = name[:i], name[i+1:]
			}
			m.z.NextIsNotRawText()
			m.z.AllowCDATA(true)
			return true
		}
	}
}

// err returns why next returned false; nil at the end.
func (m *markup) err() error {
	switch err := m.z.Err(); {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, html.ErrBufferExceeded):
		return fmt.Errorf("a tag or a text is longer than %d bytes", longestToken)
	default:
		return err
	}
}

// is reports whether the tag has a local name.
func (m *markup) is(name string) bool { return string(m.name) == name }

// text returns the current text.
func (m *markup) text() []byte { return m.z.Text() }

// attr returns an attribute by its local name in lower case.
func (m *markup) attr(name string) string {
	for m.more {
		var a attribute
		a.name, a.value, m.more = m.z.TagAttr()
		m.attrs = append(m.attrs, a)
	}
	for _, a := range m.attrs {
		local := a.name
		if i := bytes.LastIndexByte(local, ':'); i >= 0 && !bytes.HasPrefix(local, []byte("xmlns")) {
			local = local[i+1:]
		}
		if string(a.name) == name || string(local) == name {
			return string(a.value)
		}
	}
	return ""
}

// reference returns the id of a relation: the attribute id of another namespace (r:id).
func (m *markup) reference() string {
	m.attr("")
	for _, a := range m.attrs {
		if space, local, ok := bytes.Cut(a.name, []byte(":")); ok && string(local) == "id" && string(space) != "xmlns" {
			return string(a.value)
		}
	}
	return ""
}

// content returns the text up to the end of the element that began, at most some bytes of it.
func (m *markup) content(limit int) string {
	var b strings.Builder
	for depth := 1; depth > 0 && m.next(); {
		switch m.kind {
		case startTag:
			depth++
		case endTag:
			depth--
		case textToken:
			if b.Len() < limit {
				b.Write(m.text())
			}
		}
	}
	return b.String()
}

// skip goes to the end of the element that began.
func (m *markup) skip() { m.content(0) }

// walk calls f for every tag and text of a part, until the page is full or the context has ended. A part that is missing is empty.
func (z *zipped) walk(ctx context.Context, name string, p *page, f func(*markup)) error {
	in, err := z.open(name)
	if in == nil || err != nil {
		return err
	}
	defer in.Close()
	m := newMarkup(in)
	for n := 1; m.next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if f(m); p.full {
			return nil
		}
	}
	return m.err()
}
