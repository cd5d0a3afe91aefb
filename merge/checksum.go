package merge

import (
	"encoding/binary"

	"github.com/pgseek/pgseek/store/posting"
)

// The hashes of a check. Sums of them are compared, so every bit of a hash depends on every bit of its input.

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// countHash returns the hash of a word of a document and its count.
func countHash(word int32, count int) uint64 {
	return mix(uint64(word)<<16 ^ uint64(count) ^ 0x9e3779b97f4a7c15)
}

// The position sum of a document adds up the fingerprints of its blocks (posting.BlockSums), each multiplied
// by the factor of its block. So it can be computed from postings, word by word, from the words of a version,
// and from a row of docwords.

// blockFactors are odd, so that the multiplication loses no bit of a fingerprint.
var blockFactors = func() (f [posting.MostBlocks]uint64) {
	for i := range f {
		f[i] = mix(uint64(i)+0x9e3779b97f4a7c15) | 1
	}
	return f
}()

// rawSum returns the sum for a word, given as its posting.TextHash, at positions in the format of a blob;
// positionsSum does the same for numbers.
func rawSum(word uint64, raw []byte) (sum uint64) {
	for ; len(raw) >= 2; raw = raw[2:] {
		p := binary.LittleEndian.Uint16(raw)
		sum += posting.PositionHash(word, p) * blockFactors[posting.BlockOf(p)]
	}
	return sum
}

func positionsSum(word uint64, positions []uint16) (sum uint64) {
	for _, p := range positions {
		sum += posting.PositionHash(word, p) * blockFactors[posting.BlockOf(p)]
	}
	return sum
}

// blocksSum returns the sum for all positions of a document, from their packed fingerprints.
func blocksSum(packed []byte) (sum uint64) {
	for i, fingerprint := range posting.Blocks(packed) {
		sum += fingerprint * blockFactors[i]
	}
	return sum
}

const lastOrdinal = 16383 // of a section; all later words share it

// rawFull reports whether some positions of a word in a document may have been left out.
func rawFull(raw []byte) bool {
	if len(raw)/2 >= posting.MaxCount {
		return true
	}
	for ; len(raw) >= 2; raw = raw[2:] {
		if binary.LittleEndian.Uint16(raw)&0x3fff == lastOrdinal {
			return true
		}
	}
	return false
}
