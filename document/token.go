package document

import (
	"bytes"
)

// A tokenizer cuts HTML into tags, text and comments as the HTML standard's tokenizer does, in one pass over
// bytes that are all in memory. Nothing is copied: its slices are parts of the input.
//
// golang.org/x/net/html has a tokenizer too, and a test holds the two together. It is not used here because
// it costs three times as much as everything else in this package, with two allocations for each attribute,
// and because one element with 100,000 attributes makes it clear a table of that size at each later tag, so
// that its time is not linear (B24).
type tokenizer struct {
	b   []byte
	pos int

	// xml: in application/xhtml+xml, <script/> is closed and CDATA sections are text.
	xml bool
	// foreign: inside SVG or MathML, where the same holds.
	foreign bool

	rawIn tagID // the next text is the raw content of this element

	// The current token.
	tag       tagID
	closed    bool // <tag/>
	text      []byte
	textOf    tagID             // the element that text is the raw content of, or tagOther
	literal   bool              // text has no entities
	attrs     [attrCount][]byte // of a start tag that is wanted; entities not decoded
	attrsSeen uint16            // bit for each attribute that is there
}

type tokenKind uint8

const (
	endOfInput tokenKind = iota
	textToken
	startTag
	endTag
	comment
)

// next reads a token.
func (z *tokenizer) next() tokenKind {
	if z.rawIn != tagOther {
		z.readRaw()
		return textToken
	}
	z.textOf, z.literal = tagOther, false
	start := z.pos
	from := start // where the next < is looked for
	for {
		i := bytes.IndexByte(z.b[from:], '<')
		if i < 0 {
			z.pos = len(z.b)
			z.text = z.b[start:]
			if start == len(z.b) {
				return endOfInput
			}
			return textToken
		}
		i += from
		if !opens(z.b, i) {
			from = i + 1
			continue
		}
		if i > start {
			z.text, z.pos = z.b[start:i], i
			return textToken
		}
		return z.readMarkup()
	}
}

