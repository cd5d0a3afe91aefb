package e2e

import (
	"math"
	"slices"

	"github.com/pgseek/pgseek/search/query"
)

// A scorer computes the score of documents by the formula at the head of search/rank.go, from the words that they have.
type scorer struct {
	o     *oracle
	terms []scoreTerm
	words []scoreWord // whose places count
}

// A scoreTerm is a word, a pattern or a phrase of the query that is not excluded.
type scoreTerm struct {
	node        query.Node
	idf, weight float64
	inside      []query.Node // Ands of the query that the document must match for the term to count
}

// A scoreWord counts in a document that has the term, which is the word or a phrase around it.
type scoreWord struct {
	query.Word
	idf    float64
	within scoreTerm
}

func newScorer(o *oracle, root query.Node) *scorer {
	s := &scorer{o: o}
	and, ok := root.(query.And)
	if !ok {
		and.Terms = []query.Term{{Node: root}}
	}
	for _, t := range and.Terms {
		unit, ok := t.Node.(query.Phrase)
		if !ok || !unit.OnlyWords() {
			s.add(t.Node)
			continue
		}
		for leaf := range query.Leaves(unit) {
			s.add(leaf.(query.Word))
		}
		weight := 0.3
		if unit.Name {
			weight = 0.6
		}
		s.terms = append(s.terms, scoreTerm{node: unit, idf: s.idf(unit), weight: weight})
	}
	return s
}

// add adds the terms of a node.
func (s *scorer) add(n query.Node, inside ...query.Node) {
	switch n := n.(type) {
	case query.And:
		inside = append(slices.Clone(inside), n)
		for _, t := range n.Terms {
			s.add(t.Node, inside...)
		}
	case query.Or:
		for _, a := range n.Any {
			s.add(a, inside...)
		}
	case query.Phrase:
		t := scoreTerm{node: n, idf: s.idf(n), weight: 1, inside: inside}
		s.terms = append(s.terms, t)
		for _, step := range n.Steps {
			if word, ok := step.Item.(query.Word); ok {
				s.addWord(word, t)
			}
		}
	default:
		t := scoreTerm{node: n, idf: s.idf(n), weight: 1, inside: inside}
		if slices.ContainsFunc(s.terms, func(o scoreTerm) bool { _, phrase := o.node.(query.Phrase); return !phrase && o.node == n }) {
			t.weight = 0.7
		}
		s.terms = append(s.terms, t)
		if word, ok := n.(query.Word); ok {
			s.addWord(word, t)
		}
	}
}

func (s *scorer) addWord(w query.Word, within scoreTerm) {
	if !slices.ContainsFunc(s.words, func(o scoreWord) bool { return o.Word == w }) {
		s.words = append(s.words, scoreWord{w, s.idf(w), within})
	}
}

// counts reports whether a term counts in a document.
func (j judge) counts(t scoreTerm) bool {
	return j.node(t.node).ok && !slices.ContainsFunc(t.inside, func(n query.Node) bool { return !j.node(n).ok })
}

// idf returns the weight of a node by the numbers of documents in wordurl; that of a phrase is the sum of its words'.
func (s *scorer) idf(n query.Node) (sum float64) {
	of := func(n int64) float64 {
		n = min(n, s.o.documents)
		return math.Log(1 + (float64(s.o.documents-n)+0.5)/(float64(n)+0.5))
	}
	for leaf := range query.Leaves(n) {
		switch leaf := leaf.(type) {
		case query.Word:
			sum += of(s.o.urlcount[leaf.Text])
		case query.Pattern:
			all := int64(0)
			for word, n := range s.o.urlcount {
				if leaf.Matches(word) {
					all += n
				}
			}
			sum += of(all)
		}
	}
	return sum
}

// score returns what the terms and the link rank of a document give.
func (s *scorer) score(d *oracleDoc) (sum float64) {
	j := judge{d: d}
	norm := 1.0
	if d.length > 0 {
		norm = 0.25 + 0.75*math.Expm1(float64(d.length)/16)/max(s.o.average, 1)
	}
	for _, t := range s.terms {
		if !j.counts(t) {
			continue
		}
		x := 0.0
		if pattern, ok := t.node.(query.Pattern); ok {
			for word := range d.words {
				if pattern.Matches(word) {
					x += weighted(j.word(word, pattern.Sections).places, norm)
				}
			}
		} else {
			v := j.node(t.node)
			if x = weighted(v.places, norm); v.times != nil {
				x = weighted(v.times, norm)
			}
		}
		sum += t.weight * t.idf * 2.2 * x / (1.2 + x)
	}
	return sum + 0.1*float64(d.link)/2000
}

func weighted(places []int, norm float64) (x float64) {
	for _, p := range places {
		x += []float64{1 / norm, 2, 2, 3}[p/apart]
	}
	return x
}

// places returns what the places of the words give.
func (s *scorer) places(d *oracleDoc) (sum float64) {
	j := judge{d: d}
	of := make([][]int, len(s.words))
	for i, w := range s.words {
		if j.counts(w.within) {
			of[i] = j.word(w.Text, w.Sections).places
		}
	}
	for i := range of {
		for k := range of[:i] {
			if i-k > 1 && len(of) > 6 {
				continue
			}
			v := 0.0
			for _, a := range of[i] {
				for _, b := range of[k] {
					if distance := max(a-b, b-a); distance > 0 && distance <= 8 {
						v += 1 / float64(distance*distance)
					}
				}
			}
			sum += min(s.words[i].idf, s.words[k].idf) * v / (v + 1)
		}
	}
	last, idf := 0, 0.0
	for i, all := range of {
		n, _ := slices.BinarySearch(all, 3*apart)
		if n == len(all) {
			return sum
		}
		last, idf = max(last, all[n]%apart+1), idf+s.words[i].idf
	}
	if last > 0 {
		sum += 0.3 * idf * min(1, float64(len(of))/float64(last))
	}
	return sum
}

// rankByRelevance gives documents their ranks and sorts them.
func (o *oracle) rankByRelevance(root query.Node, all []answer, before func(a, b answer) int) {
	s := newScorer(o, root)
	docs := map[int32]*oracleDoc{}
	for _, d := range o.docs {
		docs[d.id] = d
	}
	rank := func(score float64) uint32 { return uint32(score * (1 << 20)) }
	score := map[int32]float64{}
	for i := range all {
		a := &all[i]
		score[a.URLID] = s.score(docs[a.URLID])
		a.Rank = rank(o.weigh(docs[a.URLID].url) * score[a.URLID])
	}
	slices.SortFunc(all, before)
	for i := range all[:min(len(all), 100)] {
		a := &all[i]
		a.Rank = rank(o.weigh(docs[a.URLID].url) * (score[a.URLID] + s.places(docs[a.URLID])))
	}
}
