package posting

import (
	"encoding/binary"
	"fmt"
)

const docWordsVersion = 1

// DocWord is a word of a merged document.
type DocWord struct {
	ID    int32 // word_id
	Count int   // its positions, 1 to MaxCount
}

// AppendDocWords appends words, packed for docwords.words, to dst. Their ids ascend: whoever gives others has a fault in
// the program, which panics.
func AppendDocWords(dst []byte, words []DocWord) []byte {
	dst = append(dst, docWordsVersion)
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
}

// NewDocWordsReader checks the version and the number of words. The reader keeps b.
func NewDocWordsReader(b []byte) (*DocWordsReader, error) {
	if len(b) < 2 {
		return nil, corrupt(len(b), "document's words end early")
	}
	if b[0] != docWordsVersion {
		return nil, corrupt(0, fmt.Sprintf("document's words of version %d, this program knows version %d,", b[0], docWordsVersion))
	}
	words, n := uvarint32(b, 1)
	if n == 0 || int(words) > (len(b)-1-n)/2 {
		return nil, corrupt(1, "more words than there are bytes")
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
		if r.at != len(r.b) {
			r.err = corrupt(r.at, "bytes behind the last word")
		}
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

// Word returns the word.
func (r *DocWordsReader) Word() DocWord { return r.word }

// Err returns the error that ended the reading, nil at the end.
func (r *DocWordsReader) Err() error { return r.err }
