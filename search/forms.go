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
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/lookup"
)

// stemmers reduce a word to its stem, by language.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem, "fi": finnish.Stem, "fr": french.Stem,
	"hu": hungarian.Stem, "it": italian.Stem, "nl": dutch.Stem, "no": norwegian.Stem, "pt": portuguese.Stem,
	"ro": romanian.Stem, "ru": russian.Stem, "sv": swedish.Stem, "tr": turkish.Stem,
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
	formLeast  = 3    // minimum length of the common prefix, in characters
	formsMost  = 16   // maximum number of forms of a word; those in the most documents count
	formEnding = 10   // maximum length of an ending, in characters
	formLimit  = 5000 // maximum number of words read from the dictionary
)

// findForms reads from the dictionary other forms of the words of the query outside of phrases. A form has
// the same stem in one of the languages and the same beginning. Only words of the index are forms, so a stem
// that is not a word is harmless.
func (p *plan) findForms(ctx context.Context) error {
	p.forms = map[string][]string{}
	languages := p.formLanguages()
	query.Walk(p.tree, func(n query.Node, _ bool) bool {
		if word, ok := n.(query.Word); ok && p.forms[word.Text] == nil {
			for _, language := range languages {
				p.askForms(word.Text, stemmers[language])
			}
		}
		return true
	})
	return p.look.Send(ctx)
}

func (p *plan) askForms(word string, stemmer func(*snowballstem.Env) bool) {
	if stemmer == nil {
		return
	}
	stem := stemOf(stemmer, word)
	prefix := commonPrefix(strings.TrimSuffix(stem, "i"), word) // theory and theories have the stem theori
	if utf8.RuneCountInString(prefix) < formLeast {
		return
	}
	type form struct {
		text string
		urls int64
	}
	var all []form
	p.look.Dictionary([]string{prefix}, utf8.RuneCountInString(prefix), utf8.RuneCountInString(prefix)+formEnding, formLimit,
		func(other string, urls int64) {
			if other != word && stemOf(stemmer, other) == stem {
				all = append(all, form{other, urls})
			}
		})
	p.finish = append(p.finish, func() {
		slices.SortFunc(all, func(a, b form) int { return cmp.Or(cmp.Compare(b.urls, a.urls), cmp.Compare(a.text, b.text)) })
		for _, f := range all[:min(len(all), formsMost)] {
			if !slices.Contains(p.forms[word], f.text) {
				p.forms[word] = append(p.forms[word], f.text)
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
