package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

const (
	utf8Name    = "utf-8"
	defaultName = "windows-1252"

	// prescanLength is the number of bytes at the start of a document in which its own declaration of the
	// charset is searched (B2).
	prescanLength = 1024
)

// decode returns the body as valid UTF-8 without NUL, and the charset used (B1 to B5). The order is that of
// the Web: byte order mark, header, META in the first 1,024 bytes, UTF-8 if it is valid, a guess,
// windows-1252. The result may be the body itself. cut means that the body may end inside a character.
func decode(body []byte, contentType string, k kind, cut bool) (text []byte, name string) {
	enc, name := encodingOf(body, contentType, k, cut)
	return decodeBy(enc, name, body), name
}

// decodeBy decodes a body by a known charset; enc is nil for UTF-8.
func decodeBy(enc encoding.Encoding, name string, body []byte) []byte {
	if name != utf8Name {
		if decoded, err := enc.NewDecoder().Bytes(body); err == nil {
			body = decoded
		}
	}
	// x/text keeps the byte order mark of UTF-16.
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	return clean(body)
}

// encodingOf finds the charset of a document. enc is nil for UTF-8.
func encodingOf(body []byte, contentType string, k kind, cut bool) (enc encoding.Encoding, name string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return nil, utf8Name
	case bytes.HasPrefix(body, []byte("\xFE\xFF")):
		return charset.Lookup("utf-16be")
	case bytes.HasPrefix(body, []byte("\xFF\xFE")):
		return charset.Lookup("utf-16le")
	}
	if enc, name := lookup(charsetParameter(contentType)); name != "" {
		return enc, name
	}
	if k != plainText {
		if enc, name := lookupInside(declared(body[:min(len(body), prescanLength)])); name != "" {
			return enc, name
		}
	}
	if validUTF8(body, cut) {
		return nil, utf8Name
	}
	if enc, name := lookup(guessCharset(body)); name != "" {
		return enc, name
	}
	return charset.Lookup(defaultName)
}

// lookup finds a label; an unknown one has no name and counts as no label (B3).
func lookup(label string) (encoding.Encoding, string) {
	if label == "" || strings.EqualFold(label, utf8Name) {
		return nil, strings.ToLower(label)
	}
	return charset.Lookup(label)
}

// lookupInside finds a label that the document itself declares. The declaration was readable as ASCII, so the
// charset cannot be UTF-16 (B5).
func lookupInside(label string) (encoding.Encoding, string) {
	enc, name := lookup(label)
	switch name {
	case "utf-16le", "utf-16be":
		return nil, utf8Name
	case "x-user-defined":
		return charset.Lookup(defaultName)
	}
	return enc, name
}

// validUTF8 reports whether body is UTF-8. With cut, the last character may be incomplete.
func validUTF8(body []byte, cut bool) bool {
	for i := 1; cut && i < utf8.UTFMax && i <= len(body); i++ {
		if tail := body[len(body)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				body = body[:len(body)-i]
			}
			break
		}
	}
	return utf8.Valid(body)
}

// clean replaces NUL and each invalid byte by U+FFFD, which ends a word (B1, B4).
func clean(text []byte) []byte {
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/8)
	for len(text) > 0 {
		n := 0 // length of the valid text
		for n < len(text) && text[n] != 0 {
			if text[n] >= utf8.RuneSelf {
				r, size := utf8.DecodeRune(text[n:])
				if r == utf8.RuneError && size == 1 {
					break
				}
				n += size - 1
			}
			n++
		}
		out = append(out, text[:n]...)
		if n < len(text) {
			out = append(out, "\uFFFD"...)
			n++
		}
		text = text[n:]
	}
	return out
}

// charsetParameter returns the charset of a Content-Type header, or an empty string.
func charsetParameter(contentType string) string {
	_, rest, _ := strings.Cut(contentType, ";")
	for rest != "" {
		var p string
		p, rest, _ = strings.Cut(rest, ";")
		key, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(key), "charset") {
			return strings.Trim(value, " \t\"'")
		}
	}
	return ""
}

// declared returns the charset that the first bytes of a document declare in META or in the XML declaration.
func declared(head []byte) string {
	z := newTokenizer(head, false)
	for {
		switch z.next() {
		case html.ErrorToken:
			return xmlDeclared(head)
		case html.StartTagToken:
			if z.tag != tagMeta {
				continue
			}
			z.readAttributes()
			label := ""
			if value, ok := z.attr(attrCharset); ok {
				label = string(value)
			} else if metaName(z, "content-type") {
				content, _ := z.attr(attrContent)
				label = charsetInside(string(content))
			}
			if _, name := lookup(label); name != "" {
				return label
			}
		}
	}
}

// metaName reports whether the current META has this name; name= and http-equiv= are interchangeable, as in
// browsers.
func metaName(z *tokenizer, want string) bool {
	for _, id := range []attrID{attrName, attrHTTPEquiv} {
		if value, ok := z.attr(id); ok && strings.EqualFold(string(bytes.TrimSpace(value)), want) {
			return true
		}
	}
	return false
}

// charsetInside finds charset=... in the content of META Content-Type.
func charsetInside(content string) string {
	const key = "charset"
	content = strings.ToLower(content) // labels are in lower case
	for {
		i := strings.Index(content, key)
		if i < 0 {
			return ""
		}
		content = strings.TrimLeft(content[i+len(key):], " \t\r\n\f")
		value, ok := strings.CutPrefix(content, "=")
		if !ok {
			continue
		}
		value = strings.TrimLeft(value, " \t\r\n\f")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			quoted, _, ok := strings.Cut(value[1:], value[:1])
			if !ok {
				return ""
			}
			return quoted
		}
		if end := strings.IndexAny(value, "; \t\r\n\f"); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// xmlDeclared returns the encoding of <?xml version="1.0" encoding="..."?>, which browsers use in HTML, too.
func xmlDeclared(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	declaration, _, ok := bytes.Cut(head, []byte(">"))
	if !ok {
		return ""
	}
	_, value, ok := strings.Cut(string(declaration), "encoding")
	if !ok {
		return ""
	}
	value = strings.TrimLeft(value, " \t\r\n")
	value, ok = strings.CutPrefix(value, "=")
	value = strings.TrimLeft(value, " \t\r\n")
	if !ok || value == "" || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	quoted, _, _ := strings.Cut(value[1:], value[:1])
	return quoted
}
