package suggest

import (
	"strings"
	"unicode"
)

// A Never is a list of texts that no suggestion may have. The zero value is empty.
type Never struct {
	begin  map[string][]string // folded, by their first word
	inside []string            // folded, of scripts without blanks
}

// Add adds a text. It returns false if the text has no letter and no digit.
func (n *Never) Add(text string) bool {
	folded := strings.TrimSuffix(Fold(text), " ")
	if folded == "" {
		return false
	}
	if strings.ContainsFunc(folded, func(r rune) bool { return unicode.In(r, noBlanks...) }) {
		n.inside = append(n.inside, folded)
		return true
	}
	if n.begin == nil {
		n.begin = map[string][]string{}
	}
	first, _, _ := strings.Cut(folded, " ")
	n.begin[first] = append(n.begin[first], folded)
	return true
}

// Forbids reports whether a text has the words of a text of the list beside each other, in any case and with any accents. In
// scripts without blanks it has the characters.
func (n *Never) Forbids(text string) bool {
	if n == nil || len(n.begin) == 0 && len(n.inside) == 0 {
		return false
	}
	folded := Fold(text)
	for rest := folded; rest != ""; {
		first, after, _ := strings.Cut(rest, " ")
		for _, words := range n.begin[first] {
			if end, ok := strings.CutPrefix(rest, words); ok && (end == "" || end[0] == ' ') {
				return true
			}
		}
		rest = after
	}
	for _, part := range n.inside {
		if strings.Contains(folded, part) {
			return true
		}
	}
	return false
}
