package document

import (
	"bytes"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	endOfText    tokenKind = iota
	textToken              // text between tags
	startTag               // <a>, and <a/>
	endTag                 // </a>
	commentToken           // <!--a-->, and all else that no browser shows: <!DOCTYPE a>, <?a>, </>
)

// A tokenizer cuts a page into tags, texts and comments where the HTML standard does. It decides by the names of elements where
// text is raw and where CDATA is text, because there is no tree from which to know it. It copies nothing but values with entities,
// and looks at the attributes of a tag only when it is asked for them. A test compares it with golang.org/x/net/html.
//
// It differs from a browser in one case: in a script inside <!--, any < that begins no tag ends the state in
// which a second <script> must be closed first. The end of a script that writes scripts without a backslash
// can then appear as text.
type tokenizer struct {
	rest []byte // behind the current token

	// xml: in application/xhtml+xml, <script/> is closed and CDATA sections are text.
	xml bool
	// foreign: inside SVG or MathML, where the same holds.
	foreign bool

	rawIn tagID // the element that the next token is the raw content of, or tagOther

	// The current token.
	raw       []byte // as it is written
	tag       tagID
	name      uint64            // the first eight bytes of its name, in lower case
	nameLen   int               // in bytes
	closed    bool              // <tag/>
	textOf    tagID             // the element that text is the raw content of, or tagOther
	attrs     [attrCount][]byte // as readAttributes found them
	attrsSeen uint16            // one bit for each attribute that is present
	attrsRead bool
	keepAll   bool        // all attributes are collected, known or not
	all       []attribute // those of the current start tag
	decoded   []byte      // text and values with entities
}

type attribute struct{ name, value []byte }

// newTokenizer returns a tokenizer of a text, which it does not change.
func newTokenizer(text []byte, xml bool) *tokenizer {
	return &tokenizer{rest: text, xml: xml}
}

// next reads a token. An incomplete tag at the end is dropped, an unclosed comment extends to the end, as in a browser.
func (z *tokenizer) next() tokenKind {
	text := z.rest
	z.textOf, z.rawIn = z.rawIn, tagOther
	if z.textOf != tagOther {
		if n := rawLength(text, z.textOf); n > 0 {
			return z.token(textToken, n)
		}
	}
	switch n := textLength(text); {
	case n > 0:
		return z.token(textToken, n)
	case len(text) == 0:
		return endOfText
	}
	switch c := text[1]; {
	case c == '!' && (z.xml || z.foreign) && bytes.HasPrefix(text, cdata):
		return z.token(textToken, lengthTo(text, len(cdata), cdataEnd))
	case c == '!' && bytes.HasPrefix(text, commentStart):
		return z.token(commentToken, commentLength(text))
	case c == '!', c == '?', c == '/' && !isLetter(text[2]):
		return z.token(commentToken, lengthTo(text, len("<!"), tagClose))
	}
	kind, name := startTag, len("<")
	if text[1] == '/' {
		kind, name = endTag, len("</")
	}
	z.tag, z.name, z.nameLen = tagOf(text[name:])
	n, unquoted := tagLength(text, name+z.nameLen)
	if n < 0 {
		z.rest = nil
		return endOfText
	}
	z.closed = text[n-2] == '/' && !unquoted
	if z.attrsRead = false; kind == startTag && tagFlags[z.tag]&raw != 0 {
		// <svg><title> holds tags.
		if inXML := z.xml || z.foreign; !(inXML && z.closed) && (!z.foreign || z.tag == tagScript || z.tag == tagStyle) {
			z.rawIn = z.tag
		}
	}
	return z.token(kind, n)
}

// token makes the next n bytes the current token.
func (z *tokenizer) token(kind tokenKind, n int) tokenKind {
	z.raw, z.rest = z.rest[:n], z.rest[n:]
	return kind
}

// tagOf returns the element of a tag that begins with its name, the first eight bytes of that name in lower case, and its length.
func tagOf(tag []byte) (id tagID, name uint64, length int) {
	var lower [longestName]byte
	for i, c := range tag {
		switch {
		case c == '>', c == '/', c <= ' ' && isBlank(c):
			return tagNamed(lower[:i]), prefixOf(lower[:i]), i
		case i == len(lower):
			return tagOther, prefixOf(lower[:]), nameLength(tag) // longer than any known name
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		}
		lower[i] = c
	}
	return tagOther, 0, len(tag)
}

// longestName is the longest name of a tag that tagOf compares with known ones.
const longestName = 16

// isBlank reports whether a byte ends a name.
func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// text returns a text token with its entities decoded. It is valid until the next token.
func (z *tokenizer) text() []byte {
	switch z.textOf {
	case tagOther:
		if after, ok := bytes.CutPrefix(z.raw, cdata); ok { // without entities
			return bytes.TrimSuffix(after, cdataEnd)
		}
	case tagTitle, tagTextarea:
	default:
		return z.raw
	}
	if bytes.IndexByte(z.raw, '&') < 0 {
		return z.raw
	}
	z.decoded = appendDecoded(z.decoded[:0], z.raw, false)
	return z.decoded
}

// commentText returns what a comment says.
func (z *tokenizer) commentText() []byte {
	inside, ok := bytes.CutPrefix(z.raw, commentStart)
	switch {
	case !ok && z.raw[1] == '?':
		return bytes.TrimSuffix(z.raw[len("<"):], tagClose)
	case !ok:
		return bytes.TrimSuffix(z.raw[len("<!"):], tagClose)
	case string(inside) == ">", string(inside) == "->":
		return nil
	}
	for _, end := range []string{"--!>", "-->", "--!", "--", "-"} { // without > at the end of the page
		if inside, ok := bytes.CutSuffix(inside, []byte(end)); ok {
			return inside
		}
	}
	return inside
}

// readAttributes reads the known attributes of the current start tag, with entities decoded. The first of a
// name counts. A second call does nothing.
func (z *tokenizer) readAttributes() {
	if z.attrsRead {
		return
	}
	z.attrsRead, z.attrsSeen, z.all, z.decoded = true, 0, z.all[:0], z.decoded[:0]
	for rest := z.raw[len("<")+z.nameLen:]; ; {
		name, value, next, ok := nextAttribute(rest)
		if !ok {
			return
		}
		rest, name = next, lowerName(name)
		id := attrNamed(name)
		if id != attrNone && z.attrsSeen&(1<<id) != 0 {
			id = attrNone
		}
		if id == attrNone && !z.keepAll {
			continue
		}
		value = z.value(value)
		if z.keepAll {
			z.all = append(z.all, attribute{name, value})
		}
		if id != attrNone {
			z.attrsSeen |= 1 << id
			z.attrs[id] = value
		}
	}
}

// value decodes the value of an attribute.
func (z *tokenizer) value(written []byte) []byte {
	if bytes.IndexByte(written, '&') < 0 && bytes.IndexByte(written, '\r') < 0 {
		return written
	}
	start := len(z.decoded)
	z.decoded = appendDecoded(z.decoded, written, true)
	return z.decoded[start:len(z.decoded):len(z.decoded)]
}

// attr returns an attribute of the current start tag after readAttributes, and whether it is present. It is
// valid until the next token.
func (z *tokenizer) attr(id attrID) ([]byte, bool) {
	if z.attrsSeen&(1<<id) == 0 {
		return nil, false
	}
	return z.attrs[id], true
}
