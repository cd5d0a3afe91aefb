package search

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgseek/pgseek/search/query"
)

// A synonymSource is a text whose words in a query are also searched as other texts.
type synonymSource struct {
	words    []textWord
	language string // empty = any
	synonyms []synonym
}

// A synonym is a word, or several that count as a phrase.
type synonym struct {
	text  string // of its words
	words []textWord
}

// AddSynonyms adds a group of texts that are found for each other or, if instead is not empty, those of instead for each
// of texts. A language restricts it to queries in that language; empty = any. The error names the text.
func (v *Vocabulary) AddSynonyms(language string, texts, instead []string) error {
	all := make([]synonym, 0, len(texts)+len(instead))
	for _, text := range slices.Concat(texts, instead) {
		words, err := v.cut(text)
		if err != nil {
			return &TextError{text, err}
		}
		all = append(all, synonym{textOf(words), words})
	}
	for i, from := range all[:len(texts)] {
		source := synonymSource{words: from.words, language: language}
		others := all[len(texts):]
		if len(instead) == 0 {
			others = slices.Concat(all[:i], all[i+1:])
		}
		for _, s := range others {
			if s.text != from.text && !slices.ContainsFunc(source.synonyms, func(o synonym) bool { return o.text == s.text }) {
				source.synonyms = append(source.synonyms, s)
			}
		}
		if len(source.synonyms) > 0 {
			bucket := bucketOf(from.words[0].text)
			v.synonyms[bucket] = append(v.synonyms[bucket], source)
		}
	}
	return nil
}

// A TextError is a text of a vocabulary that cannot be used.
type TextError struct {
	Text string
	Err  error
}

func (e *TextError) Error() string { return strconv.Quote(e.Text) + ": " + e.Err.Error() }
func (e *TextError) Unwrap() error { return e.Err }

func textOf(words []textWord) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("* ", w.skip) + w.text)
	}
	return b.String()
}

// maxSynonyms is the maximum number of synonyms of a word of a query: each is a list of postings to read.
const maxSynonyms = 16

// withSynonyms finds the synonyms of the words of the query, outside of phrases and exclusions. Each word of a text of
// several words gets the synonyms of the text, so that a document with one of them has all these words.
func (p *plan) withSynonyms(v *Vocabulary) {
	if v == nil || len(v.synonyms) == 0 || p.req.NoSynonyms {
		return
	}
	languages := p.req.Forms
	if len(languages) == 0 || slices.Contains(languages, DocumentLanguages) {
		languages = p.languages
	}
	f := synonymFinder{v: v, languages: languages, comparer: newComparer(languages), found: map[string][]synonym{}}
	if len(p.req.Forms) == 0 {
		f.comparer.languages = nil
	}
	for n := range positive(p.req.Query.Root) {
		f.node(n)
	}
	if p.synonyms = f.found; len(f.units) > 0 {
		p.tree = f.spread(p.tree, p.req.All || p.req.Ranking == ByASPseek)
	}
}

// positive yields the nodes that are not excluded.
func positive(n query.Node) func(yield func(query.Node) bool) {
	return func(yield func(query.Node) bool) {
		more := true
		query.Walk(n, func(n query.Node, positive bool) bool {
			if more && positive {
				more = yield(n)
			}
			return more && positive
		})
	}
}

type synonymFinder struct {
	v *Vocabulary
	*comparer
	languages []string
	found     map[string][]synonym
	units     map[string][]synonym // what is written without a blank, by its words
}

// node looks for texts with synonyms among the terms of an And, in a word, and in what is written without a blank.
func (f *synonymFinder) node(n query.Node) {
	switch n := n.(type) {
	case query.Word:
		f.words([]textWord{{text: n.Text}})
	case query.Phrase:
		if n.OnlyWords() {
			f.unit(n)
		}
	case query.And:
		var run []textWord
		for i, t := range n.Terms {
			word, ok := t.Node.(query.Word)
			if !ok {
				f.words(run)
				run = nil
				continue
			}
			if i > 0 && len(run) > 0 && word.Sections != n.Terms[i-1].Node.(query.Word).Sections {
				f.words(run)
				run = nil
			}
			run = append(run, textWord{word.Text, t.Skip})
		}
		f.words(run)
	}
}

