package search

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/pgseek/pgseek/search/query"
)

// correct replaces a word that no document has by the word that spell suggests for it. Words of
// phrases and words with digits are left as they are. What is written without a blank (io.Txet) falls into its words.
func (p *plan) correct(ctx context.Context) (err error) {
	absent := p.absent()
	if len(absent) == 0 {
		return nil
	}
	if p.spelling, err = p.spell(ctx); err != nil {
		return err
	}
	instead := map[string]string{}
	for i := range p.spelling {
		if s := &p.spelling[i]; slices.Contains(absent, s.Word) {
			s.Used, instead[s.Word] = true, s.Instead
		}
	}
	if len(instead) == 0 {
		return nil
	}
	if p.forms == nil {
		p.forms = map[string][]string{}
	}
	p.tree = replaceWords(cutUnits(p.tree, instead), instead)
	p.askForms(slices.Sorted(maps.Values(instead)))
	if err := p.look.Send(ctx); err != nil {
		return err
	}
	p.finished()
	for word, meant := range instead { // for excerpts and counts, which have the words as typed
		p.forms[word] = append([]string{meant}, p.forms[meant]...)
	}
	p.askWords()
	return p.look.Send(ctx)
}

// replaceWords returns a tree with other words outside of phrases and exclusions.
func replaceWords(n query.Node, instead map[string]string) query.Node {
	switch n := n.(type) {
	case query.Word:
		if meant, ok := instead[n.Text]; ok {
			n.Text = meant
		}
		return n
	case query.Or:
		n.Any = slices.Clone(n.Any)
		for i := range n.Any {
			n.Any[i] = replaceWords(n.Any[i], instead)
		}
		return n
	case query.And:
		n.Terms = slices.Clone(n.Terms)
		for i := range n.Terms {
			n.Terms[i].Node = replaceWords(n.Terms[i].Node, instead)
		}
		return n
	}
	return n
}

// absent returns the words of the query, outside of quoted phrases and exclusions, that no document has in any form. ASPseek's
// ranking knows no corrections.
func (p *plan) absent() (words []string) {
	if p.req.Ranking != ByRelevance {
		return nil
	}
	add := func(w query.Word) {
		if !p.has(w.Text) && !slices.ContainsFunc(p.written(w.Text), p.has) && !p.hasSynonym(w.Text) && !strings.ContainsFunc(w.Text, unicode.IsDigit) {
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
func cutUnits(n query.Node, words map[string]string) query.Node {
	and := asAnd(n)
	var terms []query.Term
	for _, t := range and.Terms {
		unit, ok := t.Node.(query.Phrase)
		cut := ok && unit.OnlyWords() && slices.ContainsFunc(unit.Steps, func(s query.PhraseStep) bool {
			_, ok := words[s.Item.(query.Word).Text]
			return ok
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
