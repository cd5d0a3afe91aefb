package query

import "strings"

// A Pattern stands for all words of the index that match it: in Text a * is any run of characters, including
// none, and a ? is one character. All other characters are those of words, in lower case. At least
// Options.MinFixedPatternLength of them precede the first wildcard. In a run of wildcards every ? precedes
// the only *.
type Pattern struct {
	Text     string
	Sections Sections
}

const wildcards = "*?"

// Fixed returns the common prefix of all matching words.
func (p Pattern) Fixed() string {
	fixed, _ := p.cut()
	return fixed
}

func (p Pattern) cut() (fixed, rest string) {
	i := strings.IndexAny(p.Text, wildcards)
	if i < 0 {
		return p.Text, ""
	}
	return p.Text[:i], p.Text[i:]
}

// Like returns the pattern in the syntax of SQL's LIKE. Words do not contain characters that are special in
// LIKE; any such character is escaped by \ all the same.
func (p Pattern) Like() string {
	return likeEscapes.Replace(p.Text)
}

var likeEscapes = strings.NewReplacer("*", "%", "?", "_", "%", `\%`, "_", `\_`, `\`, `\\`)

// Matches reports whether a word matches, exactly like Like does in the database.
func (p Pattern) Matches(word string) bool {
	fixed, rest := p.cut()
	word, ok := strings.CutPrefix(word, fixed)
	if !ok {
		return false
	}
	text, pattern := []rune(word), []rune(rest)
	i, j := 0, 0
	star, from := -1, 0 // the last *, and the end of the text that it covers
	for i < len(text) {
		switch {
		case j < len(pattern) && pattern[j] == '*':
			star, from = j, i
			j++
		case j < len(pattern) && (pattern[j] == '?' || pattern[j] == text[i]):
			i++
			j++
		case star >= 0: // extend the * by one character; earlier ones need no second try
			from++
			i, j = from, star+1
		default:
			return false
		}
	}
	for j < len(pattern) && pattern[j] == '*' {
		j++
	}
	return j == len(pattern)
}

// wild returns a run of wildcards in the order of Pattern.Text.
func wild(run string) string {
	n := strings.Count(run, "?")
	if n == len(run) {
		return run
	}
	return strings.Repeat("?", n) + "*"
}
