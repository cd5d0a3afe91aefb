package search

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"github.com/pgseek/pgseek/search/query"
)

// evidence holds, for a document that may be among the best, the values that decide its final rank. The positions are copied
// as they are stored, and read only if the document is ranked again: most evidence is replaced by that of a better document.
type evidence struct {
	raw   []byte       // encoded positions, one occurrence after the other
	of    []occurrence // in the order of the scoring's near words
	terms []TermPart   // if parts are explained
	score float64
	near  float64
	title float64

	length byte
}

// An occurrence is one written form of a near word in a document.
type occurrence struct {
	near     int            // number of the word
	sections query.Sections // that count
	end      int            // of its positions in raw
}

// keptPositions is the size of a buffer of positions that is kept for another query, in bytes.
const keptPositions = 4 << 10

// evidencePool keeps evidence that is no longer used, with its buffers.
var evidencePool = sync.Pool{New: func() any { return new(evidence) }}

// free makes evidence available to other documents. It may be nil.
func (e *evidence) free() {
	if e == nil {
		return
	}
	if cap(e.raw) > keptPositions {
		e.raw = nil
	}
	evidencePool.Put(e)
}

// evidence collects the evidence of the current document, to which all terms have been moved.
func (s *scoring) evidence(at place, score float64, length byte, explain bool) *evidence {
	e := evidencePool.Get().(*evidence)
	*e = evidence{raw: e.raw[:0], of: e.of[:0], score: score, length: length}
	for i := range s.near {
		if w := &s.near[i]; w.within.counts(at) {
			e.add(i, w, at, len(s.near) == 1)
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

// add copies the positions of a near word; with title only those in the title, which are all that the only word of a query
// needs.
func (e *evidence) add(near int, w *nearWord, at place, title bool) {
	for _, c := range w.words {
		if c.at != at {
			continue
		}
		raw := c.raw
		if title {
			raw = section(raw, 3)
		}
		e.raw = append(e.raw, raw...)
		e.of = append(e.of, occurrence{near, c.sections, len(e.raw)})
	}
	if before := len(e.raw); len(w.within.synonyms) > 0 {
		for _, p := range w.within.appendSynonymPositions(nil, at) {
			e.raw = binary.LittleEndian.AppendUint16(e.raw, p)
		}
		if len(e.raw) > before {
			e.of = append(e.of, occurrence{near, 0, len(e.raw)})
		}
	}
}

// positions returns the positions of each near word, ascending. They are valid until the next call.
func (s *scoring) positions(e *evidence) [][]uint16 {
	if s.places == nil {
		s.places = make([][]uint16, len(s.near))
	}
	for i := range s.places {
		s.places[i] = s.places[i][:0]
	}
	from := 0
	for i, o := range e.of {
		list := s.places[o.near]
		for ; from < o.end; from += 2 {
			if p := binary.LittleEndian.Uint16(e.raw[from:]); o.sections.Has(int(p >> 14)) {
				list = append(list, p)
			}
		}
		if i > 0 && e.of[i-1].near == o.near {
			slices.Sort(list)
			list = slices.Compact(list)
		}
		s.places[o.near] = list
	}
	return s.places
}

// judge computes what the places of the words add to the score.
func (s *scoring) judge(e *evidence) {
	e.near = 0
	positions := s.positions(e)
	for i := range positions {
		for j := i + 1; j < len(positions) && (j == i+1 || len(positions) <= allPairs); j++ {
			if v := nearness(positions[i], positions[j]); v > 0 {
				e.near += min(s.near[i].idf, s.near[j].idf) * v / (v + 1)
			}
		}
	}
	e.title = s.titleOf(positions)
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
