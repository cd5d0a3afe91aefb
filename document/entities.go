package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// appendDecoded appends a text or the value of an attribute with its entities decoded and its line ends made one character.
func appendDecoded(dst, text []byte, inAttribute bool) []byte {
	if bytes.IndexByte(text, '\r') >= 0 {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	for {
		n := bytes.IndexByte(text, '&')
		if n < 0 {
			return append(dst, text...)
		}
		dst, text = append(dst, text[:n]...), text[n:]
		n = entityLength(text)
		dst = appendEntity(dst, text[:n], inAttribute && n < len(text) && text[n] == '=', inAttribute)
		text = text[n:]
	}
}

// entityLength returns the length of an ampersand and the letters and digits after it, with # before and ; behind them.
func entityLength(text []byte) int {
	n := len("&")
	if n < len(text) && text[n] == '#' {
		n++
	}
	for n < len(text) && (isLetter(text[n]) || '0' <= text[n] && text[n] <= '9') {
		n++
	}
	if n < len(text) && text[n] == ';' {
		n++
	}
	return n
}

// appendEntity appends what an entity stands for. In an attribute only a whole name counts (&copy but not &copyright), and without
// a semicolon none before an equals sign, as in "?a=b&copy=1".
func appendEntity(dst, entity []byte, beforeEquals, inAttribute bool) []byte {
	switch string(entity) {
	case "&amp;":
		return append(dst, '&')
	case "&lt;":
		return append(dst, '<')
	case "&gt;":
		return append(dst, '>')
	case "&quot;":
		return append(dst, '"')
	case "&nbsp;", "&#160;":
		return append(dst, "\u00A0"...)
	case "&":
		return append(dst, '&')
	}
	decoded := html.UnescapeString(string(entity))
	if inAttribute && entity[1] != '#' && !isWhole(string(entity), decoded, beforeEquals) {
		return append(dst, entity...)
	}
	return append(dst, decoded...)
}

// isWhole reports whether an entity in an attribute was decoded as a whole: nothing of its name is left.
func isWhole(entity, decoded string, beforeEquals bool) bool {
	if strings.HasSuffix(entity, ";") {
		return !strings.HasSuffix(decoded, ";") || entity == "&semi;"
	}
	return !beforeEquals && utf8.RuneCountInString(decoded) == 1
}
