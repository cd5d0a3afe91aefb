package search

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query"
)

// Bounds of the spelling correction.
const (
	spellWords  = 4     // words of a query that are corrected
	spellLimit  = 20000 // words read from the dictionary for each prefix
	spellMost   = 2     // maximum distance for a long word
	spellMiddle = 6     // minimum length of a long word; the maximum distance of a shorter one is 1
	spellLeast  = 3     // minimum length of a word, in characters
)

// spell returns, for each word of the query that is in no document, the word of the index with the smallest
// edit distance; of several the one in the most documents.
func (p *plan) spell(ctx context.Context) (list []Suggestion, err error) {
	for leaf, positive := range query.Leaves(p.tree) {
		word, ok := leaf.(query.Word)
		if !ok || !positive || len(list) == spellWords || p.has(word.Text) || slices.ContainsFunc(p.variants[word.Text].spellings, p.has) || p.hasSynonym(word.Text) || document.Paired(word.Text) ||
			slices.ContainsFunc(list, func(s Suggestion) bool { return s.Word == word.Text }) {
			continue
		}
		runes := []rune(word.Text)
		if len(runes) < spellLeast {
			continue
		}
		near := spellMost
		if len(runes) < spellMiddle {
			near = 1
		}
		best, fewest, most := "", near+1, int64(0)
		consider := func(other string, urls int64) {
			if urls == 0 {
				return
			}
			if n := distance(runes, []rune(other), near); n < fewest || n == fewest && n <= near && urls > most {
				best, fewest, most = other, n, urls
			}
		}
		for _, list := range [][]string{prefixes(runes), secondLetters(runes)} {
			if fewest == 1 || len(list) == 0 {
				break
			}
			p.look.Dictionary(list, len(runes)-near, len(runes)+near, spellLimit, consider)
			if err := p.look.Send(ctx); err != nil {
				return nil, err
			}
		}
		if best != "" {
			list = append(list, Suggestion{Word: word.Text, Instead: best})
		}
	}
	return list, nil
}

// has reports whether any document has a word.
func (p *plan) has(text string) bool {
	w := p.words[text]
	return w != nil && (w.urls > 0 || len(w.realtime) > 0)
}

// prefixes returns the two-letter prefixes that the intended word may have: the first two letters as typed,
// exchanged, or after one of the first three letters has been left out. secondLetters has the rest. A different first
// letter is not found.
func prefixes(w []rune) (list []string) {
	for _, b := range [][2]rune{{w[0], w[1]}, {w[1], w[0]}, {w[0], w[2]}, {w[1], w[2]}} {
		if s := string(b[:]); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// alphabets are the letters among which a missing or wrong second letter is looked for, first and last.
var alphabets = [][2]rune{{'a', 'z'}, {'α', 'ω'}, {'а', 'я'}}

// secondLetters returns the three-letter prefixes that the intended word may have if its second letter was left out or
// replaced.
func secondLetters(w []rune) (list []string) {
	for _, letters := range alphabets {
		if w[1] < letters[0] || w[1] > letters[1] {
			continue
		}
		for r := letters[0]; r <= letters[1]; r++ {
			list = append(list, string([]rune{w[0], r, w[1]}), string([]rune{w[0], r, w[2]}))
		}
	}
	return list
}

// distance returns the optimal string alignment distance of two words: the number of insertions, deletions,
// substitutions and transpositions of neighboring letters. It returns most+1 if the distance is greater than
// most.
func distance(a, b []rune, most int) int {
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	before2, before, here := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range before {
		before[j] = j
	}
	for i := 1; i <= len(a); i++ {
		here[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			changed := before[j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			here[j] = min(changed, before[j]+1, here[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				here[j] = min(here[j], before2[j-2]+1)
			}
			least = min(least, here[j])
		}
		if least > most {
			return most + 1
		}
		before2, before, here = before, here, before2
	}
	return min(before[len(b)], most+1)
}

// commonPrefix returns the longest common prefix of two words.
func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeRuneInString(a[n:])
		if other, _ := utf8.DecodeRuneInString(b[n:]); other != r {
			break
		}
		n += size
	}
	return a[:n]
}
