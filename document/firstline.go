package document

import (
	"bytes"
	"unicode"
)

const (
	firstLines     = 50   // lines among which the title of a plain text is looked for
	firstLineBytes = 4096 // of a line
)

// FirstLine returns the first line of a text that has a letter or a digit, nil when none of the first lines has.
func FirstLine(text []byte) []byte {
	for range firstLines {
		line, rest, more := bytes.Cut(text, []byte("\n"))
		line = line[:min(len(line), firstLineBytes)]
		if bytes.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return bytes.ToValidUTF8(line, nil)
		}
		if !more {
			return nil
		}
		text = rest
	}
	return nil
}
