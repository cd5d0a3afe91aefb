package search

import (
	"context"
	"math"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// docValues are the values of all documents that an engine keeps in memory: 8 bytes a document, 9 with
// more than 256 kinds, and 2 bytes for each block of blockSize. They are as of the last merge that the engine has noticed, and are read-only
// once read.
type docValues struct {
	links []uint16 // by url_id
	high  []uint16 // maximum of links in each block of blockSize url_ids
	most  uint16   // maximum of links
	dates []uint32 // by url_id, epoch seconds; 0 = none
	sizes []byte   // by url_id, coded lengths; 0 = unknown

	kinds kinds
}

// readDocValues reads the values of all documents. The previous values give the expected size, and the weights of
// documents that have them already: the address of a document does not change.
func readDocValues(ctx context.Context, s *lookup.Store, before *docValues, weigh func(url string) float64) (*docValues, error) {
	f := &docValues{}
	if before == nil {
		before = &docValues{}
	}
	f.links, f.high = make([]uint16, 0, len(before.links)), make([]uint16, 0, len(before.high))
	f.dates, f.sizes, f.kinds = make([]uint32, 0, len(before.dates)), make([]byte, 0, len(before.sizes)), newKinds(len(before.dates))
	var fresh []store.URLID
	err := s.DocValues(ctx,
		func(u store.URLID, rank float32) { f.setLink(u, linkRank(rank)) },
		func(u store.URLID, at int64, length byte) {
			f.dates = put(f.dates, u, uint32(min(max(at, 0), math.MaxUint32)))
			f.sizes = put(f.sizes, u, length)
		},
		func(k lookup.Kind) {
			weight := 1.0
			if weigh != nil {
				if number := before.kinds.of(int32(k.URL)); number > 0 {
					weight = before.kinds.all[number].weight
				} else {
					fresh = append(fresh, k.URL)
				}
			}
			f.kinds.set(k.URL, newKind(k, weight))
		})
	if err != nil {
		return nil, err
	}
	return f, s.Addresses(ctx, fresh, func(u store.URLID, address string) {
		k := f.kinds.all[f.kinds.of(int32(u))]
		k.weight = weigh(address)
		f.kinds.set(u, k)
	})
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
