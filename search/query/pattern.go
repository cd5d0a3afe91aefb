package query

import "strings"

// A Pattern stands for all words of the index that fit: in Text a * is any run of characters, also none, and a ? is one
// character. All else are characters of words, in lower case; there are at least Options.MinFixedPatternLength of them
// before the first wildcard. Of wildcards that meet, every ? comes first and * is there once.
type Pattern struct {
	Text     string
	Sections Sections
}

const wildcards = "*?"

// Fixed is what all matching words begin with.
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

// Like is the pattern as SQL's LIKE writes it. Words hold no character that LIKE or its escape would see; should one
// come in nevertheless, it is escaped by \ (reliability.md 5, 6).
func (p Pattern) Like() string {
	return likeEscapes.Replace(p.Text)
}

var likeEscapes = strings.NewReplacer("*", "%", "?", "_", "%", `\%`, "_", `\_`, `\`, `\\`)

// Matches reports whether a word fits, as Like does in the database.
func (p Pattern) Matches(word string) bool {
	fixed, rest := p.cut()
	word, ok := strings.CutPrefix(word, fixed)
	if !ok {
		return false
	}
	text, pattern := []rune(word), []rune(rest)
	i, j := 0, 0
	star, from := -1, 0 // the last * met, and where the text that it covers ends
	for i < len(text) {
		switch {
		case j < len(pattern) && pattern[j] == '*':
			star, from = j, i
			j++
		case j < len(pattern) && (pattern[j] == '?' || pattern[j] == text[i]):
			i++
			j++
		case star >= 0: // the * takes one character more; earlier ones need not be looked at again
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

// wild brings a run of wildcards into the order of Pattern.Text.
func wild(run string) string {
	n := strings.Count(run, "?")
	if n == len(run) {
		return run
	}
	return strings.Repeat("?", n) + "*"
}
