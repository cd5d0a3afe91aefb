package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/lookup"
)

// stemmers reduce a word to its stem, by language.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fi": finnish.Stem, "fr": french.Stem,
	"hu": hungarian.Stem, "it": italian.Stem, "nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem,
	"ro": stemRomanian, "ru": stemRussian, "sv": swedish.Stem, "tr": turkish.Stem, korean: stemKorean,
}

const korean = "ko"

// stemRussian takes ё for е, as Snowball's newer algorithm does.
func stemRussian(env *snowballstem.Env) bool {
	env.SetCurrent(strings.ReplaceAll(env.Current(), "ё", "е"))
	return russian.Stem(env)
}

// stemRomanian knows both spellings of the letters with a comma below; Snowball's algorithm knows the older one.
func stemRomanian(env *snowballstem.Env) bool {
	env.SetCurrent(strings.NewReplacer("ș", "ş", "ț", "ţ").Replace(env.Current()))
	return romanian.Stem(env)
}

// FormLanguages returns the languages whose word forms are known (parameter fm), as two-letter codes, sorted.
func FormLanguages() (codes []string) {
	for code := range stemmers {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}

// DocumentLanguages stands for the languages of the documents in Request.Forms.
const DocumentLanguages = "documents"

// rareLanguage is the share of documents, 1 of so many, below which a language does not count: such documents are
// often labeled wrongly.
const rareLanguage = 20

// readLanguages returns those of the languages of FormLanguages that the documents have; English if none is known.
func readLanguages(ctx context.Context, s *lookup.Store) (codes []string, err error) {
	all := int64(0)
	counts := map[string]int64{}
	err = s.Languages(ctx, func(code string, n int64) {
		all += n
		if stemmers[code] != nil {
			counts[code] = n
		}
	})
	for code, n := range counts {
		if n*rareLanguage >= all {
			codes = append(codes, code)
		}
	}
	if len(codes) == 0 {
		codes = []string{"en"}
	}
	slices.Sort(codes)
	return codes, err
}

// Bounds of a search for other forms of a word.
const (
	formLeast   = 3    // minimum length of the common prefix, in characters
	hangulLeast = 2    // the same of Hangul, in syllables
	formsMost   = 16   // maximum number of forms of a word; those in the most documents count
	hangulMost  = 256  // the same of Hangul: what begins with a noun has it
	formEnding  = 10   // maximum length of an ending, in characters
	formLimit   = 5000 // maximum number of words read from the dictionary
)

// A formSearch looks for other forms of a word in one language.
type formSearch struct {
	word, stem string
	stemmer    func(*snowballstem.Env) bool
	prefix     string // of the forms without accents
	most       int
}

// findForms queues a request for other forms of the words of the query outside of phrases, and of synonyms. A form has
// the same stem in one of the languages and the same beginning. Only words of the index are forms, so a stem
// that is not a word is harmless. Accents do not count.
func (p *plan) findForms() {
	p.forms = map[string][]string{}
	var words []string
	query.Walk(p.tree, func(n query.Node, _ bool) bool {
		if word, ok := n.(query.Word); ok {
			words = append(words, word.Text)
		}
		return true
	})
	p.askForms(slices.AppendSeq(words, p.synonymWords(true)))
}

func newFormSearch(word, language string) (s formSearch, ok bool) {
	s = formSearch{word: word, stemmer: stemmers[language], most: formsMost}
	if s.stemmer == nil || hangul(word) != (language == korean) {
		return s, false
	}
	s.stem = document.Plain(stemOf(s.stemmer, word))
	s.prefix = commonPrefix(strings.TrimSuffix(s.stem, "i"), document.Plain(word)) // theory and theories have the stem theori
	least := formLeast
	if language == korean {
		least, s.most = hangulLeast, hangulMost
	}
	return s, utf8.RuneCountInString(s.prefix) >= least
}

// fits reports whether a word that begins like the forms is one. Every Korean word that begins with a noun is: most endings are
// particles, and the others make compounds.
func (s *formSearch) fits(other string) bool {
	if s.most == hangulMost {
		return true
	}
	return document.Plain(stemOf(s.stemmer, other)) == s.stem && document.Plain(other) != document.Plain(s.word)
}

// askForms queues a request for other forms of some words.
func (p *plan) askForms(words []string) {
	languages := p.formLanguages()
	var searches []formSearch
	for i, word := range words {
		if slices.Contains(words[:i], word) {
			continue
		}
		for _, language := range languages {
			if s, ok := newFormSearch(word, language); ok {
				searches = append(searches, s)
			}
		}
	}
	if len(searches) == 0 {
		return
	}
	type form struct {
		text string
		urls int64
	}
	found := make([][]form, len(searches))
	var prefixes []string // those of several languages are often the same
	of := make([]int, len(searches))
	for i, s := range searches {
		if of[i] = slices.Index(prefixes, s.prefix); of[i] < 0 {
			of[i] = len(prefixes)
			prefixes = append(prefixes, s.prefix)
		}
	}
	p.look.Forms(prefixes, formEnding, formLimit, func(prefix int, other string, urls int64) {
		for i := range searches {
			if s := &searches[i]; of[i] == prefix && other != s.word && s.fits(other) {
				found[i] = append(found[i], form{other, urls})
			}
		}
	})
	p.finish = append(p.finish, func() {
		for i, all := range found {
			slices.SortFunc(all, func(a, b form) int { return cmp.Or(cmp.Compare(b.urls, a.urls), cmp.Compare(a.text, b.text)) })
			for _, f := range all[:min(len(all), searches[i].most)] {
				if word := searches[i].word; !slices.Contains(p.forms[word], f.text) {
					p.forms[word] = append(p.forms[word], f.text)
				}
			}
		}
	})
}

func stemOf(stemmer func(*snowballstem.Env) bool, word string) string {
	env := snowballstem.NewEnv(word)
	stemmer(env)
	return env.Current()
}

// formLanguages returns the languages in which other forms of words count.
func (p *plan) formLanguages() []string {
	if slices.Contains(p.req.Forms, DocumentLanguages) {
		return p.languages
	}
	return p.req.Forms
}
