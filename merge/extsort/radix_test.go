package extsort

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortKeysSortsLikeComparing: pairs of ids of all widths, few and many, with keys that come twice.
func TestSortKeysSortsLikeComparing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, fewKeys - 1, fewKeys, 3 * fewKeys} {
		for _, ids := range []uint64{1, 200, 70_000, 1 << 31, 1 << 32} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64N(ids)<<32 | r.Uint64N(ids)
			}
			want := slices.Sorted(slices.Values(keys))
			if SortKeys(keys); !slices.Equal(keys, want) {
				t.Errorf("%d pairs of ids below %d are not sorted", n, ids)
			}
		}
	}
}

func BenchmarkSortKeys(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint64, 400_000)
	for b.Loop() {
		for i := range keys {
			keys[i] = uint64(i/60)<<32 | r.Uint64N(7000)
		}
		SortKeys(keys)
	}
}