// words looks for texts of several words within a run of words, and for a single one.
func (f *synonymFinder) words(run []textWord) {
	for i := range run {
		for s := range f.sources(run[i:]) {
			if len(s.words) == 1 && len(run) > 1 {
				continue // that word is a node of its own
			}
			for _, w := range run[i : i+len(s.words)] {
				f.found[w.text] = merged(f.found[w.text], s.synonyms)
			}
		}
	}
}

// merged adds synonyms to a list that has none twice.
func merged(list, more []synonym) []synonym {
	for _, s := range more {
		if len(list) < maxSynonyms && !slices.ContainsFunc(list, func(o synonym) bool { return o.text == s.text }) {
			list = append(list, s)
		}
	}
	return list
}

// sources yields the texts with which a run of words begins.
func (f *synonymFinder) sources(run []textWord) func(yield func(*synonymSource) bool) {
	return func(yield func(*synonymSource) bool) {
		bucket := f.v.synonyms[bucketOf(run[0].text)]
		for i := range bucket {
			s := &bucket[i]
			if len(s.words) > len(run) || s.language != "" && !slices.Contains(f.languages, s.language) {
				continue
			}
			same := true
			for k, w := range s.words {
				same = same && (k == 0 || w.skip == run[k].skip) && f.same(run[k].text, w.text)
			}
			if same && !yield(s) {
				return
			}
		}
	}
}

// unit looks for a text among the words of what is written without a blank.
func (f *synonymFinder) unit(n query.Phrase) {
	run := stepsOf(n)
	for s := range f.sources(run) {
		if len(s.words) != len(run) {
			continue
		}
		if f.units == nil {
			f.units = map[string][]synonym{}
		}
		f.units[textOf(run)] = merged(f.units[textOf(run)], s.synonyms)
		for _, w := range run {
			f.found[w.text] = merged(f.found[w.text], s.synonyms)
		}
	}
}

func stepsOf(n query.Phrase) (run []textWord) {
	for _, s := range n.Steps {
		run = append(run, textWord{s.Item.(query.Word).Text, s.Skip})
	}
	return run
}

// spread returns the tree with units that have synonyms as their words, or, if documents must have all words, as
// alternatives.
func (f *synonymFinder) spread(n query.Node, all bool) query.Node {
	switch n := n.(type) {
	case query.Phrase:
		if !n.OnlyWords() || f.units[textOf(stepsOf(n))] == nil {
			return n
		}
		if all || n.Sections != 0 {
			return alternatives(n, f.units[textOf(stepsOf(n))])
		}
		words := query.And{}
		for i, s := range n.Steps {
			t := query.Term{Skip: s.Skip, Node: s.Item.(query.Word)}
			if i == 0 {
				t.Skip = 0
			}
			words.Terms = append(words.Terms, t)
		}
		return words
	case query.And:
		terms := make([]query.Term, 0, len(n.Terms))
		for _, t := range n.Terms {
			node := f.spread(t.Node, all || t.Condition())
			if group, ok := node.(query.And); ok && !t.Condition() {
				group.Terms[0].Skip = t.Skip
				terms = append(terms, group.Terms...)
				continue
			}
			terms = append(terms, query.Term{Skip: t.Skip, Node: node, Must: t.Must})
		}
		n.Terms = terms
		return n
	}
	return n
}

// alternatives returns an Or of a unit and its synonyms.
func alternatives(n query.Phrase, synonyms []synonym) query.Or {
	or := query.Or{Any: []query.Node{n}}
	for _, s := range synonyms {
		if len(s.words) == 1 {
			or.Any = append(or.Any, query.Word{Text: s.words[0].text, Sections: n.Sections})
			continue
		}
		phrase := query.Phrase{Sections: n.Sections}
		for _, w := range s.words {
			phrase.Steps = append(phrase.Steps, query.PhraseStep{Skip: w.skip, Item: query.Word{Text: w.text, Sections: n.Sections}})
		}
		or.Any = append(or.Any, phrase)
	}
	return or
}

// synonymWords yields the words of all synonyms, or only of those of one word.
func (p *plan) synonymWords(alone bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, list := range p.synonyms {
			for _, s := range list {
				if alone && len(s.words) > 1 {
					continue
				}
				for _, w := range s.words {
					if !yield(w.text) {
						return
					}
				}
			}
		}
	}
}

