package document

import (
	"bytes"

	"golang.org/x/net/html"
)

// A tokenizer wraps the tokenizer of golang.org/x/net/html and adds the decisions that it leaves to its
// caller: where text is raw and where CDATA is text, because there is no tree from which to know it. It also
// prevents one hostile tag from slowing down all later ones (B24). Text and TagAttr copy, so they are called
// only for text and attributes that are used; Raw does not copy.
//
// It differs from a browser in one case: in a script inside <!--, any < that begins no tag ends the state in
// which a second <script> must be closed first. The end of a script that writes scripts without a backslash
// can then appear as text.
type tokenizer struct {
	input []byte
	rest  *bytes.Reader // the part of input that net has not read
	net   *html.Tokenizer

	// xml: in application/xhtml+xml, <script/> is closed and CDATA sections are text.
	xml bool
	// foreign: inside SVG or MathML, where the same holds.
	foreign bool

	longTag int  // tagLimit, except in tests
	spent   bool // a longer tag was read
	rawIn   tagID

	// The current token.
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
}

type attribute struct{ name, value []byte }

// tagLimit is the length in bytes of a start tag after which the rest is read by a new html.Tokenizer. That
// type records the names of a tag's attributes in a map, which never shrinks and is cleared at each tag:
// after 800,000 names clearing takes 8 µs a tag, and the other half of a document of 10 MB takes nine seconds
// instead of one. A tag of 64 KiB has some ten thousand names, whose cost is not measurable.
const tagLimit = 1 << 16

// newTokenizer returns a tokenizer of a text, which it does not change.
func newTokenizer(text []byte, xml bool) *tokenizer {
	z := &tokenizer{xml: xml, longTag: tagLimit}
	z.begin(text)
	return z
}

// begin starts a new html.Tokenizer.
func (z *tokenizer) begin(text []byte) {
	z.input, z.rest, z.spent = text, bytes.NewReader(text), false
	z.net = html.NewTokenizer(z.rest)
	// IndexLimit bounds the input, and one token may be all of it: with this limit no token is refused.
	z.net.SetMaxBuf(len(text) + 1)
}

// next reads a token; html.ErrorToken is the end of the text. An incomplete tag at the end is dropped, an
// unclosed comment extends to the end, as in a browser. Self-closing tags are returned as start tags with
// closed set.
func (z *tokenizer) next() html.TokenType {
	if z.spent && z.rawIn == tagOther {
		z.begin(z.input[len(z.input)-z.rest.Len()-len(z.net.Buffered()):])
	}
	z.net.AllowCDATA(z.xml || z.foreign)
	kind := z.net.Next()
	z.textOf, z.rawIn = z.rawIn, tagOther
	switch kind {
	case html.StartTagToken, html.SelfClosingTagToken:
		z.attrsRead = false
		z.closed = kind == html.SelfClosingTagToken
		z.startTag()
		return html.StartTagToken
	case html.EndTagToken:
		z.tag, z.name, z.nameLen = tagOf(z.net.Raw()[len("</"):])
	}
	return kind
}

func (z *tokenizer) startTag() {
	z.spent = z.spent || len(z.net.Raw()) > z.longTag
	z.tag, z.name, z.nameLen = tagOf(z.net.Raw()[len("<"):])
	switch flags := tagFlags[z.tag]; {
	case flags&raw == 0:
		if flags&netRaw != 0 {
			z.net.NextIsNotRawText()
		}
	case z.closed && (z.xml || z.foreign), z.foreign && z.tag != tagScript && z.tag != tagStyle: // <svg><title> holds tags
		z.net.NextIsNotRawText()
	default:
		z.rawIn = z.tag
	}
}

// tagOf returns the element of a tag that begins with its name, the first eight bytes of that name in lower case, and its length.
// TagName would copy the name, and there are more tags than words.
func tagOf(tag []byte) (id tagID, name uint64, length int) {
	var lower [longestName]byte
	for i, c := range tag {
		switch {
		case c == '>', c == '/', c <= ' ' && isBlank(c):
			return tagNamed(lower[:i]), prefixOf(lower[:i]), i
		case i == len(lower):
			return tagOther, prefixOf(lower[:]), len(nameOf(tag)) // longer than any known name
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

var cdata, cdataEnd = []byte("<![CDATA["), []byte("]]>")

// text returns a text token with its entities decoded. It is valid until the next token and must be called
// only once.
func (z *tokenizer) text() []byte {
	text := z.net.Raw()
	switch z.textOf {
	case tagOther:
		// Text would decode entities here, which XML and HTML do not.
		if after, ok := bytes.CutPrefix(text, cdata); ok {
			return bytes.TrimSuffix(after, cdataEnd)
		}
	case tagTitle, tagTextarea:
	default:
		return text
	}
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return z.net.Text()
}

// readAttributes reads the known attributes of the current start tag, with entities decoded. The first of a
// name counts. A second call does nothing.
func (z *tokenizer) readAttributes() {
	if z.attrsRead {
		return
	}
	z.attrsRead, z.attrsSeen, z.all = true, 0, z.all[:0]
	for more := true; more; {
		var name, value []byte
		name, value, more = z.net.TagAttr()
		if z.keepAll && len(name) > 0 {
			z.all = append(z.all, attribute{name, value})
		}
		if id := attrNamed(name); id != attrNone && z.attrsSeen&(1<<id) == 0 {
			z.attrsSeen |= 1 << id
			z.attrs[id] = value
		}
	}
}

// attr returns an attribute of the current start tag after readAttributes, and whether it is present. It is
// valid until the next token.
func (z *tokenizer) attr(id attrID) ([]byte, bool) {
	if z.attrsSeen&(1<<id) == 0 {
		return nil, false
	}
	return z.attrs[id], true
}
