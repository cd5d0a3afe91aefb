package search

import (
	"context"
	"math"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// docValues are the values of all documents that an engine keeps in memory: 9 bytes a document, and 2 bytes
// for each block of blockSize. They are as of the last merge that the engine has noticed, and are read-only
// once read.
type docValues struct {
	links []uint16 // by url_id
	high  []uint16 // maximum of links in each block of blockSize url_ids
	most  uint16   // maximum of links
	dates []uint32 // by url_id, epoch seconds; 0 = none
	sizes []byte   // by url_id, coded lengths; 0 = unknown

	languages named // primary subtags
	types     named // short types (document_type in SQL)
}

// readDocValues reads the values of all documents. The previous values only give the expected size.
func readDocValues(ctx context.Context, s *lookup.Store, before *docValues) (*docValues, error) {
	f := &docValues{languages: newNamed(nil), types: newNamed(nil)}
	if before != nil {
		f.languages, f.types = newNamed(before.languages.codes), newNamed(before.types.codes)
		f.links, f.high = make([]uint16, 0, len(before.links)), make([]uint16, 0, len(before.high))
		f.dates, f.sizes = make([]uint32, 0, len(before.dates)), make([]byte, 0, len(before.sizes))
	}
	err := s.DocValues(ctx,
		func(u store.URLID, rank float32) { f.setLink(u, linkRank(rank)) },
		func(u store.URLID, at int64, length byte) {
			f.dates = put(f.dates, u, uint32(min(max(at, 0), math.MaxUint32)))
			f.sizes = put(f.sizes, u, length)
		},
		func(k lookup.Kind) {
			v := kindOf(k.Language, k.Type)
			f.languages.set(k.URL, v.language)
			f.types.set(k.URL, v.docType)
		})
	return f, err
}

// blockSize is the number of url_ids that share an upper bound of their link ranks. All bounds fit into the
// processor's cache.
const blockSize = 64

// setLink sets the link rank of a document that has none yet.
func (f *docValues) setLink(u store.URLID, link uint16) {
	f.links = put(f.links, u, link)
	f.most = max(f.most, link)
	if block := u / blockSize; int(block) >= len(f.high) || f.high[block] < link {
		f.high = put(f.high, block, link)
	}
}

// linkAtMost returns an upper bound of a document's link rank.
func (f *docValues) linkAtMost(url int32) uint16 {
	if block := int(url) / blockSize; block < len(f.high) {
		return f.high[block]
	}
	return 0
}

func put[T any](list []T, at store.URLID, value T) []T {
	if n := int(at) + 1; n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	list[at] = value
	return list
}

func (f *docValues) link(url int32) uint16 {
	if int(url) < len(f.links) {
		return f.links[url]
	}
	return 0
}

func (f *docValues) date(url int32) int64 {
	if int(url) < len(f.dates) {
		return int64(f.dates[url])
	}
	return 0
}

// length returns the coded length of a document, 0 if it is unknown.
func (f *docValues) length(url int32) byte {
	if int(url) < len(f.sizes) {
		return f.sizes[url]
	}
	return 0
}
