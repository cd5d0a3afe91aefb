package document

import (
	"bytes"
	"fmt"
	"strings"
)

// MaxSelectors is the largest number of selectors of a LeaveOut.
const MaxSelectors = 50

// A selector names elements as CSS does: tag, .class, #id, [attr], [attr=value], or a tag before one of these.
type selector struct {
	text  string // as written
	tag   string // in lower case; "" = any
	attr  string // in lower case; "" = none is asked for
	value string
	word  bool // value is one of the words of the attribute
	any   bool // every value
}

// ParseSelectors checks selectors and returns them in the form of LeaveOut.Selectors. The error names the first invalid one.
func ParseSelectors(list []string) (string, error) {
	if len(list) > MaxSelectors {
		return "", fmt.Errorf("%d selectors are more than %d", len(list), MaxSelectors)
	}
	texts := make([]string, len(list))
	for i, text := range list {
		s, err := parseSelector(text)
		if err != nil {
			return "", err
		}
		texts[i] = s.text
	}
	return strings.Join(texts, " "), nil
}

func parseSelector(text string) (s selector, err error) {
	bad := func() (selector, error) {
		return selector{}, fmt.Errorf("%q is not one of tag, .class, #id, [attr], [attr=value], tag.class; "+
			"combinations such as \"div p\" or \"a:hover\" are not supported", text)
	}
	at := strings.IndexAny(text, ".#[")
	if at < 0 {
		at = len(text)
	}
	s = selector{text: text, tag: strings.ToLower(text[:at])}
	if s.tag != "" && !isName(s.tag) || text == "" {
		return bad()
	}
	switch s.tag {
	case "html", "body":
		return selector{}, fmt.Errorf("%q is the whole page", text)
	}
	rest := text[at:]
	switch {
	case rest == "":
		return s, nil
	case rest[0] == '[':
		inside, ok := strings.CutSuffix(rest[1:], "]")
		name, value, equals := strings.Cut(inside, "=")
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		if !ok || !isName(name) || equals && value == "" || strings.ContainsAny(value, "\"'[] \t") {
			return bad()
		}
		s.attr, s.value, s.any = strings.ToLower(name), value, !equals
	default:
		s.attr, s.word = "class", true
		if rest[0] == '#' {
			s.attr, s.word = "id", false
		}
		if s.value = rest[1:]; !isName(s.value) {
			return bad()
		}
	}
	return s, nil
}

// isName reports whether a text can name a tag, an attribute, a class or an id in a selector.
func isName(text string) bool {
	for _, c := range text {
		if c <= ' ' || strings.ContainsRune(".#[]=>+~*:,()\"'\\", c) {
			return false
		}
	}
	return text != ""
}

// fits reports whether an attribute, whose name is in any case, is the one that the selector asks for.
func (s *selector) fits(name, value []byte) bool {
	switch {
	case s.attr == "" || !equalFold(name, s.attr):
		return false
	case s.any:
		return true
	case !s.word:
		return string(value) == s.value
	}
	for word := range bytes.FieldsSeq(value) {
		if string(word) == s.value {
			return true
		}
	}
	return false
}

// equalFold reports whether a name in any case is another one in lower case.
func equalFold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// nextAttribute returns the next attribute of a start tag, entities as they are written, and what follows it. tag begins behind
// the name of the tag.
func nextAttribute(tag []byte) (name, value, rest []byte, ok bool) {
	i := 0
	for i < len(tag) && (isBlank(tag[i]) || tag[i] == '/') {
		i++
	}
	if i == len(tag) || tag[i] == '>' {
		return nil, nil, nil, false
	}
	start := i
	for i++; i < len(tag) && tag[i] != '=' && tag[i] != '>' && tag[i] != '/' && !isBlank(tag[i]); {
		i++
	}
	name = tag[start:i]
	for i < len(tag) && isBlank(tag[i]) {
		i++
	}
	if i == len(tag) || tag[i] != '=' {
		return name, nil, tag[i:], true
	}
	for i++; i < len(tag) && isBlank(tag[i]); {
		i++
	}
	if i == len(tag) {
		return name, nil, nil, true
	}
	if quote := tag[i]; quote == '"' || quote == '\'' {
		end := bytes.IndexByte(tag[i+1:], quote)
		if end < 0 {
			return name, nil, nil, true
		}
		return name, tag[i+1 : i+1+end], tag[i+2+end:], true
	}
	start = i
	for i < len(tag) && tag[i] != '>' && !isBlank(tag[i]) {
		i++
	}
	return name, tag[start:i], tag[i:], true
}
