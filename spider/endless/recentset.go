package endless

// recentSet remembers numbers in a fixed memory: at least the last million or so, and says of one in some
// hundred others that it knows them, too. It is two Bloom filters; when the younger one is full, the older one
// is emptied and takes its place.
type recentSet struct {
	young, old []uint64
	added      int
}

const (
	recentWords    = 1 << 19 // 4 MB a filter
	recentBits     = 64 * recentWords
	recentCapacity = recentBits / 12
	blockWords     = 8 // the bits of a number are in one line of the processor's cache
)

func newRecentSet() *recentSet {
	return &recentSet{young: make([]uint64, recentWords), old: make([]uint64, recentWords)}
}

// add remembers a number and reports whether it was new.
func (s *recentSet) add(h uint64) bool {
	h *= 0x9E3779B97F4A7C15
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	block := int(h>>40) % (recentWords / blockWords) * blockWords
	young, old := true, true
	for i := range 4 {
		bit := h >> (9 * i) & 511
		word, mask := block+int(bit>>6), uint64(1)<<(bit&63)
		young = young && s.young[word]&mask != 0
		old = old && s.old[word]&mask != 0
		s.young[word] |= mask
	}
	if !young {
		if s.added++; s.added >= recentCapacity {
			s.young, s.old, s.added = s.old, s.young, 0
			clear(s.young)
		}
	}
	return !young && !old
}
