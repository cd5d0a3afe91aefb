// Package printable makes text from outside safe to print: on a terminal, in a log line, in a table column.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String returns s with everything escaped that is not a visible character or a space, in the notation of Go: control
// characters ("\x1b"), line and paragraph separators ("\n", "\u2028"), format characters such as those that change the
// direction of text ("\u202e"), code points without an assigned character, and each byte that is not UTF-8 ("\xff").
// Backslashes and quotation marks are not escaped, so a second call changes nothing.
//
// The result has at most limit bytes; a longer one is cut between two characters and ends with "...". A limit of 0 means
// no limit; others are at least 3.
func String(s string, limit int) string {
	var b strings.Builder
	cut := 0 // length of the part of the result that leaves room for the ellipsis
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		text := s[:size]
		switch {
		case r == utf8.RuneError && size == 1:
			text = fmt.Sprintf(`\x%02x`, s[0])
		case !unicode.IsGraphic(r):
			text = strings.Trim(strconv.QuoteRune(r), "'")
		}
		if limit > 0 && b.Len()+len(text) > limit {
			return b.String()[:cut] + ellipsis
		}
		b.WriteString(text)
		if b.Len() <= limit-len(ellipsis) {
			cut = b.Len()
		}
		s = s[size:]
	}
	return b.String()
}

// ellipsis ends a result that was cut.
const ellipsis = "..."

// maxLogged bounds one text from outside in a log line, in bytes.
const maxLogged = 512

// Log returns text from outside, such as a URL, in the form for a log line: String with at most 512 bytes.
func Log(s string) string { return String(s, maxLogged) }
