package search

import (
	"math"

	"github.com/pgseek/pgseek/store/posting"
)

// The rank of a document is the sum of what each word of the query says about it: BM25F (S. Robertson,
// H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, sections 3.5 and 3.6).
//
//	score = Σ over the terms that the document has: q · idf · (k1 + 1) · x / (k1 + x)  + link
//	idf   = ln(1 + (N − n + ½) / (n + ½))     N documents in the index, n with the term
//	x     = title · 3 + keywords · 2 + description · 2 + body / (1 − b + b · length / average)
//
// title to body are occurrences in that section; those of another spelling of a word count 0.9, and of another form 0.6
// (spellings.go). n of a word with other spellings and forms is estimated as (largest + sum) / 2 of their n, the middle of what is
// possible. A term is a word, a pattern, a "phrase", or in addition to its words what is written without a blank (io.Text). The
// rank is the score, multiplied by the Weight of the document, in units of 1/rankUnit. The best rerankMost documents by this score also get
//
//   - for each pair of words that are near to each other: the smaller idf · v / (v + 1), where v = Σ 1/distance²
//     over the places where they are at most nearMost words apart;
//   - if all words are in the title: 0.3 · Σ idf · words / place of the last of them.
//
// Both are at least 0, so these documents stay before all others.
//
// The parameters were chosen by a simulation of this formula over the postings of test collections, by the nDCG of the ten best
// documents: adi, cran, cacm, med, npl, the terms of the index of Python's manual, and the names of manual pages. The gains
// beside them are that simulation's. Its optimum is flat: other values in the ranges given below changed the mean by at most 1 %.
const (
	k1         = 1.2  // saturation of occurrences: usual value, 0.9 to 2
	lengthPart = 0.75 // b, the weight of the length: usual value, 0.5 to 0.75

	// Weights of the sections and of other forms: 3 to 5 for the title, 0.6 to 1 for forms.
	titleWeight, keywordsWeight, descriptionWeight = 3, 2, 2
	formWeight                                     = 0.6

	againWeight = 0.7 // of a term each further time that it stands in the query: +.01 for whole abstracts; range 0.5 to 1
	unitWeight  = 0.3 // of wi-fi as a phrase, in addition to its words: +.004 for terms of manuals
	nameWeight  = 0.6 // of a unit that is written like a name in code (os.path): PostgreSQL's manual +.005, others within .001; range 0.3 to 0.8
	linkWeight  = 0.1 // of ln(10 · link rank); ASPseek's weight is about ten times as large, and does harm

	nearMost   = 8   // distance of words that are near to each other; weight of pairs 1, range 0.5 to 1
	titleBonus = 0.3 // of Σ idf
	rerankMost = 100 // 30 are as good within .002
	allPairs   = 6   // of more words only neighbors are pairs
	rankUnit   = 1 << 20
)

// idfOf returns the weight of a term that n of all documents have.
func idfOf(n, all int64) float64 {
	n = min(n, all)
	return math.Log1p((float64(all-n) + 0.5) / (float64(n) + 0.5))
}

// saturated returns the part of the most that x weighted occurrences give.
func saturated(x float64) float64 { return x / (k1 + x) }

// norms are the divisors of occurrences in the body, by the code of the document's length.
type norms [math.MaxUint8 + 1]float64

// codedLengths are the lengths that the codes stand for.
var codedLengths = func() (all [math.MaxUint8 + 1]float64) {
	for code := range all {
		all[code] = posting.CodedLength(byte(code))
	}
	return all
}()

// newNorms returns the norms for an average length. A document of unknown length is average.
func newNorms(average float64) *norms {
	n := &norms{1}
	for code := 1; code < len(n); code++ {
		n[code] = 1 - lengthPart + lengthPart*codedLengths[code]/max(average, 1)
	}
	return n
}

// weighted returns the occurrences of a posting in sections, weighted; norm is the divisor of those in the body.
func (c *wordCursor) weighted(norm float64) float64 {
	n, form := len(c.raw)/2, 1.0
	if !c.exact {
		form = c.weight
	}
	if positionAt(c.raw, n-1)>>14 == 0 { // most postings: in the body only
		return form * float64(n) / norm
	}
	x := 0.0
	for ; n > 0; n-- { // positions ascend, and few are outside of the body
		s := int(positionAt(c.raw, n-1) >> 14)
		if s == 0 {
			break
		}
		if c.sections.Has(s) {
			x += otherWeights[s]
		}
	}
	if c.sections.Has(0) {
		x += 1 / norm * float64(n)
	}
	return form * x
}

// otherWeights are the weights of an occurrence in the sections but the body.
var otherWeights = [...]float64{1: descriptionWeight, keywordsWeight, titleWeight}

// sectionWeight returns the weight of an occurrence in a section.
func sectionWeight(section int8, norm float64) float64 {
	return [...]float64{1 / norm, descriptionWeight, keywordsWeight, titleWeight}[section]
}

// linkScore returns what a link rank in the units of docValues adds to a score.
func linkScore(link uint16) float64 { return linkWeight / linkScale * float64(link) }

// rankOfScore returns the rank of a score.
func rankOfScore(score float64) uint32 { return uint32(min(score*rankUnit, math.MaxUint32)) }

// scoreOfRank returns the lowest score with a rank. The product is exact, so a score is below it if and only if its rank is lower.
func scoreOfRank(rank uint32) float64 { return float64(rank) * (1.0 / rankUnit) }

// round3 rounds a number for people.
func round3(x float64) float64 { return math.Round(x*1000) / 1000 }

// lengthOf returns about the number of positions that a code stands for.
func lengthOf(code byte) int { return int(posting.CodedLength(code) + 0.5) }

// Parts explain how the rank of a hit was computed.
type Parts struct {
	*RelevanceParts
	*ASPseekParts
	Link int `json:"link"` // link rank, 0 to 65535: 2000 ln(10 rank)
	Site int `json:"site"` // weight of the site (SiteWeight), which comes before everything else
	// Factor of the score, if it is not 1 (Weight).
	Weight float64 `json:"weight,omitempty"`
}

// RelevanceParts are the parts of the sum: those of Terms, Near, Title and Links.
type RelevanceParts struct {
	Score   float64    `json:"score"`
	Terms   []TermPart `json:"terms"`   // that the document has
	Near    float64    `json:"near"`    // words near to each other
	Title   float64    `json:"title"`   // all words in the title
	Links   float64    `json:"links"`   // link rank
	Length  int        `json:"length"`  // positions of the document, about; 0 = unknown
	Average int        `json:"average"` // of all documents
}

// A TermPart is the part of one term.
type TermPart struct {
	Text  string  `json:"text"`
	IDF   float64 `json:"idf"`
	Count float64 `json:"count"` // x: weighted occurrences
	Score float64 `json:"score"`
	// Synonyms of the word that the document has.
	Synonyms []string `json:"synonyms,omitempty"`
}
