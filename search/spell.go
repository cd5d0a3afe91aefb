package search

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query"
)

// Bounds of a search for what somebody meant to type.
const (
	spellWords  = 4     // words of a query that are looked at
	spellLimit  = 20000 // words of the dictionary that each beginning may bring
	spellMost   = 2     // letters that may be wrong in a long word
	spellMiddle = 6     // characters from which a word is long; a shorter one has one wrong letter
	spellLeast  = 3     // characters of a word that is looked at
)

// spell finds, for each word of the query that no document has, the word of the index that differs in the fewest letters,
// of several the one that most documents have.
func (p *plan) spell(ctx context.Context) (list []Suggestion, err error) {
	for leaf, positive := range query.Leaves(p.req.Query.Root) {
		word, ok := leaf.(query.Word)
		if !ok || !positive || len(list) == spellWords || p.has(word.Text) || document.Paired(word.Text) ||
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
		p.look.Dictionary(beginnings(runes), len(runes)-near, len(runes)+near, spellLimit, func(other string, urls int64) {
			if urls == 0 {
				return
			}
			if n := distance(runes, []rune(other), near); n < fewest || n == fewest && n <= near && urls > most {
				best, fewest, most = other, n, urls
			}
		})
		if err := p.look.Send(ctx); err != nil {
			return nil, err
		}
		if best != "" {
			list = append(list, Suggestion{Word: word.Text, Instead: best})
		}
	}
	return list, nil
}

// has tells whether any document has a word.
func (p *plan) has(text string) bool {
	w := p.words[text]
	return w != nil && (w.urls > 0 || len(w.realtime) > 0)
}

// beginnings are two letters with which the word that was meant may begin: those typed, with one of the first three left out,
// or two of them in the other order. A first letter that is another one is not found.
func beginnings(w []rune) (list []string) {
	for _, b := range [][2]rune{{w[0], w[1]}, {w[1], w[0]}, {w[0], w[2]}, {w[1], w[2]}} {
		if s := string(b[:]); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// distance is how many letters have to be put in, left out, changed, or exchanged with their neighbour, to make one word of
// the other (the optimal string alignment distance); most+1 when it is more than most.
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

// commonPrefix is what two words begin with.
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
