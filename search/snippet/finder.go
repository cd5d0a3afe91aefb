package snippet

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query"
)

// A Finder finds the terms of a query in texts, for excerpts and marks. It is made once for a query and all
// its documents. It is immutable and safe for concurrent use.
//
// A term is found wherever its words occur, also in other sections than those that the query names, because
// people look for the words that they typed. Excluded words are never found, unless the query also has them
// as terms.
type Finder struct {
	names    []string           // of the terms: Word.Text or Pattern.Text
	words    map[string]termSet // words of the terms and their other forms
	patterns []termPattern
	never    map[string]bool // excluded words, which a pattern may match
	first    [256]bool       // the first bytes that matching words may have
	follow   [maxTerms]termSet
	phrases  []termSequence // the phrases of the query, and all its terms as one phrase
	widest   int            // approximate length of the longest of them, in characters
}

// A termSet is a set of terms: bit i is Query.Terms()[i]. MaxTerms is less than maxTerms.
type termSet uint64

const maxTerms = 64

type termPattern struct {
	query.Pattern
	fixed []byte
	set   termSet
}

// NewFinder returns a finder for the terms of a query. forms returns other forms of a word that count as the
// word (fm=on); nil = none.
func NewFinder(q *query.Query, forms func(word string) []string) *Finder {
	f := &Finder{words: map[string]termSet{}, never: map[string]bool{}}
	terms := q.Terms()
	terms = terms[:min(len(terms), maxTerms)]
	query.Walk(q.Root, func(n query.Node, positive bool) bool {
		if w, ok := n.(query.Word); ok && !positive {
			f.never[w.Text] = true
		}
		return true
	})
	for i, t := range terms {
		switch t := t.(type) {
		case query.Word:
			f.names = append(f.names, t.Text)
			f.addWord(t.Text, 1<<i)
		case query.Pattern:
			f.names = append(f.names, t.Text)
			f.addPattern(t, 1<<i)
		}
	}
	for i, t := range terms {
		w, ok := t.(query.Word)
		if !ok || forms == nil {
			continue
		}
		for _, form := range forms(w.Text) {
			if !f.never[form] {
				f.addWord(form, 1<<i)
			}
		}
	}
	f.addPhrases(q, terms)
	return f
}

func (f *Finder) addWord(word string, set termSet) {
	if word == "" {
		return
	}
	f.words[word] |= set
	f.first[word[0]] = true
}

func (f *Finder) addPattern(p query.Pattern, set termSet) {
	fixed := p.Fixed()
	f.patterns = append(f.patterns, termPattern{Pattern: p, fixed: []byte(fixed), set: set})
	if fixed != "" {
		f.first[fixed[0]] = true
		return
	}
	for i := range f.first {
		f.first[i] = true
	}
}

// terms returns the terms that a word matches.
func (f *Finder) terms(word []byte) termSet {
	if len(word) == 0 || !f.first[word[0]] {
		return 0
	}
	set := f.words[string(word)]
	for i := range f.patterns {
		p := &f.patterns[i]
		if bytes.HasPrefix(word, p.fixed) && p.Matches(string(word)) && !f.never[string(word)] {
			set |= p.set
		}
	}
	return set
}

// A mark is a place in a text: text[start:end] is shown as a term.
type mark struct{ start, end, term int }

// marks returns the first most places of terms in a text, ascending. Words that overlap (pairs of Han) are
// one mark, and so are words without a blank that follow each other both in the query and here
// (pg_stat_activity).
func (f *Finder) marks(text []byte, most int) []mark {
	var marks []mark
	var last termSet // of the previous word if it is marked
	document.Scan(text, func(word []byte, start, end int) bool {
		set := f.terms(word)
		if set != 0 {
			before := len(marks) - 1
			switch {
			case before >= 0 && start < marks[before].end,
				before >= 0 && f.follows(last, set) && !hasBlank(text[marks[before].end:start]):
				marks[before].end = max(marks[before].end, end)
			case len(marks) == most:
				return false
			default:
				marks = append(marks, mark{start, end, set.lowest()})
			}
		}
		last = set
		return true
	})
	return marks
}

// follows reports whether a term of next directly follows one of set in the query.
func (f *Finder) follows(set, next termSet) bool {
	for i := range set.all {
		if f.follow[i]&next != 0 {
			return true
		}
	}
	return false
}

func hasBlank(text []byte) bool { return bytes.ContainsFunc(text, unicode.IsSpace) }

// Mark returns a short text, such as a title, as a whole with its terms marked. Runs of white space become
// one blank.
func (f *Finder) Mark(text string) Excerpt {
	b := []byte(text)
	return spans(b, f.marks(b, len(b)))
}

// spans cuts a text at its marks. White space and control characters become single blanks, none at the ends.
// Direction controls are removed, because the end of their effect may be cut off.
func spans(text []byte, marks []mark) Excerpt {
	var out Excerpt
	blank := true // nothing or a blank precedes
	add := func(piece []byte, term int) {
		shown := make([]byte, 0, len(piece))
		for len(piece) > 0 {
			r, size := utf8.DecodeRune(piece)
			piece = piece[size:]
			switch {
			case unicode.IsSpace(r) || unicode.IsControl(r):
				if !blank {
					shown, blank = append(shown, ' '), true
				}
			case setsDirection(r):
			default:
				shown, blank = utf8.AppendRune(shown, r), false
			}
		}
		if len(shown) > 0 {
			out = append(out, Span{Text: string(shown), Term: term})
		}
	}
	at := 0
	for _, m := range marks {
		add(text[at:m.start], -1)
		add(text[m.start:m.end], m.term)
		at = m.end
	}
	add(text[at:], -1)
	if n := len(out) - 1; n >= 0 && blank {
		if out[n].Text = out[n].Text[:len(out[n].Text)-1]; out[n].Text == "" {
			out = out[:n]
		}
	}
	return out
}

func setsDirection(r rune) bool {
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

// all yields the terms of a set.
func (s termSet) all(yield func(term int) bool) {
	for i := 0; s != 0; i, s = i+1, s>>1 {
		if s&1 != 0 && !yield(i) {
			return
		}
	}
}

// lowest returns the first term of a non-empty set.
func (s termSet) lowest() int {
	for i := range s.all {
		return i
	}
	return -1
}

// setOf returns the set of one item of a query.
func setOf(terms []query.Item, item query.Item) termSet {
	if i := slices.Index(terms, item); i >= 0 {
		return 1 << i
	}
	return 0
}
