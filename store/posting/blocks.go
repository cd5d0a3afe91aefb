package posting

import (
	"encoding/binary"
	"iter"
)

// Fingerprints of the blocks of a document version show, without its positions, which of its words have the
// same positions as in the version before. A block is the positions of one section with ordinals 64n to
// 64n+63: position >> 6 is its index. Its fingerprint is the sum, modulo 2^64, of PositionHash over all pairs
// of word and position in it, so the order does not matter. Blocks with equal fingerprints have the same
// pairs, up to a collision of 64 bits. Limits of positions in long documents (ordinals that end at 16383,
// positions beyond MaxCount left out) have been applied before: the pairs are those of the index. A
// fingerprint that happens to be 0 is left out, and its block counts as changed.

const (
	blockShift = 6
	// MostBlocks is the number of blocks that a document may have.
	MostBlocks = 1 << (16 - blockShift)
)

// BlockOf returns the index of the block of a position.
func BlockOf(position uint16) int { return int(position >> blockShift) }

// TextHash is the 64-bit FNV-1a hash of a word. Stored fingerprints depend on it, so it never changes.
func TextHash[T string | []byte](text T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return h
}

// PositionHash is the hash of a word, given by its TextHash, at a position: the finalizer of splitmix64, in
// which all bits depend on all bits. It never changes, either.
func PositionHash(word uint64, position uint16) uint64 {
	x := word + uint64(position)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// BlockSums computes the fingerprints of a version; it has 8 KB. The zero value has no words yet.
type BlockSums [MostBlocks]uint64

// Add adds a word, by its TextHash, with its positions.
func (s *BlockSums) Add(word uint64, positions []uint16) {
	for _, p := range positions {
		s[p>>blockShift] += PositionHash(word, p)
	}
}

// AppendTo appends the fingerprints to dst, packed as in docwords.words.
func (s *BlockSums) AppendTo(dst []byte) []byte {
	n := 0
	for _, sum := range s {
		if sum != 0 {
			n++
		}
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	last := 0
	for i, sum := range s {
		if sum != 0 {
			dst = binary.AppendUvarint(dst, uint64(i-last))
			dst = binary.LittleEndian.AppendUint64(dst, sum)
			last = i
		}
	}
	return dst
}

// Blocks yields the fingerprints of blocks by ascending index. packed must be valid, as returned by
// BlockSums.AppendTo or DocWordsReader.Blocks. For nil it yields none.
func Blocks(packed []byte) iter.Seq2[int, uint64] {
	return func(yield func(index int, sum uint64) bool) {
		if packed == nil {
			return
		}
		n, at := binary.Uvarint(packed)
		index := 0
		for range n {
			delta, size := binary.Uvarint(packed[at:])
			at += size
			index += int(delta)
			if !yield(index, binary.LittleEndian.Uint64(packed[at:])) {
				return
			}
			at += 8
		}
	}
}

// checkBlocks checks packed fingerprints in b from an offset to its end.
func checkBlocks(b []byte, at int) error {
	blocks, n := uvarint32(b, at)
	if n == 0 || int(blocks) > (len(b)-at-n)/9 {
		return corrupt(at, "more blocks than there are bytes")
	}
	at += n
	index := 0
	for k := range blocks {
		delta, n := uvarint32(b, at)
		if n == 0 || k > 0 && delta == 0 || int(delta) >= MostBlocks-index || len(b)-at-n < 8 {
			return corrupt(at, "block is impossible")
		}
		index += int(delta)
		at += n
		if binary.LittleEndian.Uint64(b[at:]) == 0 {
			return corrupt(at, "fingerprint is 0")
		}
		at += 8
	}
	if at != len(b) {
		return corrupt(at, "bytes after the last block")
	}
	return nil
}

// BlockSet is a set of blocks.
type BlockSet [MostBlocks / 64]uint64

// EqualBlocks returns the blocks that have the same fingerprint in both lists, which must be valid as for
// Blocks.
func EqualBlocks(a, b []byte) (equal BlockSet) {
	var sums BlockSums
	for i, sum := range Blocks(a) {
		sums[i] = sum
	}
	for i, sum := range Blocks(b) {
		if sums[i] == sum {
			equal[i/64] |= 1 << (i % 64)
		}
	}
	return equal
}

// Has reports whether a position is in a block of the set.
func (s *BlockSet) Has(position uint16) bool {
	i := BlockOf(position)
	return s[i/64]>>(i%64)&1 != 0
}
