package search

// A urlSet is a small set of documents that is looked up for each posting. A bitmap answers most lookups of
// documents that are not in it.
type urlSet struct {
	bits *[urlSetBits / 64]uint64 // by the low bits of the id; nil = empty
	all  map[int32]bool
}

// urlSetBits is the number of bits. They fit into the processor's first-level cache.
const urlSetBits = 1 << 16

func (s *urlSet) len() int { return len(s.all) }

func (s *urlSet) has(url int32) bool {
	if s.bits == nil {
		return false
	}
	bit := uint32(url) % urlSetBits
	return s.bits[bit/64]>>(bit%64)&1 != 0 && s.all[url]
}

func (s *urlSet) add(url int32) {
	if s.bits == nil {
		s.bits, s.all = new([urlSetBits / 64]uint64), map[int32]bool{}
	}
	bit := uint32(url) % urlSetBits
	s.bits[bit/64] |= 1 << (bit % 64)
	s.all[url] = true
}

// clear removes all documents.
func (s *urlSet) clear() {
	if s.bits != nil {
		clear(s.bits[:])
		clear(s.all)
	}
}
