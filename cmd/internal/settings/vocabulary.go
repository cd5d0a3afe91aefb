package settings

import (
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
)

// Vocabulary returns the synonyms, stop words, key matches and texts that are never suggested of searchd.conf and its files. A problem is a config.Errors.
func Vocabulary(c *config.Search, rules *document.Rules) (*search.Vocabulary, error) {
	v := search.NewVocabulary(rules.Stored)
	var errs config.Errors
	problem := func(file string, line int, keyword string, err error) {
		if err != nil {
			errs = append(errs, config.Error{File: file, Line: line, Keyword: keyword, Reason: err.Error()})
		}
	}
	for _, list := range c.QueryStopwords {
		v.AddStopWords(list.Lang, list.Words)
	}
	for _, g := range c.Synonyms {
		problem(g.File, g.Line, "SynonymFile", v.AddSynonyms(g.Lang, g.Texts, g.Instead))
	}
	for _, k := range c.KeyMatches {
		kind := map[string]search.KeyMatchKind{
			config.KeyExact: search.ExactMatch, config.KeyPhrase: search.PhraseMatch, config.KeyWord: search.KeywordMatch,
		}[k.Kind]
		problem(k.File, k.Line, "KeyMatch", v.AddKeyMatch(kind, k.Query, search.KeyMatch{URL: k.URL, Title: k.Title}))
	}
	for _, t := range c.SuggestNever {
		problem(t.File, t.Line, "SuggestNever", v.AddNever(t.Text))
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return v, nil
}
