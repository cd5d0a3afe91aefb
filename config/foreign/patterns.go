package foreign

import (
	"regexp"
	"strings"
)

// posixMarks are escapes of GNU's POSIX expressions that mean something else to RE2, each with what it is there.
var posixMarks = map[byte]string{'<': `\b`, '>': `\b`, '`': `\A`, '\'': `\z`}

// posixBounds are the edges of words of BSD's.
var posixBounds = strings.NewReplacer("[[:<:]]", `\b`, "[[:>:]]", `\b`)

// ere returns a POSIX extended expression as one of RE2. What stays wrong is left to the caller.
func ere(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if mark := posixMarks[s[i]]; mark != "" {
			b.WriteString(mark)
			continue
		}
		b.WriteString(s[i-1 : i+1])
	}
	text := posixBounds.Replace(b.String())
	if text != "" && strings.ContainsRune("*+?", rune(text[0])) {
		text = `\` + text // there is nothing to repeat: it stands for itself
	}
	return text
}

func compiles(s string) bool {
	_, err := regexp.Compile("(?i)" + s)
	return err == nil
}

// glob returns a pattern of a whole URL, with * and ?, as a regular expression.
func glob(s string) string {
	begin, end := "^", "$"
	if t := strings.TrimLeft(s, "*"); t != s {
		s, begin = t, ""
	}
	if t := strings.TrimRight(s, "*"); t != s {
		s, end = t, ""
	}
	var b strings.Builder
	for i, part := range strings.Split(s, "*") {
		if i > 0 {
			b.WriteString(".*")
		}
		for j, fixed := range strings.Split(part, "?") {
			if j > 0 {
				b.WriteString(".")
			}
			b.WriteString(literal(fixed))
		}
	}
	if b.Len() == 0 && begin == "" {
		return ".*"
	}
	return begin + b.String() + end
}

// literal returns a pattern for a text.
func literal(s string) string { return regexp.QuoteMeta(s) }
