package search

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/pgseek/pgseek/search/query"
)

// correct lets a word that no document has be found by the word that spell suggests for it, as by another form. Words of
// phrases and words with digits are left as they are.
func (p *plan) correct(ctx context.Context) (err error) {
	absent := p.absent()
	if len(absent) == 0 {
		return nil
	}
	if p.spelling, err = p.spell(ctx); err != nil {
		return err
	}
	var used bool
	for i := range p.spelling {
		s := &p.spelling[i]
		if s.Used = slices.Contains(absent, s.Word); s.Used {
			if p.forms == nil {
				p.forms = map[string][]string{}
			}
			p.forms[s.Word] = append(slices.Clone(p.forms[s.Word]), s.Instead)
			used = true
		}
	}
	if !used {
		return nil
	}
	p.askWords()
	return p.look.Send(ctx)
}

// absent returns the words of the query, outside of phrases and exclusions, that no document has in any form. ASPseek's ranking
// knows no corrections.
func (p *plan) absent() (words []string) {
	if p.req.Ranking != ByRelevance {
		return nil
	}
	query.Walk(p.tree, func(n query.Node, positive bool) bool {
		if w, ok := n.(query.Word); ok && positive && !p.has(w.Text) && !slices.ContainsFunc(p.written(w.Text), p.has) && !p.hasSynonym(w.Text) &&
			!strings.ContainsFunc(w.Text, unicode.IsDigit) {
			words = append(words, w.Text)
		}
		return true
	})
	return words
}
