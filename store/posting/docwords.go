package posting

import (
	"encoding/binary"
	"fmt"
)

const (
	docWordsVersion       = 1
	docWordsBlocksVersion = 2 // with fingerprints of blocks behind the words
)

// DocWord is a word of a merged document.
type DocWord struct {
	ID    int32 // word_id
	Count int   // its positions, 1 to MaxCount
}

// AppendDocWords appends words, packed for docwords.words, to dst. Their ids must ascend; anything else is a
// programming error and panics. It writes version 1, which has no fingerprints: all positions may differ from
// those of the next version.
func AppendDocWords(dst []byte, words []DocWord) []byte {
	return appendDocWords(append(dst, docWordsVersion), words)
}

// AppendDocWordsBlocks is AppendDocWords for version 2, with the fingerprints of the blocks
// (BlockSums.AppendTo), unless blocks is nil. There must be at least one word.
func AppendDocWordsBlocks(dst []byte, words []DocWord, blocks []byte) []byte {
	if blocks == nil {
		return AppendDocWords(dst, words)
	}
	return append(appendDocWords(append(dst, docWordsBlocksVersion), words), blocks...)
}

func appendDocWords(dst []byte, words []DocWord) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(words)))
	last := int32(0)
	for _, w := range words {
		if w.ID <= last || w.Count <= 0 || w.Count > MaxCount {
			panic(fmt.Sprintf("posting: word %d with count %d added behind word %d", w.ID, w.Count, last))
		}
		dst = binary.AppendUvarint(dst, uint64(w.ID-last))
		dst = binary.AppendUvarint(dst, uint64(w.Count))
		last = w.ID
	}
	return dst
}

// DocWordsReader reads docwords.words.
type DocWordsReader struct {
	b    []byte
	at   int
	left int
	word DocWord
	err  error
	read bool // read to the end, and the bytes after the words are valid
}

// NewDocWordsReader checks the version and the number of words. The reader keeps b.
func NewDocWordsReader(b []byte) (*DocWordsReader, error) {
	if len(b) < 2 {
		return nil, corrupt(len(b), "document's words are truncated")
	}
	if b[0] != docWordsVersion && b[0] != docWordsBlocksVersion {
		return nil, corrupt(0, fmt.Sprintf("document's words have version %d, this program knows versions %d and %d,",
			b[0], docWordsVersion, docWordsBlocksVersion))
	}
	words, n := uvarint32(b, 1)
	if n == 0 || int(words) > (len(b)-1-n)/2 {
		return nil, corrupt(1, "more words than there are bytes")
	}
	if words == 0 && b[0] == docWordsBlocksVersion {
		return nil, corrupt(1, "blocks of no words")
	}
	return &DocWordsReader{b: b, at: 1 + n, left: int(words)}, nil
}

// Len returns the number of words that are left.
func (r *DocWordsReader) Len() int { return r.left }

// Next goes to the next word. It returns false at the end and at the first error.
func (r *DocWordsReader) Next() bool {
	if r.err != nil {
		return false
	}
	if r.left == 0 {
		r.end()
		return false
	}
	r.left--
	delta, n := uvarint32(r.b, r.at)
	if n == 0 || delta == 0 || delta > uint32(maxID-r.word.ID) {
		r.err = corrupt(r.at, "word id is impossible")
		return false
	}
	r.at += n
	count, n := uvarint32(r.b, r.at)
	if n == 0 || count == 0 || count > MaxCount {
		r.err = corrupt(r.at, "count of positions is impossible")
		return false
	}
	r.at += n
	r.word = DocWord{ID: r.word.ID + int32(delta), Count: int(count)}
	return true
}

// end checks the bytes after the words.
func (r *DocWordsReader) end() {
	switch {
	case r.read:
	case r.b[0] == docWordsBlocksVersion:
		r.err = checkBlocks(r.b, r.at)
	case r.at != len(r.b):
		r.err = corrupt(r.at, "bytes after the last word")
	}
	r.read = r.err == nil
}

// Blocks returns the packed fingerprints of the blocks after Next has returned false without an error; nil
// when there are none, as in version 1. They share the memory of the bytes that are read.
func (r *DocWordsReader) Blocks() []byte {
	if !r.read || r.b[0] != docWordsBlocksVersion {
		return nil
	}
	return r.b[r.at:]
}

// Word returns the word.
func (r *DocWordsReader) Word() DocWord { return r.word }

// Err returns the error that ended the reading, nil at the end.
func (r *DocWordsReader) Err() error { return r.err }

// WithoutBlocks returns docwords.words in version 1: the same words without fingerprints.
func WithoutBlocks(packed []byte) ([]byte, error) {
	r, err := NewDocWordsReader(packed)
	if err != nil {
		return nil, err
	}
	for r.Next() {
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return append([]byte{docWordsVersion}, packed[1:r.at]...), nil
}
