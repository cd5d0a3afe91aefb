package document

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// longestEntity is more than the length of any name, so that what is longer need not be looked at whole.
const longestEntity = 64

// appendText appends text with its entities decoded. The commonest are known here, the other two thousand to
// golang.org/x/net/html.
func appendText(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		n := entityLength(text)
		if r := commonEntity(text[:n]); r != 0 {
			dst = utf8.AppendRune(dst, r)
		} else if n > 1 {
			dst = append(dst, html.UnescapeString(string(text[:n]))...)
		} else {
			dst = append(dst, '&')
		}
		text = text[n:]
	}
}

// entityLength returns the length of what could be a character reference at the start of b, which is an &: the
// letters and digits behind it, and a semicolon.
func entityLength(b []byte) int {
	n := 1
	if n < len(b) && b[n] == '#' {
		n++
	}
	for n < len(b) && n < longestEntity && isAlnum(b[n]) {
		n++
	}
	if n < len(b) && b[n] == ';' {
		n++
	}
	return n
}

func isAlnum(c byte) bool { return asciiClass[c]&classMask == classLetter }

// commonEntity returns the character that a frequent entity stands for, or 0.
func commonEntity(e []byte) rune {
	switch string(e) {
	case "&amp;":
		return '&'
	case "&lt;":
		return '<'
	case "&gt;":
		return '>'
	case "&quot;", "&#34;":
		return '"'
	case "&apos;", "&#39;":
		return '\''
	case "&nbsp;", "&#160;":
		return '\u00A0'
	case "&copy;":
		return '©'
	case "&mdash;":
		return '—'
	case "&ndash;":
		return '–'
	case "&hellip;":
		return '…'
	case "&lsquo;":
		return '‘'
	case "&rsquo;", "&#8217;":
		return '’'
	case "&ldquo;":
		return '“'
	case "&rdquo;":
		return '”'
	}
	return 0
}

// appendAttribute appends an attribute's value with its entities decoded. The rule is another one than in
// text: in href="?a=1&copy=2" nothing is an entity.
func appendAttribute(dst, value []byte) []byte {
	start, all := len(dst), value
	for {
		i := bytes.IndexByte(value, '&')
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(dst, value[:i]...)
		value = value[i:]
		n := entityLength(value)
		switch r := commonEntity(value[:n]); {
		case r != 0:
			dst = utf8.AppendRune(dst, r)
		case n == 1, value[n-1] != ';' && n < longestEntity && n < len(value) && value[n] == '=' && value[1] != '#':
			dst = append(dst, value[:n]...)
		default:
			return append(dst[:start], unescapeAttribute(all)...)
		}
		value = value[n:]
	}
}

// unescapeAttribute decodes the entities of a value by the standard's rule for attributes, which package html
// applies inside tags only: so the value is put into a tag.
func unescapeAttribute(value []byte) []byte {
	tag := make([]byte, 0, len(value)+16)
	tag = append(tag, `<a b="`...)
	tag = append(tag, bytes.ReplaceAll(value, []byte(`"`), []byte("&quot;"))...)
	tag = append(tag, `">`...)
	z := html.NewTokenizer(bytes.NewReader(tag))
	z.SetMaxBuf(len(tag) + 1)
	z.Next()
	z.TagName()
	_, decoded, _ := z.TagAttr()
	return decoded
}
