package posting

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// version is a document version: the positions of its words.
type version map[string][]uint16

func (v version) blocks() []byte {
	var sums BlockSums
	for text, positions := range v {
		sums.Add(TextHash(text), positions)
	}
	return sums.AppendTo(nil)
}

// blocksOf are the blocks with the pairs of word and position that they have.
func (v version) blocksOf() map[int]map[string][]uint16 {
	all := map[int]map[string][]uint16{}
	for text, positions := range v {
		for _, p := range positions {
			if all[int(p)/64] == nil {
				all[int(p)/64] = map[string][]uint16{}
			}
			all[int(p)/64][text] = append(all[int(p)/64][text], p)
		}
	}
	return all
}

// Blocks are equal exactly where both versions have the same words at the same positions. Words that change places, a word that
// moves by one and one that another takes the place of make them differ.
func TestEqualBlocksHaveTheSameWordsAndPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	words := []string{"a", "b", "ab", "ba", "wörter", "日本"}
	var equals, differ int
	for range 2000 {
		was := version{}
		for p := range 300 {
			if r.IntN(3) > 0 {
				w := words[r.IntN(len(words))]
				was[w] = append(was[w], uint16(p))
			}
		}
		is := version{}
		for w, positions := range was {
			is[w] = slices.Clone(positions)
		}
		for range r.IntN(3) { // small changes
			w := words[r.IntN(len(words))]
			if n := len(is[w]); n > 0 {
				p := is[w][r.IntN(n)]
				is[w] = slices.DeleteFunc(is[w], func(q uint16) bool { return q == p })
				other := words[r.IntN(len(words))]
				to := p + uint16(r.IntN(2))
				if !slices.Contains(is[other], to) {
					is[other] = append(is[other], to)
					slices.Sort(is[other])
				}
			}
		}
		equal := EqualBlocks(was.blocks(), is.blocks())
		a, b := was.blocksOf(), is.blocksOf()
		for i := range MostBlocks {
			want := a[i] != nil && maps.EqualFunc(a[i], b[i], slices.Equal[[]uint16])
			if got := equal.Has(uint16(i * 64)); got != want {
				t.Fatalf("block %d: equal %v, want %v: %v, %v", i, got, want, a[i], b[i])
			} else if want {
				equals++
			} else if a[i] != nil {
				differ++
			}
		}
	}
	if equals == 0 || differ == 0 {
		t.Errorf("%d blocks were equal, %d differed", equals, differ)
	}
}

// The last block of each section has the words that share its last ordinal: any that comes or goes makes it differ.
func TestBlocksOfSharedOrdinals(t *testing.T) {
	const last = 16383
	was := version{"a": {last}, "b": {5, last}, "c": {last | 3<<14}}
	for _, c := range []struct {
		name string
		is   version
		want bool
	}{
		{"the same", version{"a": {last}, "b": {5, last}, "c": {last | 3<<14}}, true},
		{"one that goes", version{"b": {5, last}, "c": {last | 3<<14}}, false},
		{"one that comes", version{"a": {last}, "b": {5, last}, "c": {last, last | 3<<14}}, false},
		{"another section", version{"a": {last}, "b": {5, last}, "c": {last | 2<<14}}, true},
	} {
		equal := EqualBlocks(was.blocks(), c.is.blocks())
		if got := equal.Has(last); got != c.want {
			t.Errorf("%s: equal %v, want %v", c.name, got, c.want)
		}
	}
}

// A version without fingerprints has no equal blocks: any of its words may have changed.
func TestNothingEqualsNoBlocks(t *testing.T) {
	v := version{"a": {1, 70}}.blocks()
	for _, equal := range []BlockSet{EqualBlocks(nil, v), EqualBlocks(v, nil), EqualBlocks(nil, nil)} {
		if equal != (BlockSet{}) {
			t.Errorf("%x", equal)
		}
	}
}

// All positions that there are make all blocks.
func TestMostBlocks(t *testing.T) {
	var all []uint16
	for p := range 1 << 16 {
		all = append(all, uint16(p))
	}
	var sums BlockSums
	sums.Add(TextHash("a"), all)
	packed := sums.AppendTo(nil)
	row := AppendDocWordsBlocks(nil, []DocWord{{1, MaxCount}}, packed)
	got, err := readDocWords(row)
	if err != nil || len(got.Blocks) != MostBlocks {
		t.Errorf("%d blocks, %v", len(got.Blocks), err)
	}
	equal := EqualBlocks(packed, packed)
	for _, p := range all {
		if !equal.Has(p) {
			t.Fatalf("position %d is in no equal block", p)
		}
	}
}

func BenchmarkBlockSums(b *testing.B) {
	var sums BlockSums
	positions := make([]uint16, 2000)
	for i := range positions {
		positions[i] = uint16(i)
	}
	var packed []byte
	for b.Loop() {
		clear(sums[:])
		for lo := 0; lo < len(positions); lo += 5 {
			sums.Add(uint64(lo), positions[lo:lo+5])
		}
		packed = sums.AppendTo(packed[:0])
	}
	b.ReportMetric(float64(len(packed))/float64(len(positions)), "B/position")
}
