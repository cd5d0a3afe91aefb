package merge

import (
	"encoding/binary"
	"time"

	parser "github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store/posting"
)

// The hashes of a check. Sums of them are compared, so each is mixed until all of its bits depend on all bits that it is of.

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// countHash is of a word of a document and its count.
func countHash(word int32, count int) uint64 {
	return mix(uint64(word)<<16 ^ uint64(count) ^ 0x9e3779b97f4a7c15)
}

// textHash is of a word's text.
func textHash[T string | []byte](text T) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return mix(h)
}

// rawHash is of a word's positions as they stand in a blob, positionsHash of the same as numbers.
func rawHash(raw []byte) uint64 {
	h := uint64(len(raw) / 2)
	for ; len(raw) >= 2; raw = raw[2:] {
		h = (h ^ uint64(binary.LittleEndian.Uint16(raw))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

func positionsHash(positions []uint16) uint64 {
	h := uint64(len(positions))
	for _, p := range positions {
		h = (h ^ uint64(p)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// postingHash is of a word's text and its positions in a document.
func postingHash(text, positions uint64) uint64 { return mix(text ^ positions) }

const lastOrdinal = 16383 // in its section; later words share it (D-12)

// rawFull reports whether positions of a word in a document may have been left out (D-12).
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

// patient are the rules by which stored documents are read again: each has the time it needs, since it was readable once, and nobody
// asks for its language.
func patient(r *parser.Rules) *parser.Rules {
	p := *r
	p.ParseLimit = max(p.ParseLimit, time.Hour)
	p.NoLanguage = true
	return &p
}
