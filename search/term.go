package search

import (
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// A termCursor is the cursor of a term that adds to the score of a document.
type termCursor struct {
	cursor
	text     string
	idf      float64
	most     float64       // the score that no document exceeds: idf · (k1 + 1), times the weight of the term
	at       place         // where the cursor is
	guard    *guard        // nil = the term counts wherever it is
	unit     *unitMatch    // of a unit that is no condition
	words    []*wordCursor // of a word: itself, its other forms and synonyms
	synonyms []*synonymCursor
}

func (c *termCursor) seek(p place) place {
	if c.at < p {
		c.at = c.cursor.seek(p)
	}
	return c.at
}

// A guard is an And inside of the query. Its terms count only in the documents that it matches: it moves them past
// others.
type guard struct {
	cursor
	at     place
	parent *guard
}

func (g *guard) seek(p place) place {
	if g.at < p {
		g.at = g.cursor.seek(p)
	}
	return g.at
}

// matches reports whether the guard and all around it match a document.
func (g *guard) matches(at place) bool { return g == nil || g.parent.matches(at) && g.seek(at) == at }

// counts moves the term to a document and reports whether it counts there.
func (c *termCursor) counts(at place) bool {
	if c.unit != nil {
		return c.unit.matches(at)
	}
	return c.guard.matches(at) && c.seek(at) == at
}

// value returns the score of the current document's occurrences.
func (c *termCursor) value(norm float64) float64 { return c.most * saturated(c.weighted(norm)) }

// A nearWord is a word of the query whose positions count, for its nearness to others and for the title.
type nearWord struct {
	query.Word
	idf    float64
	words  []*wordCursor
	within *termCursor // the term that the document must have
}

// scoring holds the values by which a plan scores documents.
type scoring struct {
	norms   *norms
	average float64
	all     int64 // documents in the index
	terms   []*termCursor
	known   map[any]bool // words and patterns of terms
	near    []nearWord   // the words of the query, each once, in their order
	nearAll []nearWord   // with their repetitions
	guard   *guard       // the And around the terms that are added

	places [][]uint16 // buffers of positions
}

// newScoring returns the scoring of a state of the index.
func (p *plan) newScoring() *scoring {
	s := &scoring{all: p.state.Documents, known: map[any]bool{}}
	if s.all > 0 {
		s.average = float64(p.state.Positions) / float64(s.all)
	}
	s.norms = newNorms(s.average)
	return s
}

// add adds a term to the sum. A term that was added before weighs less.
func (s *scoring) add(c *termCursor, weight float64, key any) *termCursor {
	if key != nil && s.known[key] {
		weight *= againWeight
	} else if key != nil {
		s.known[key] = true
	}
	c.most, c.guard = weight*c.idf*(k1+1), s.guard
	s.terms = append(s.terms, c)
	return c
}

// addNear adds a word whose positions count, unless it is there already.
func (s *scoring) addNear(w nearWord) {
	s.nearAll = append(s.nearAll, w)
	if !slices.ContainsFunc(s.near, func(other nearWord) bool { return other.Word == w.Word }) {
		s.near = append(s.near, w)
	}
}

// leaveOut removes terms from the sum.
func (s *scoring) leaveOut(gone func(*termCursor) bool) {
	s.terms = slices.DeleteFunc(s.terms, gone)
	all := slices.DeleteFunc(s.nearAll, func(w nearWord) bool { return gone(w.within) })
	s.near, s.nearAll = nil, nil
	for _, w := range all {
		s.addNear(w)
	}
}

// scoredWord returns the cursor of a word, with its other forms if forms is set, that adds to the score.
func (p *plan) scoredWord(w query.Word, at runPlace, forms bool) *termCursor {
	c := &termCursor{text: w.Text}
	var n anyCount
	c.words, n = p.readers(w, w.Sections, at, forms)
	c.cursor = anyOf(c.words)
	any := []cursor{c.cursor}
	if forms {
		c.synonyms = p.synonymCursors(w.Text, w.Sections, &n)
		for _, s := range c.synonyms {
			c.words, any = append(c.words, s.words...), append(any, s)
		}
	}
	c.cursor, c.idf = newAny(any), idfOf(n.estimate(), p.scoring.all)
	p.scoring.add(c, 1, w)
	p.scoring.addNear(nearWord{Word: w, idf: c.idf, words: c.words, within: c})
	return c
}

// scoredPattern returns the cursor of a pattern that adds to the score.
func (p *plan) scoredPattern(n query.Pattern) *termCursor {
	documents := int64(0)
	for _, w := range p.patterns[n.Text] {
		documents += w.urls
	}
	c := &termCursor{cursor: p.pattern(n, n.Sections), text: n.Text, idf: idfOf(documents, p.scoring.all)}
	return p.scoring.add(c, 1, n)
}

// scoredPhrase returns the cursor of a phrase that adds to the score.
func (p *plan) scoredPhrase(n query.Phrase) *termCursor {
	steps, words := p.steps(n.Steps, n.Sections)
	c := &termCursor{cursor: newPhrase(steps), text: (&query.Query{Root: n}).String(), idf: p.phraseIDF(n)}
	p.scoring.add(c, 1, nil)
	for i, s := range n.Steps {
		if word, ok := s.Item.(query.Word); ok {
			near := nearWord{Word: word, idf: p.idf(word.Text), within: c}
			near.words = words[i]
			p.scoring.addNear(near)
		}
	}
	return c
}

// scoredUnit returns the terms of what is written without a blank: its words, and its phrase, which moves them.
func (p *plan) scoredUnit(n query.Phrase) (words []*termCursor, whole *termCursor) {
	steps := make([]phraseStep, len(n.Steps))
	for i, s := range n.Steps {
		word := p.scoredWord(s.Item.(query.Word), placeIn(i, len(n.Steps)), false)
		words = append(words, word)
		steps[i] = phraseStep{skip: s.Skip, word: word.cursor}
	}
	whole = &termCursor{cursor: newPhrase(steps), text: (&query.Query{Root: n}).String(), idf: p.phraseIDF(n)}
	weight := unitWeight
	if n.Name {
		weight = nameWeight
	}
	return words, p.scoring.add(whole, weight, nil)
}

// phraseIDF returns the weight of a phrase, whose number of documents is not known: the sum of those of its words,
// as if these were independent of each other.
func (p *plan) phraseIDF(n query.Phrase) (idf float64) {
	for leaf := range query.Leaves(n) {
		switch leaf := leaf.(type) {
		case query.Word:
			idf += p.idf(leaf.Text)
		case query.Pattern:
			documents := int64(0)
			for _, w := range p.patterns[leaf.Text] {
				documents += w.urls
			}
			idf += idfOf(documents, p.scoring.all)
		}
	}
	return idf
}

// idf returns the weight of a word without its other forms.
func (p *plan) idf(text string) float64 {
	n := int64(0)
	if w := p.words[text]; w != nil {
		n = w.urls
	}
	return idfOf(n, p.scoring.all)
}

// score returns the score of a document without its link rank. All terms are moved to it.
func (s *scoring) score(at place, length byte) (sum float64) {
	norm := s.norms[length]
	for _, t := range s.terms {
		if t.counts(at) {
			sum += t.value(norm)
		}
	}
	return sum
}
