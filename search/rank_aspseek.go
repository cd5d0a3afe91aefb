package search

import (
	"cmp"
	"math"
)

// ASPseek's order (Ranking aspseek). The rank of a document is computed from a 16-bit score of each match
// (docs/reference/behavior.md, ASPseek's ranking):
//
//	15     the exact words were found, not other forms of them
//	13-14  the best section that all terms have: 0 body, 1 description, 2 keywords, 3 title
//	11-12  of several terms, how much of them is one phrase: 3 all, 2 two or more neighboring pairs, 1 one pair
//	0-10   outside of the body, how near to the beginning of its section (of one word or a phrase it is bits 0-12)
//
// and from the link rank, which measures how much other documents link to it. Outside of the body the 16 bits
// come first and the link rank decides between equal ones. In the body only the upper five bits come first.
//
// ASPseek used the link rank alone in the body, so a much-cited page that mentions a word once came before
// the page that is about it. Here each occurrence in the body counts like a multiple of the citations: the
// link rank of 2000 ln(10 rank) becomes 2000 ln(10 rank occurrences). For the terms in the PostgreSQL
// manual's own index that name one page, this raised the share with that page among the first three results
// from 80.5 % to 87.0 %.
//
// Two errors of ASPseek are not repeated: the section of a phrase was one bit too high, and the distance
// counted in the body, too.

// A score describes how well a document matches a term or a query.
type score struct {
	exact   bool
	section int8      // 0 body, 1 description, 2 keywords, 3 title
	kind    scoreKind // what the bits below the section mean
	phrase  int8      // of several terms: bits 11-12, 0 to 3
	ordinal int32     // place in the section
	count   int32     // occurrences; of several terms those of their phrase, else those of the rarest term
}

type scoreKind int8

const (
	byWord scoreKind = iota
	byPhrase
	byTerms
	byLink // link: has no score
)

const (
	exactBit    = 1 << 15
	sectionBits = 3 << 13
	phraseBits  = 3 << 11
	placeBits   = 1<<13 - 1 // of a word and of a phrase
	nearBits    = 1<<11 - 1 // of several terms
	bodyPhrase  = 0x3000    // puts a phrase in the body before a match far behind in a description
)

// bits returns the 16 bits.
func (s score) bits() uint16 {
	w := uint16(s.section) << 13
	switch {
	case s.kind == byLink:
		return exactBit
	case s.kind == byTerms:
		w |= uint16(s.phrase) << 11
		if s.section > 0 {
			w |= inverted(s.ordinal, nearBits)
		}
	case s.section > 0:
		w |= inverted(s.ordinal, placeBits)
	case s.kind == byPhrase:
		w = bodyPhrase
	}
	if s.exact {
		w |= exactBit
	}
	return w
}

// compare orders scores by their value. Different scores may have the same value: which of them an Or shows
// must not depend on the order of its words.
func (s score) compare(t score) int {
	return cmp.Or(cmp.Compare(s.bits(), t.bits()), cmp.Compare(s.section, t.section), cmp.Compare(s.phrase, t.phrase),
		cmp.Compare(s.kind, t.kind), cmp.Compare(t.ordinal, s.ordinal))
}

// inverted returns most for ordinal 0, and less for later ones, down to 0.
func inverted(ordinal int32, most int32) uint16 { return uint16(most - min(max(ordinal, 0), most)) }

// rankOf returns the rank of a document with a score and a link rank.
func rankOf(s score, link uint16) uint32 {
	w := s.bits()
	if s.section == 0 {
		link = often(link, s.count)
	}
	if w&sectionBits != 0 {
		return uint32(w)<<16 + uint32(link)
	}
	return uint32(w&(exactBit|sectionBits|phraseBits))<<16 + uint32(link)<<11
}

// linkScale is the increase of the link rank for a factor of e in a document's rank.
const linkScale = 2000

// often returns a link rank increased by the number of occurrences.
func often(link uint16, count int32) uint16 {
	if count < 2 {
		return link
	}
	if int(count) < len(logarithms) {
		return uint16(min(int(link)+int(logarithms[count]), math.MaxUint16))
	}
	return uint16(min(int(link)+int(linkScale*math.Log(float64(count))), math.MaxUint16))
}

// logarithms has the logarithms of small numbers in units of the link rank.
var logarithms = func() (l [256]uint16) {
	for i := 2; i < len(l); i++ {
		l[i] = uint16(linkScale * math.Log(float64(i)))
	}
	return l
}()

// linkRank returns urlrank.rank in the logarithmic units of a document's rank; 0 without one.
func linkRank(rank float32) uint16 {
	if rank <= 0.1 {
		return 0
	}
	return uint16(min(linkScale*math.Log(10*float64(rank)), math.MaxUint16))
}

// ASPseekParts explain how the rank of a hit was computed with Ranking aspseek.
type ASPseekParts struct {
	Section string `json:"section"` // the best section that all terms have: title, keywords, description or body
	Exact   bool   `json:"exact"`   // no other form of a word was needed
	Phrases int    `json:"phrases"` // of several terms: 3 = one phrase, 2 = two or more neighboring pairs, 1 = one pair, 0 = none
	Place   int    `json:"place"`   // ordinal in the section, from 0; -1 if it does not count, as in the body
	Count   int    `json:"count"`   // occurrences in the body; 0 in other sections
}

var sectionNames = [...]string{"body", "description", "keywords", "title"}

func (s score) parts() *ASPseekParts {
	p := &ASPseekParts{Section: sectionNames[s.section], Exact: s.exact, Phrases: int(s.phrase), Place: -1}
	if s.kind == byPhrase {
		p.Phrases = 3
	}
	if s.section > 0 {
		p.Place = int(s.ordinal)
	} else {
		p.Count = int(s.count)
	}
	return p
}