// opens reports whether the < at i begins something else than text.
func opens(b []byte, i int) bool {
	if i+1 >= len(b) {
		return false
	}
	switch c := b[i+1]; c {
	case '!', '?':
		return true
	case '/':
		return i+2 < len(b)
	default:
		return isLetter(c)
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

// readMarkup reads what begins at pos, for which opens is true.
func (z *tokenizer) readMarkup() tokenKind {
	switch c := z.b[z.pos+1]; c {
	case '!':
		return z.readDeclaration()
	case '?':
		return z.readBogus(z.pos + 1)
	case '/':
		if c := z.b[z.pos+2]; !isLetter(c) {
			return z.readBogus(z.pos + 2)
		}
		z.pos += 2
		z.readName()
		if !z.readAttributes(false) {
			return endOfInput
		}
		return endTag
	}
	z.pos++
	z.readName()
	if !z.readAttributes(tagFlags[z.tag]&wanted != 0) {
		return endOfInput
	}
	if tagFlags[z.tag]&raw != 0 && !(z.closed && (z.xml || z.foreign)) {
		z.rawIn = z.tag
		if z.foreign && z.tag != tagScript && z.tag != tagStyle {
			z.rawIn = tagOther // <svg><title> holds tags
		}
	}
	return startTag
}

// readBogus reads <?...> and the like, which are comments.
func (z *tokenizer) readBogus(from int) tokenKind {
	if i := bytes.IndexByte(z.b[from:], '>'); i >= 0 {
		z.text, z.pos = z.b[from:from+i], from+i+1
	} else {
		z.text, z.pos = z.b[from:], len(z.b)
	}
	return comment
}

func (z *tokenizer) readDeclaration() tokenKind {
	from := z.pos + 2
	rest := z.b[from:]
	if bytes.HasPrefix(rest, []byte("--")) {
		z.readComment(from + 2)
		return comment
	}
	if (z.foreign || z.xml) && bytes.HasPrefix(rest, []byte("[CDATA[")) {
		rest = rest[len("[CDATA["):]
		end := bytes.Index(rest, []byte("]]>"))
		if end < 0 {
			z.text, z.pos = rest, len(z.b)
		} else {
			z.text, z.pos = rest[:end], len(z.b)-len(rest)+end+len("]]>")
		}
		z.literal = true
		return textToken
	}
	return z.readBogus(from)
}

// readComment reads a comment whose text begins at from. One that is never closed takes the rest of the
// document, as in a browser; what came before it stays.
func (z *tokenizer) readComment(from int) {
	rest := z.b[from:]
	for _, abrupt := range []string{">", "->"} {
		if bytes.HasPrefix(rest, []byte(abrupt)) {
			z.text, z.pos = nil, from+len(abrupt)
			return
		}
	}
	for i := 0; ; {
		j := bytes.Index(rest[i:], []byte("--"))
		if j < 0 {
			z.text, z.pos = rest, len(z.b)
			return
		}
		end := i + j
		i = end + 2
		for i < len(rest) && rest[i] == '-' {
			end, i = end+1, i+1
		}
		for _, closing := range []string{">", "!>"} {
			if bytes.HasPrefix(rest[i:], []byte(closing)) {
				z.text, z.pos = rest[:end], from+i+len(closing)
				return
			}
		}
	}
}

// readName reads a tag's name at pos.
func (z *tokenizer) readName() {
	var lower [16]byte
	b, i, n := z.b, z.pos, 0
	for ; i < len(b); i++ {
		c := b[i]
		if c == '>' || c == '/' || isBlank(c) {
			break
		}
		if n < len(lower) {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			lower[n] = c
			n++
		}
	}
	z.tag = tagOther
	if i-z.pos < len(lower) {
		z.tag = tagNamed(lower[:n])
	}
	z.pos = i
}

// readAttributes reads to the end of the tag; the values of known attributes are kept if want. It returns
// false when the input ends inside the tag, which is then dropped.
func (z *tokenizer) readAttributes(want bool) bool {
	z.attrsSeen, z.closed = 0, false
	b, i := z.b, z.pos
	for {
		for i < len(b) && (isBlank(b[i]) || b[i] == '/') {
			i++
		}
		if i == len(b) {
			z.pos = i
			return false
		}
		if b[i] == '>' {
			z.closed = b[i-1] == '/'
			z.pos = i + 1
			return true
		}
		nameStart := i
		for i++; i < len(b) && b[i] != '=' && b[i] != '>' && b[i] != '/' && !isBlank(b[i]); {
			i++
		}
		name := b[nameStart:i]
		for i < len(b) && isBlank(b[i]) {
			i++
		}
		var value []byte
		if i < len(b) && b[i] == '=' {
			for i++; i < len(b) && isBlank(b[i]); {
				i++
			}
			if i == len(b) {
				z.pos = i
				return false
			}
			switch quote := b[i]; quote {
			case '"', '\'':
				end := bytes.IndexByte(b[i+1:], quote)
				if end < 0 {
					z.pos = len(b)
					return false
				}
				value = b[i+1 : i+1+end]
				i += end + 2
			default:
				start := i
				for i < len(b) && b[i] != '>' && !isBlank(b[i]) {
					i++
				}
				value = b[start:i]
				if i < len(b) && b[i] == '>' {
					// A slash before it belongs to the value.
					if want {
						z.keep(name, value)
					}
					z.pos = i + 1
					return true
				}
			}
		}
		if want {
			z.keep(name, value)
		}
	}
}

// keep notes an attribute; the first of a name counts.
func (z *tokenizer) keep(name, value []byte) {
	var lower [10]byte
	if len(name) > len(lower) {
		return
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	id := attrNamed(lower[:len(name)])
	if id != attrNone && z.attrsSeen&(1<<id) == 0 {
		z.attrsSeen |= 1 << id
		z.attrs[id] = value
	}
}

// attr returns an attribute of the current start tag, its entities not decoded, and whether it is there.
func (z *tokenizer) attr(id attrID) ([]byte, bool) {
	if z.attrsSeen&(1<<id) == 0 {
		return nil, false
	}
	return z.attrs[id], true
}

var rawNames = [tagCount]string{
	tagIframe: "iframe", tagNoembed: "noembed", tagScript: "script", tagStyle: "style", tagTextarea: "textarea",
	tagTitle: "title", tagXmp: "xmp",
}

// readRaw reads the content of a raw element up to its end tag, which is left.
func (z *tokenizer) readRaw() {
	rest := z.b[z.pos:]
	n := len(rest)
	switch z.rawIn {
	case tagPlaintext: // goes on to the end
	case tagScript:
		n = scriptEnd(rest)
	default:
		n = rawEnd(rest, rawNames[z.rawIn])
	}
	z.text = rest[:n]
	z.textOf, z.literal = z.rawIn, z.rawIn != tagTitle && z.rawIn != tagTextarea
	z.rawIn = tagOther
	z.pos += n
}

// rawEnd returns the offset of the end tag of the named element, or the length of b.
func rawEnd(b []byte, name string) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			return len(b)
		}
		i += j
		if i+1 < len(b) && b[i+1] == '/' && isName(b[i+2:], name) {
			return i
		}
	}
}

// isName reports whether b begins with a tag's name in any case and something that ends it.
func isName(b []byte, name string) bool {
	if len(b) <= len(name) {
		return false
	}
	for i := range name {
		if c := b[i]; c != name[i] && c != name[i]-('a'-'A') {
			return false
		}
	}
	c := b[len(name)]
	return c == '>' || c == '/' || isBlank(c)
}

// scriptEnd returns the offset of the end tag of a script. Inside <!-- a second <script> must be closed first:
// that is how old pages hid scripts which write scripts.
func scriptEnd(b []byte) int {
	const (
		data = iota
		escaped
		doubleEscaped
	)
	state := data
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '<' && state == data && bytes.HasPrefix(b[i:], []byte("<!--")):
			state = escaped
			i += 2 // the dashes may close it as well: <!-->
			continue
		case c == '<' && i+1 < len(b) && b[i+1] == '/' && isName(b[i+2:], "script"):
			if state != doubleEscaped {
				return i
			}
			state = escaped
		case c == '<' && state == escaped && isName(b[i+1:], "script"):
			state = doubleEscaped
		case c == '-' && state != data && bytes.HasPrefix(b[i:], []byte("-->")):
			state = data
		}
		i++
		if state == data {
			j := bytes.IndexByte(b[i:], '<')
			if j < 0 {
				return len(b)
			}
			i += j
		}
	}
	return len(b)
}
