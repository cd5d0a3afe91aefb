package search

import (
	"context"
	"math"

	"github.com/pgseek/pgseek/store"
)

// facts are what an engine keeps in memory of every document: 6 bytes each. They are as of the last merge that it has
// heard of. They are never changed after they are made.
type facts struct {
	links []uint16 // by url_id
	dates []uint32 // by url_id, epoch seconds; 0 = none
}

// readFacts reads all of them, of about as many documents as there were before.
func readFacts(ctx context.Context, s *store.Store, before *facts) (*facts, error) {
	f := &facts{}
	if before != nil {
		f.links, f.dates = make([]uint16, 0, len(before.links)), make([]uint32, 0, len(before.dates))
	}
	err := s.SearchFacts(ctx,
		func(u store.URLID, rank float32) { f.links = put(f.links, u, linkRank(rank)) },
		func(u store.URLID, at int64) { f.dates = put(f.dates, u, uint32(min(max(at, 0), math.MaxUint32))) })
	return f, err
}

func put[T any](list []T, at store.URLID, value T) []T {
	if n := int(at) + 1; n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	list[at] = value
	return list
}

func (f *facts) link(url int32) uint16 {
	if int(url) < len(f.links) {
		return f.links[url]
	}
	return 0
}

func (f *facts) date(url int32) int64 {
	if int(url) < len(f.dates) {
		return int64(f.dates[url])
	}
	return 0
}
