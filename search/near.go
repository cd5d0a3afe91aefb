package search

import (
	"slices"
	"strings"
)

// evidence holds, for a document that may be among the best, the values that decide its final rank.
type evidence struct {
	positions [][]uint16 // of each near word of the scoring
	terms     []TermPart // if parts are explained
	score     float64
	length    byte
	near      float64
	title     float64
}

// Evidence is allocated for several documents at once.
const (
	evidenceAtOnce  = 32
	positionsAtOnce = 1024
)

// evidence collects the evidence of the current document, to which all terms have been moved.
func (s *scoring) evidence(at place, score float64, length byte, explain bool) *evidence {
	if len(s.slab) == 0 {
		s.slab, s.lists = make([]evidence, evidenceAtOnce), make([][]uint16, evidenceAtOnce*len(s.near))
	}
	e := &s.slab[0]
	s.slab = s.slab[1:]
	e.score, e.length = score, length
	if n := len(s.near); n > 0 {
		e.positions, s.lists = s.lists[:n:n], s.lists[n:]
		room := 0
		for i := range s.near {
			room += s.near[i].room(at)
		}
		if cap(s.buffer)-len(s.buffer) < room {
			s.buffer = make([]uint16, 0, max(room, positionsAtOnce))
		}
		for i := range s.near {
			from := len(s.buffer)
			s.buffer = s.near[i].positions(s.buffer, at, n == 1)
			e.positions[i] = s.buffer[from:len(s.buffer):len(s.buffer)]
		}
	}
	if explain {
		norm := s.norms[length]
		for _, t := range s.terms {
			if t.counts(at) {
				e.terms = append(e.terms, TermPart{Text: t.text, IDF: t.idf, Count: t.weighted(norm), Score: t.value(norm), Synonyms: t.synonymsAt(at)})
			}
		}
	}
	return e
}

// room returns the most positions that the word has in a document.
func (w *nearWord) room(at place) (n int) {
	for _, c := range w.words {
		if c.at == at {
			n += len(c.raw) / 2
		}
	}
	return n
}

// positions appends the positions of a word in a document, ascending; with title only those in the title, which are all that
// the only word of a query needs.
func (w *nearWord) positions(all []uint16, at place, title bool) []uint16 {
	if !w.within.counts(at) {
		return all
	}
	from, forms := len(all), 0
	for _, c := range w.words {
		if c.at != at {
			continue
		}
		forms++
		raw := c.raw
		if title {
			raw = section(raw, 3)
		}
		for i := range len(raw) / 2 {
			if p := positionAt(raw, i); c.sections.Has(int(p >> 14)) {
				all = append(all, p)
			}
		}
	}
	single := len(all)
	if all = w.within.appendSynonymPositions(all, at); forms > 1 || len(all) > single {
		slices.Sort(all[from:])
		all = all[:from+len(slices.Compact(all[from:]))]
	}
	return all
}

// judge computes what the places of the words add to the score.
func (s *scoring) judge(e *evidence) {
	e.near = 0
	for i := range e.positions {
		for j := i + 1; j < len(e.positions) && (j == i+1 || len(e.positions) <= allPairs); j++ {
			if v := nearness(e.positions[i], e.positions[j]); v > 0 {
				e.near += min(s.near[i].idf, s.near[j].idf) * v / (v + 1)
			}
		}
	}
	e.title = s.titleOf(e.positions)
}

// nearness returns Σ 1/distance² over the places of two words in one section that are near to each other.
func nearness(a, b []uint16) (v float64) {
	from := 0
	for _, p := range a {
		for from < len(b) && int(b[from]) < int(p)-nearMost {
			from++
		}
		for k := from; k < len(b) && int(b[k]) <= int(p)+nearMost; k++ {
			if d := int(b[k]) - int(p); d != 0 && b[k]>>14 == p>>14 {
				v += 1 / float64(d*d)
			}
		}
	}
	return v
}

// titleOf returns the bonus of a document whose title has all words. The part of the title behind the last of
// them does not count: it is often the name of the site.
func (s *scoring) titleOf(positions [][]uint16) float64 {
	sum, last := 0.0, 0
	for i, all := range positions {
		first, found := slices.BinarySearch(all, 3<<14)
		if !found && first == len(all) {
			return 0
		}
		last = max(last, ordinalOf(all[first])+1)
		sum += s.near[i].idf
	}
	if last == 0 {
		return 0
	}
	return titleBonus * sum * min(1, float64(len(positions))/float64(last))
}

// parts explains the rank of a document.
func (s *scoring) parts(h *found) *RelevanceParts {
	e := h.evidence
	if e == nil {
		return nil
	}
	links := linkScore(h.link)
	return &RelevanceParts{
		Score: round3(e.score + links + e.near + e.title), Terms: rounded(e.terms), Near: round3(e.near), Title: round3(e.title), Links: round3(links),
		Length: lengthOf(e.length), Average: int(s.average + 0.5),
	}
}

func rounded(terms []TermPart) []TermPart {
	for i := range terms {
		t := &terms[i]
		t.Text = strings.TrimSpace(t.Text)
		t.IDF, t.Count, t.Score = round3(t.IDF), round3(t.Count), round3(t.Score)
	}
	return terms
}
