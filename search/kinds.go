package search

import (
	"math"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// A kind is what searches filter and count a document by: its language (the primary subtag), its type (document_type in
// SQL) and its tag, and the factor of its score.
type kind struct {
	language, docType string
	tag               int32
	weight            float64 // Weight of searchd.conf
}

func newKind(k lookup.Kind, weight float64) kind {
	code, _ := query.Language(k.Language)
	return kind{code, k.Type, k.Tag, weight}
}

// kinds are the kinds of all documents. There are few different ones, so a document has the number of its kind: a byte,
// or two bytes if there are more than 256.
type kinds struct {
	all   []kind // by number; 0 is that of unknown documents
	known map[kind]uint16
	small []uint8  // by url_id
	large []uint16 // by url_id, instead of small
}

func newKinds(urls int) kinds {
	unknown := kind{weight: 1}
	return kinds{all: []kind{unknown}, known: map[kind]uint16{unknown: 0}, small: make([]uint8, 0, urls)}
}

// set sets the kind of a document. Beyond 65,535 different kinds documents are of an unknown one.
func (k *kinds) set(u store.URLID, of kind) {
	number, ok := k.known[of]
	if !ok && len(k.all) <= math.MaxUint16 {
		number = uint16(len(k.all))
		k.all, k.known[of] = append(k.all, of), number
		if len(k.all) == math.MaxUint8+2 {
			k.large = make([]uint16, len(k.small), cap(k.small))
			for i, n := range k.small {
				k.large[i] = uint16(n)
			}
			k.small = nil
		}
	}
	if k.large != nil {
		k.large = put(k.large, u, number)
	} else {
		k.small = put(k.small, u, uint8(number))
	}
}

// of returns the number of a document's kind.
func (k *kinds) of(url int32) int {
	switch {
	case int(url) < len(k.small):
		return int(k.small[url])
	case int(url) < len(k.large):
		return int(k.large[url])
	}
	return 0
}

// numberKinds adds the kinds of the documents of the real-time index to those of the others.
func (p *plan) numberKinds(f *docValues) {
	p.values, p.kindsOf, p.kindLive = f, f.kinds.all[:len(f.kinds.all):len(f.kinds.all)], map[int32]int{}
	for url, k := range p.kinds {
		p.kindLive[url] = len(p.kindsOf)
		p.kindsOf = append(p.kindsOf, k)
	}
}

// kindNumber returns the number of a document's kind in kindsOf.
func (p *plan) kindNumber(url int32) int {
	if len(p.kindLive) > 0 {
		if n, ok := p.kindLive[url]; ok {
			return n
		}
	}
	return p.values.kinds.of(url)
}

// A kindFilter accepts documents of some kinds.
type kindFilter struct {
	plan   *plan
	accept []bool // by number
}

func (p *plan) kindFilter(accept func(kind) bool) *kindFilter {
	f := &kindFilter{p, make([]bool, len(p.kindsOf))}
	for i, k := range p.kindsOf {
		f.accept[i] = accept(k)
	}
	return f
}

func (f *kindFilter) next(p place) place {
	if f.accept[f.plan.kindNumber(p.url())] {
		return p
	}
	return p + 1
}

// weightOf returns the factor of the score of a document of the real-time index.
func (p *plan) weightOf(address string) float64 {
	if p.weigh == nil {
		return 1
	}
	return p.weigh(address)
}

// largestWeight returns an upper bound of the factors.
func (p *plan) largestWeight() float64 {
	most := 1.0
	for _, k := range p.kindsOf {
		most = max(most, k.weight)
	}
	return most
}
