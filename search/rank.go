package search

import (
	"cmp"
	"math"
)

// The rank of a document is aspseek.md 9.3. Of each document that matches, 16 bits say how it does:
//
//	15     the words themselves were found, not other forms of them
//	13-14  the best section that all terms have: 0 body, 1 description, 2 keywords, 3 title
//	11-12  of several terms, how much of them stands together as one phrase: 3 all, 2 two pairs of neighbours or more, 1 one pair
//	0-10   outside of the body, how near to the beginning of its section (of one word or a phrase it is bits 0-12)
//
// and its link rank says how much the rest of the documents think of it. Outside of the body the 16 bits come first and the link
// rank decides between equal ones; in the body only the upper five bits come first.
//
// In the body ASPseek went by the link rank alone, so that a much cited page that mentions a word once went before the one that
// is about it. Here a match in the body counts as often as it is there, like a document that is cited so often: the link rank of
// 2000 ln(10 rank) becomes 2000 ln(10 rank occurrences). Of the terms in the PostgreSQL manual's own index that name one page,
// 80.5 % had it among the first three before, 87.0 % since.
//
// ASPseek's phrases had the section one bit too high, and its distance counted in the body too (aspseek.md 12, 10): not here.

// A score is how a document matches a term or a query.
type score struct {
	exact   bool
	section int8      // 0 body, 1 description, 2 keywords, 3 title
	kind    scoreKind // what the bits below the section mean
	phrase  int8      // of several terms, 0 to 3
	ordinal int32     // place in the section
	count   int32     // how often it is there; of several terms how often their phrase is, else the rarest of them
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
	bodyPhrase  = 0x3000    // a phrase in the body goes before what stands far behind in a description
)

// bits are the 16 bits.
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

// compare orders scores by what they are worth. Different ones may be worth the same: which of them an OR shows must not
// depend on the order in which its words were met.
func (s score) compare(t score) int {
	return cmp.Or(cmp.Compare(s.bits(), t.bits()), cmp.Compare(s.section, t.section), cmp.Compare(s.phrase, t.phrase),
		cmp.Compare(s.kind, t.kind), cmp.Compare(t.ordinal, s.ordinal))
}

// inverted is most for the first place of a section, and for one that does not count.
func inverted(ordinal int32, most int32) uint16 { return uint16(most - min(max(ordinal, 0), most)) }

// rankOf is the rank of a document with that score and link rank.
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

// linkScale is how much the link rank grows when a document's rank is e times as high.
const linkScale = 2000

// often is a link rank with occurrences.
func often(link uint16, count int32) uint16 {
	if count < 2 {
		return link
	}
	if int(count) < len(logarithms) {
		return uint16(min(int(link)+int(logarithms[count]), math.MaxUint16))
	}
	return uint16(min(int(link)+int(linkScale*math.Log(float64(count))), math.MaxUint16))
}

// logarithms of small numbers, in units of the link rank.
var logarithms = func() (l [256]uint16) {
	for i := 2; i < len(l); i++ {
		l[i] = uint16(linkScale * math.Log(float64(i)))
	}
	return l
}()

// linkRank is urlrank.rank as the rank of a document has it (aspseek.md 5.8); 0 without one.
func linkRank(rank float32) uint16 {
	if rank <= 0.1 {
		return 0
	}
	return uint16(min(linkScale*math.Log(10*float64(rank)), math.MaxUint16))
}

// Parts say what the rank of a hit is made of, for people who ask why.
type Parts struct {
	Section string `json:"section"` // the best that all terms have: title, keywords, description or body
	Exact   bool   `json:"exact"`   // no other form of a word was needed
	Phrases int    `json:"phrases"` // of several terms: 3 = they stand as one phrase, 2 = two or more pairs of neighbours do, 1 = one, 0 = none
	Place   int    `json:"place"`   // where in the section, from 0; -1 when it does not count, as in the body
	Count   int    `json:"count"`   // in the body, how often it is there; 0 elsewhere
	Link    int    `json:"link"`    // link rank as it counts, 0 to 65535
	Site    int    `json:"site"`    // weight of the site (SiteWeight), which goes before all else
}

var sectionNames = [...]string{"body", "description", "keywords", "title"}

func (s score) parts(link uint16, site int) *Parts {
	p := &Parts{Section: sectionNames[s.section], Exact: s.exact, Phrases: int(s.phrase), Place: -1, Link: int(link), Site: site}
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
