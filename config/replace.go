package config

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
)

// Replace rewrites a part of a link before anything looks at it. It is safe for concurrent use.
type Replace struct {
	Pattern *regexp.Regexp // RE2, ignoring case, unanchored; each match is replaced
	By      string         // as regexp.ReplaceAllString has it: \1 of the file is ${1}
	Text    string         // the line as written, for --explain
}

// Apply returns a URL with all matches of the pattern replaced.
func (r *Replace) Apply(url string) string { return r.Pattern.ReplaceAllString(url, r.By) }

// replace reads a pattern and what replaces it, as ASPseek's Replace: nothing without a second value, \1 to \9 are the groups. A
// line without values drops all lines above it.
func (r *setsReader) replace(d directive) error {
	switch len(d.args) {
	case 0:
		r.next.Replace = nil
		return nil
	case 1, 2:
	default:
		return reasonf("%d values, expected a pattern and what replaces it (put a value with spaces in double quotes)", len(d.args))
	}
	re, err := pattern(d.args[0])
	if err != nil {
		return err
	}
	if re.MatchString("") {
		return reasonf("the pattern %s matches the empty text and would be replaced everywhere", quote(d.args[0]))
	}
	by := ""
	if len(d.args) == 2 {
		if by, err = replacement(d.args[1], re.NumSubexp()); err != nil {
			return err
		}
	}
	// A list of its own: the Server lines above keep theirs.
	r.next.Replace = append(slices.Clip(r.next.Replace), Replace{Pattern: re, By: by, Text: d.text})
	return nil
}

// replacement makes \1 to \9 the groups of the pattern, \\ a backslash, and everything else what it is.
func replacement(text string, groups int) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '$':
			b.WriteString("$$")
		case c != '\\' || i+1 == len(text):
			b.WriteByte(c)
		case text[i+1] == '\\':
			i++
			b.WriteByte('\\')
		case text[i+1] >= '1' && text[i+1] <= '9':
			i++
			if int(text[i]-'0') > groups {
				return "", reasonf("%s names group %c, and the pattern has %d", quote(text), text[i], groups)
			}
			b.WriteString("${" + text[i:i+1] + "}")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// charset reads the charset of pages that declare none; auto takes the line back.
func (r *setsReader) charset(d directive) error {
	text, err := one(d)
	if err != nil {
		return err
	}
	if strings.EqualFold(text, "auto") {
		r.next.Charset = ""
		return nil
	}
	_, name := charset.Lookup(text)
	if name == "" {
		return reasonf("%s is no charset that browsers know, such as windows-1251, koi8-r, shift_jis; auto guesses it", quote(text))
	}
	if name == "replacement" || name == "x-user-defined" || strings.HasPrefix(name, "utf-16") {
		return reasonf("%s cannot be the charset of pages that do not say so", quote(text))
	}
	r.next.Charset = name
	return nil
}
