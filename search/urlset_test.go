package search

import (
	"math/rand/v2"
	"testing"
)

// TestURLSet: a set has exactly the documents that were added since it was cleared, also when their ids share
// low bits.
func TestURLSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 17))
	url := func() int32 { return 1 + r.Int32N(40) + urlSetBits*r.Int32N(5) }
	var s urlSet
	want := map[int32]bool{}
	in := 0
	for range 20_000 {
		switch u := url(); r.IntN(200) {
		case 0:
			s.clear()
			clear(want)
		case 1, 2, 3:
			s.add(u)
			want[u] = true
		default:
			if s.has(u) != want[u] || s.len() != len(want) {
				t.Fatalf("url %d: %v, want %v; %d urls, want %d", u, s.has(u), want[u], s.len(), len(want))
			}
			if want[u] {
				in++
			}
		}
	}
	if in < 100 {
		t.Fatalf("%d of the urls that were asked for were in the set", in)
	}
}
