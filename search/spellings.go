package search

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query"
)

// variants are words of the dictionary that are a word of the query written otherwise.
type variants struct {
	// spellings are the same word with other accents (word_spellings in SQL).
	spellings []string
	// A single character of a script without blanks is in the index as a part of pairs: those that begin with it, and those
	// that end with it.
	begin, end []string
}

// pairsMost is the maximum number of pairs that begin, or end, with a character; those in the most documents count. The most
// frequent characters have some thousand.
const pairsMost = 1000

// A variant that is no form weighs less than the word, and each character within a run is in two pairs.
const (
	spellingWeight = 0.9
	pairWeight     = 0.5
)

// runPlace is where a word stands in a phrase. It decides about pairs: a character of Han before a word of another script ends
// a run in the document, one behind such a word begins a run.
type runPlace int8

const (
	alone runPlace = iota
	first
	middle
	last
)

func placeIn(i, n int) runPlace {
	switch {
	case n == 1:
		return alone
	case i == 0:
		return first
	case i == n-1:
		return last
	}
	return middle
}

// single reports whether a word is one character of a script without blanks.
func single(word string) bool {
	return utf8.RuneCountInString(word) == 1 && document.Paired(word)
}

// findVariants queues requests for the variants of the words of the query and its synonyms. ASPseek's ranking knows none,
// and a query that wants no other forms of words wants no other spellings either.
func (p *plan) findVariants() {
	if p.req.Ranking != ByRelevance {
		return
	}
	if p.variants == nil {
		p.variants = map[string]variants{}
	}
	var typed, characters []string
	for word := range p.typedWords() {
		if _, ok := p.variants[word]; ok {
			continue
		}
		p.variants[word] = variants{}
		switch {
		case single(word):
			characters = append(characters, word)
		case !document.Paired(word) && len(p.req.Forms) > 0:
			typed = append(typed, word)
		}
	}
	if len(typed) > 0 {
		p.look.Spellings(typed, func(word, other string) {
			v := p.variants[word]
			v.spellings = append(v.spellings, other)
			p.variants[word] = v
		})
	}
	if len(characters) > 0 {
		p.look.Pairs(characters, pairsMost, func(character, pair string, begins bool) {
			v := p.variants[character]
			if begins {
				v.begin = append(v.begin, pair)
			} else {
				v.end = append(v.end, pair)
			}
			p.variants[character] = v
		})
	}
}

// typedWords yields the words of the query, also those of phrases and exclusions, and of synonyms.
func (p *plan) typedWords() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for leaf := range query.Leaves(p.tree) {
			if word, ok := leaf.(query.Word); ok && !yield(word.Text) {
				return
			}
		}
		for word := range p.synonymWords(false) {
			if !yield(word) {
				return
			}
		}
	}
}

// written returns the variants of a word and its other forms.
func (p *plan) written(word string) []string {
	v := p.variants[word]
	return slices.Concat(v.spellings, v.begin, v.end, p.forms[word])
}

// readers returns the readers of a word of the query: of the word itself, of its variants, and if forms is set of its other
// forms; and the sum of the numbers of documents of these words.
func (p *plan) readers(w query.Word, sections query.Sections, at runPlace, forms bool) (all []*wordCursor, n anyCount) {
	all = append(all, p.reader(p.words[w.Text], sections, true))
	n.add(p.documentsOf(w.Text))
	add := func(texts []string, weight float64) {
		for _, text := range texts {
			c := p.reader(p.words[text], sections, false)
			c.weight = weight
			all = append(all, c)
			n.add(p.documentsOf(text))
		}
	}
	v := p.variants[w.Text]
	add(v.spellings, spellingWeight)
	if at == alone || at == last {
		add(v.begin, pairWeight)
	}
	if at == alone || at == first {
		add(v.end, pairWeight)
	}
	if forms {
		add(p.forms[w.Text], formWeight)
	}
	return all, n
}

// anyCount counts the documents of several words.
type anyCount struct{ sum, largest int64 }

// add adds the number of documents of a word.
func (n *anyCount) add(documents int64) {
	n.sum += documents
	n.largest = max(n.largest, documents)
}

// estimate returns about how many documents have any of the words: the middle of what is possible.
func (n anyCount) estimate() int64 { return (n.largest + n.sum) / 2 }

// anyOf returns the cursor of several readers.
func anyOf(readers []*wordCursor) cursor {
	if n := len(readers); n > 1 && n <= formsAtOnce {
		return &formsCursor{of: readers}
	}
	any := make([]cursor, len(readers))
	for i, r := range readers {
		any[i] = r
	}
	return newAny(any)
}

// findOthers reads the variants and other forms of the words of the query from the dictionary.
func (p *plan) findOthers(ctx context.Context) error {
	p.findVariants()
	if len(p.req.Forms) > 0 {
		p.findForms()
	}
	if err := p.look.Send(ctx); err != nil {
		return err
	}
	p.finished()
	return nil
}
