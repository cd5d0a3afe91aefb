package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

const (
	utf8Name    = "utf-8"
	defaultName = "windows-1252"

	// prescanLength is the number of bytes at the start of a document in which its own declaration of the
	// charset is searched (B2).
	prescanLength = 1024

	// lateLength is the same when the alternative is a guess: browsers change the charset at a META that comes later.
	lateLength = 8 << 10
)

// decode returns the body as valid UTF-8 without NUL, and the charset used (B1 to B5). The order is that of
// the Web: byte order mark, header, META in the first 1,024 bytes, the escapes of ISO-2022-JP, UTF-8 if it is valid,
// META before <body> in the first 8 KiB, UTF-8 if nearly all of it is valid, the usual charset (Rules.Charset), a guess,
// windows-1252. The result may be the body itself. cut means that the body may end inside a character.
func decode(body []byte, contentType string, k kind, cut bool, usual string) (text []byte, name string) {
	enc, name := encodingOf(body, contentType, k, cut, usual)
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
func encodingOf(body []byte, contentType string, k kind, cut bool, usual string) (enc encoding.Encoding, name string) {
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
	if isISO2022JP(body) {
		return charset.Lookup("iso-2022-jp")
	}
	if validUTF8(body, cut) {
		return nil, utf8Name
	}
	if k != plainText && len(body) > prescanLength {
		if enc, name := lookupInside(declaredInMeta(body[:min(len(body), lateLength)], true)); name != "" {
			return enc, name
		}
	}
	if mostlyUTF8(body) {
		return nil, utf8Name
	}
	if enc, name := lookup(usual); name != "" {
		return enc, name
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
	if enc, name := charset.Lookup(label); name != "" {
		return enc, name
	}
	return charset.Lookup(codePage(label))
}

// codePage returns the label of a code page that is written in a way browsers do not know: cp-1251, win-1251, windows_1251.
func codePage(label string) string {
	label = strings.ToLower(strings.TrimSpace(label))
	number := strings.TrimLeft(label, "abcdefghijklmnopqrstuvwxyz-_ ")
	switch strings.TrimRight(label[:len(label)-len(number)], "-_ ") {
	case "cp", "win", "windows", "ms", "msdos", "dos", "ibm":
		if _, name := charset.Lookup("cp" + number); name != "" { // cp1251, cp866
			return name
		}
		return "windows-" + number // windows-874
	}
	return ""
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

// utf8Errors: text is UTF-8 when at most one sequence beyond ASCII of so many is malformed: a letter that somebody's program
// cut in two, a byte that was pasted from elsewhere. Of texts in other charsets less than a third looks like UTF-8.
const utf8Errors = 10

// mostlyUTF8 reports whether nearly all of a body that is not ASCII is UTF-8.
func mostlyUTF8(body []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
			// A character that was cut is one malformed sequence, however many bytes are left of it.
			for i++; i < len(body) && body[i]&0xC0 == 0x80; i++ {
			}
			continue
		}
		good++
		i += size
	}
	return bad*utf8Errors <= good+bad
}

// isISO2022JP reports whether a body is in ISO-2022-JP: ASCII with the escapes that begin Japanese characters. Nothing else
// uses these; those of terminals differ.
func isISO2022JP(body []byte) bool {
	const escape = 0x1B
	begin := bytes.IndexByte(body, escape)
	if begin < 0 {
		return false
	}
	found := false
	for rest := body[begin:]; len(rest) >= 3; {
		switch string(rest[1:3]) {
		case "$B", "$@", "(J", "(I":
			found = true
		}
		next := bytes.IndexByte(rest[1:], escape)
		if next < 0 {
			break
		}
		rest = rest[1+next:]
	}
	return found && bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
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
	if label := declaredInMeta(head, false); label != "" {
		return label
	}
	return xmlDeclared(head)
}

// declaredInMeta returns the first charset of a META that is known; untilBody ends the search at <body>.
func declaredInMeta(head []byte, untilBody bool) string {
	z := newTokenizer(head, false)
	for {
		switch z.next() {
		case endOfText:
			return ""
		case startTag:
			if z.tag == tagBody && untilBody {
				return ""
			}
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
