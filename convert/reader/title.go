package reader

import (
	"bytes"
	"strings"
	"unicode"
)

// titleBytes bounds the text in which a title is looked for.
const titleBytes = 64 << 10

// titleOfText returns a title for a document that names none: its first heading, else its first paragraph if it is short enough, else the
// name of its file, which goes first for tables and data.
func (p *page) titleOfText() string {
	if p.naming && p.name != "" {
		return p.name
	}
	heading, first := "", ""
	m := newMarkup(bytes.NewReader(p.body[:min(len(p.body), titleBytes)]))
	for heading == "" && m.next() {
		if m.kind != startTag {
			continue
		}
		switch name := string(m.name); {
		case isHeading(name):
			heading = lettered(m.content(titleBytes))
		case first == "" && (name == "p" || name == "li"):
			first = lettered(m.content(titleBytes))
		}
	}
	switch {
	case heading != "":
		return firstRunes(heading)
	case first != "" && len([]rune(first)) <= titleText:
		return first
	case p.name != "":
		return p.name
	}
	return firstRunes(first)
}

// isHeading reports whether a tag is one of h1 to h6.
func isHeading(tag string) bool {
	return len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6'
}

// lettered returns a text with single blanks; nothing when it has no letter.
func lettered(s string) string {
	if s = blanks(s); strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return ""
	}
	return s
}

// firstRunes cuts a title at its longest length.
func firstRunes(s string) string {
	if long := []rune(s); len(long) > titleText {
		return string(long[:titleText])
	}
	return s
}
