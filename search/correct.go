package search

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/pgseek/pgseek/search/query"
)

// correct lets a word that no document has be found by the word that spell suggests for it, as by another form. Words of
// phrases and words with digits are left as they are. What is written without a blank (io.Txet) falls into its words.
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
	p.tree = cutUnits(p.tree, absent)
	p.askWords()
	return p.look.Send(ctx)
}

// absent returns the words of the query, outside of quoted phrases and exclusions, that no document has in any form. ASPseek's
// ranking knows no corrections.
func (p *plan) absent() (words []string) {
	if p.req.Ranking != ByRelevance {
		return nil
	}
	add := func(w query.Word) {
		if !p.has(w.Text) && !slices.ContainsFunc(p.forms[w.Text], p.has) && !strings.ContainsFunc(w.Text, unicode.IsDigit) {
			words = append(words, w.Text)
		}
	}
	query.Walk(p.tree, func(n query.Node, positive bool) bool {
		if !positive {
			return true
		}
		if w, ok := n.(query.Word); ok {
			add(w)
		}
		if unit, ok := n.(query.Phrase); ok && unit.OnlyWords() {
			for _, s := range unit.Steps {
				add(s.Item.(query.Word))
			}
		}
		return true
	})
	return words
}

// cutUnits returns a tree in which the terms that are units with any of the words are their words.
func cutUnits(n query.Node, words []string) query.Node {
	and := asAnd(n)
	var terms []query.Term
	for _, t := range and.Terms {
		unit, ok := t.Node.(query.Phrase)
		cut := ok && unit.OnlyWords() && slices.ContainsFunc(unit.Steps, func(s query.PhraseStep) bool {
			return slices.Contains(words, s.Item.(query.Word).Text)
		})
		if !cut {
			terms = append(terms, t)
			continue
		}
		for i, s := range unit.Steps {
			term := query.Term{Skip: s.Skip, Node: s.Item.(query.Word), Must: t.Must}
			if i == 0 {
				term.Skip = t.Skip
			}
			terms = append(terms, term)
		}
	}
	if len(terms) == len(and.Terms) {
		return n
	}
	and.Terms = terms
	return and
}
