package endless

// recentSet remembers numbers in a bounded memory: at least the last million or so, and says of one in some
// hundred others that it knows them, too. It is a list of Bloom filters, the youngest first. When that is full, a
// new one of twice its size begins, so that a small site needs little memory; the oldest ones make room.
type recentSet struct {
	filters [][]uint64
	added   int    // to the youngest
	size    int    // of all
	fetched uint64 // of no meaning: so that fetch reads
}

const (
	firstWords  = 1 << 15 // 256 KB
	recentWords = 1 << 19 // 4 MB, of the largest filters
	maxWords    = 2 * recentWords
	blockWords  = 8 // the bits of a number are in one line of the processor's cache
)

func newRecentSet() *recentSet {
	s := &recentSet{}
	s.begin(firstWords)
	return s
}

// begin makes a new filter.
func (s *recentSet) begin(words int) {
	for s.size += words; s.size > maxWords; {
		last := len(s.filters) - 1
		s.size -= len(s.filters[last])
		s.filters = s.filters[:last]
	}
	s.filters = append([][]uint64{make([]uint64, words)}, s.filters...)
	s.added = 0
}

// spreadBits spreads the bits of a number.
func spreadBits(h uint64) uint64 {
	h *= 0x9E3779B97F4A7C15
	h ^= h >> 29
	return h * 0xBF58476D1CE4E5B9
}

// fetchedAhead is how many numbers are looked up at once.
const fetchedAhead = 32

// fetch brings the lines of some numbers into the processor's cache. It waits for all of them together, add for one after the
// other: most of its time otherwise.
func (s *recentSet) fetch(site uint64, hashes []uint64) {
	for _, f := range s.filters {
		for _, h := range hashes {
			s.fetched |= f[blockOf(f, spreadBits(site+h))]
		}
	}
}

// add remembers a number and reports whether it was new.
func (s *recentSet) add(h uint64) bool {
	h = spreadBits(h)
	young, known := s.filters[0], false
	for _, f := range s.filters[1:] {
		known = known || has(f, h)
	}
	if has(young, h) {
		return false
	}
	put(young, h)
	if s.added++; s.added >= len(young)*64/16 {
		s.begin(min(2*len(young), recentWords))
	}
	return !known
}

// blockOf returns where the block of a number begins. The size of a filter is a power of two.
func blockOf(f []uint64, h uint64) int { return int(h>>40) & (len(f)/blockWords - 1) * blockWords }

func has(f []uint64, h uint64) bool {
	block := blockOf(f, h)
	for i := range 4 {
		bit := h >> (9 * i) & 511
		if f[block+int(bit>>6)]&(1<<(bit&63)) == 0 {
			return false
		}
	}
	return true
}

func put(f []uint64, h uint64) {
	block := blockOf(f, h)
	for i := range 4 {
		bit := h >> (9 * i) & 511
		f[block+int(bit>>6)] |= 1 << (bit & 63)
	}
}
