package search

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/suggest"
)

// A Vocabulary has what the operator says about words: synonyms, stop words, and the links of some queries. It is
// built by its Add methods and not changed once an engine has it.
type Vocabulary struct {
	stored func(word string) bool
	stop   map[string][]string // by language, instead of stopWords
	// Texts with synonyms and texts of key matches, by the key of their first word (bucketOf).
	synonyms map[string][]synonymSource
	links    map[string][]keyText
	count    int // of key matches
	never    suggest.Never
}

// NewVocabulary returns an empty vocabulary. stored reports whether the index has a word (document.Rules); nil = every
// word.
func NewVocabulary(stored func(word string) bool) *Vocabulary {
	if stored == nil {
		stored = func(string) bool { return true }
	}
	return &Vocabulary{stored: stored, stop: map[string][]string{}, synonyms: map[string][]synonymSource{}, links: map[string][]keyText{}}
}

// AddStopWords adds stop words of a language. Those that the program has for it do not count any more.
func (v *Vocabulary) AddStopWords(language string, words []string) {
	for _, word := range words {
		document.Tokens(word, func(folded string, _, _ int) bool {
			v.stop[language] = append(v.stop[language], folded)
			return true
		})
	}
	slices.Sort(v.stop[language])
	v.stop[language] = slices.Compact(v.stop[language])
}

// AddNever adds a text that no suggestion may have.
func (v *Vocabulary) AddNever(text string) error {
	if !v.never.Add(text) {
		return fmt.Errorf("%q has no letter and no digit", text)
	}
	return nil
}

// forbids reports whether a text may not be suggested.
func (v *Vocabulary) forbids(text string) bool { return v != nil && v.never.Forbids(text) }

// isStop reports whether a word is a stop word of a language.
func (v *Vocabulary) isStop(language, word string) bool {
	if v != nil {
		if own, ok := v.stop[language]; ok {
			_, found := slices.BinarySearch(own, word)
			return found
		}
	}
	return slices.Contains(stopWords[language], word)
}

// textWord is a word of a text, skip places behind the one before.
type textWord struct {
	text string
	skip int
}

// maxTextWords is the maximum number of words of a synonym or of the text of a key match.
const maxTextWords = 8

var errNoWord = errors.New("the index has none of its words")

// cut returns the words of a text as the index has them. The places of words that it has not stay.
func (v *Vocabulary) cut(text string) (words []textWord, err error) {
	skip := 0
	document.Tokens(text, func(word string, _, _ int) bool {
		if word == "" || !v.stored(word) {
			skip++
			return true
		}
		if len(words) == 0 {
			skip = 0
		}
		words = append(words, textWord{word, skip})
		skip = 0
		return true
	})
	switch {
	case len(words) == 0:
		return nil, errNoWord
	case len(words) > maxTextWords:
		return nil, fmt.Errorf("it has more than %d words", maxTextWords)
	}
	return words, nil
}

// bucketOf returns the first characters of a word. Other forms of it begin with them, too.
func bucketOf(word string) string {
	n := 0
	for i := range word {
		if n++; n > formLeast {
			return word[:i]
		}
	}
	return word
}

// A comparer compares words of a query with words of texts in some languages.
type comparer struct {
	languages []string
	stems     map[string]string // of words, by language and word
}

func newComparer(languages []string) *comparer {
	return &comparer{languages: languages, stems: map[string]string{}}
}

// same reports whether two words are the same or forms of the same word.
func (c *comparer) same(a, b string) bool {
	if a == b {
		return true
	}
	if utf8.RuneCountInString(commonPrefix(a, b)) < formLeast {
		return false
	}
	for _, l := range c.languages {
		if stemmer := stemmers[l]; stemmer != nil {
			if stem := c.stem(l, stemmer, a); stem == c.stem(l, stemmer, b) && utf8.RuneCountInString(commonPrefix(stem, a)) >= formLeast {
				return true
			}
		}
	}
	return false
}

func (c *comparer) stem(language string, stemmer func(*snowballstem.Env) bool, word string) string {
	key := language + word
	stem, ok := c.stems[key]
	if !ok {
		stem = stemOf(stemmer, word)
		c.stems[key] = stem
	}
	return stem
}