// wordsOf returns a word, its variants and other forms, and the words of its synonyms with theirs.
func (p *plan) wordsOf(word string) []string {
	all := append([]string{word}, p.written(word)...)
	for _, s := range p.synonyms[word] {
		for _, w := range s.words {
			all = append(all, w.text)
		}
		if len(s.words) == 1 {
			all = append(all, p.written(s.words[0].text)...)
		}
	}
	return all
}

// meantWords returns the words by which a word is marked in excerpts: its other forms and synonyms. Stop words of a
// synonym of several words are not marked.
func (p *plan) meantWords(word string) []string {
	all := p.written(word)
	for _, s := range p.synonyms[word] {
		for _, w := range s.words {
			if len(s.words) == 1 || !slices.ContainsFunc(p.languages, func(l string) bool { return p.vocabulary.isStop(l, w.text) }) {
				all = append(all, w.text)
			}
		}
		if len(s.words) == 1 {
			all = append(all, p.written(s.words[0].text)...)
		}
	}
	return all
}

// A synonymCursor is the cursor of a synonym within that of a word.
type synonymCursor struct {
	cursor
	text   string
	at     place
	words  []*wordCursor // of a synonym of one word: itself and its other forms
	phrase bool
}

func (c *synonymCursor) seek(p place) place {
	if c.at < p {
		c.at = c.cursor.seek(p)
	}
	return c.at
}

func (c *synonymCursor) weighted(norm float64) float64 {
	if c.phrase {
		return formWeight * c.cursor.weighted(norm)
	}
	return c.cursor.weighted(norm) // these cursors have the weight of other forms already
}

func (c *synonymCursor) score(s *score) {
	c.cursor.score(s)
	s.exact = false
}

// synonymCursors returns the cursors of the synonyms of a word, and adds their documents to n.
func (p *plan) synonymCursors(word string, sections query.Sections, n *anyCount) (all []*synonymCursor) {
	for _, s := range p.synonyms[word] {
		c := &synonymCursor{text: s.text, phrase: len(s.words) > 1}
		if c.phrase {
			steps := make([]phraseStep, len(s.words))
			least := int64(-1)
			for i, w := range s.words {
				steps[i] = phraseStep{skip: w.skip, word: p.reader(p.words[w.text], sections, true)}
				if n := p.documentsOf(w.text); least < 0 || n < least {
					least = n
				}
			}
			c.cursor = newPhrase(steps)
			n.add(least)
		} else {
			words, of := p.readers(query.Word{Text: s.words[0].text}, sections, alone, true)
			for _, w := range words {
				w.exact, w.weight = false, formWeight
			}
			c.words, c.cursor = words, anyOf(words)
			n.add(of.estimate())
		}
		all = append(all, c)
	}
	return all
}

func (p *plan) documentsOf(word string) int64 {
	if w := p.words[word]; w != nil {
		return w.urls
	}
	return 0
}

// appendSynonymPositions appends the positions at which synonyms of several words begin in a document.
func (c *termCursor) appendSynonymPositions(all []uint16, at place) []uint16 {
	for _, s := range c.synonyms {
		if s.phrase && s.at == at {
			for _, o := range s.appendOffsets(nil) {
				all = append(all, uint16(o.section())<<14|uint16(o.ordinal()))
			}
		}
	}
	return all
}

// synonymsAt returns the synonyms that the current document has.
func (c *termCursor) synonymsAt(at place) (texts []string) {
	for _, s := range c.synonyms {
		if s.at == at {
			texts = append(texts, s.text)
		}
	}
	return texts
}

// hasSynonym reports whether any document may have a synonym of a word.
func (p *plan) hasSynonym(word string) bool {
	return slices.ContainsFunc(p.synonyms[word], func(s synonym) bool {
		if len(s.words) == 1 && slices.ContainsFunc(p.written(s.words[0].text), p.has) {
			return true
		}
		return !slices.ContainsFunc(s.words, func(w textWord) bool { return !p.has(w.text) })
	})
}

// synonymTexts returns the synonyms of a word as texts.
func (p *plan) synonymTexts(word string) (texts []string) {
	for _, s := range p.synonyms[word] {
		texts = append(texts, s.text)
	}
	return texts
}

// fillSynonyms sets the words of synonyms from the cached ones. It returns false unless all are cached.
func (p *plan) fillSynonyms(cached map[string]*stored) bool {
	for word := range p.synonymWords(false) {
		w, ok := cached[word]
		if !ok {
			return false
		}
		p.words[word] = w
	}
	return true
}
