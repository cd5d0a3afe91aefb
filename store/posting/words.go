package posting

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"unicode/utf8"
)

const (
	wordsVersion = 1
	// MaxWordRunes is the length in characters of the longest stored word.
	MaxWordRunes = 32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Word is a word of a document.
type Word struct {
	Text      string   // valid UTF-8, 1 to MaxWordRunes characters, without NUL
	Positions []uint16 // ascending, 1 to MaxCount of them
}

// columns are the three columns under construction.
type columns struct{ text, count, position []byte }

var columnPool = sync.Pool{New: func() any { return new(columns) }}

// AppendWords appends a document's words, packed for journal.words, to dst. The words must ascend by text and
// their positions must ascend; anything else is a programming error and panics.
func AppendWords(dst []byte, words []Word) []byte {
	c := columnPool.Get().(*columns)
	defer columnPool.Put(c)
	text, count, position := c.text[:0], c.count[:0], c.position[:0]
	before := ""
	for i := range words {
		w := &words[i]
		shared := sharedPrefix(before, w.Text)
		rest := w.Text[shared:]
		if w.Text <= before || len(w.Text) > 255 || len(w.Positions) == 0 || len(w.Positions) > MaxCount {
			panic(fmt.Sprintf("posting: word %q with %d positions added behind %q", w.Text, len(w.Positions), before))
		}
		text = append(text, byte(shared), byte(len(rest)))
		text = append(text, rest...)
		count = binary.AppendUvarint(count, uint64(len(w.Positions)))
		last := -1
		for _, p := range w.Positions {
			switch d := int(p) - last; {
			case last < 0:
				position = binary.AppendUvarint(position, uint64(p))
			case d <= 0:
				panic(fmt.Sprintf("posting: position %d of word %q added behind %d", p, w.Text, last))
			case d < 0x80:
				position = append(position, byte(d))
			default:
				position = binary.AppendUvarint(position, uint64(d))
			}
			last = int(p)
		}
		before = w.Text
	}
	dst = slices.Grow(dst, 20+len(text)+len(count)+len(position)) // once
	begin := len(dst)
	dst = append(dst, wordsVersion)
	dst = binary.AppendUvarint(dst, uint64(len(words)))
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	dst = binary.AppendUvarint(dst, uint64(len(count)))
	dst = append(append(append(dst, text...), count...), position...)
	c.text, c.count, c.position = text, count, position
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[begin:], castagnoli))
}

// sharedPrefix returns how many bytes two words have in common at their beginning, at most 255.
func sharedPrefix(a, b string) int {
	n := min(len(a), len(b), 255)
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// WordsReader reads journal.words.
type WordsReader struct {
	b          []byte
	n, i       int // words in all, words read
	c1, c2, c3 int // current offsets in the columns
	e1, e2, e3 int // ends of the columns
	word       []byte
	positions  []uint16
	err        error
}

// NewWordsReader checks version, checksum and the sizes of the columns. The reader keeps b.
func NewWordsReader(b []byte) (*WordsReader, error) {
	r := new(WordsReader)
	return r, r.Reset(b)
}

// Reset is NewWordsReader with the memory of an older reader.
func (r *WordsReader) Reset(b []byte) error {
	*r = WordsReader{word: r.word[:0], positions: r.positions[:0]}
	if len(b) < 8 {
		return corrupt(len(b), "words are truncated")
	}
	if b[0] != wordsVersion {
		return corrupt(0, fmt.Sprintf("words have version %d, this program knows version %d,", b[0], wordsVersion))
	}
	end := len(b) - 4
	if binary.LittleEndian.Uint32(b[end:]) != crc32.Checksum(b[:end], castagnoli) {
		return corrupt(end, "wrong checksum of words")
	}
	at := 1
	var head [3]int
	for k := range head {
		v, n := uvarint32(b[:end], at)
		if n == 0 {
			return corrupt(at, "invalid size of words")
		}
		head[k] = int(v)
		at += n
	}
	r.b, r.n = b[:end], head[0]
	if head[1] > end-at || head[2] > end-at-head[1] {
		return corrupt(at, "columns are longer than the words")
	}
	r.c1, r.e1 = at, at+head[1]
	r.c2, r.e2 = r.e1, r.e1+head[2]
	r.c3, r.e3 = r.e2, end
	// A word takes at least three bytes of the first column, one of the second and one of the third.
	if r.n > head[1]/3 || r.n > head[2] || r.n > r.e3-r.c3 {
		return corrupt(1, "more words than there are bytes")
	}
	return nil
}

// Len returns the number of words.
func (r *WordsReader) Len() int { return r.n }

// Next goes to the next word. It returns false at the end and at the first error.
func (r *WordsReader) Next() bool {
	if r.err != nil {
		return false
	}
	if r.i == r.n {
		if r.c1 != r.e1 || r.c2 != r.e2 || r.c3 != r.e3 {
			r.err = corrupt(r.c1, "bytes after the last word")
		}
		return false
	}
	r.i++
	return r.readWord() && r.readPositions()
}

// readWord reads the first column.
func (r *WordsReader) readWord() bool {
	if r.e1-r.c1 < 3 {
		return r.fail(r.c1, "word is truncated")
	}
	shared, rest := int(r.b[r.c1]), int(r.b[r.c1+1])
	if shared > len(r.word) || rest == 0 || rest > r.e1-r.c1-2 {
		return r.fail(r.c1, "word is longer than its bytes")
	}
	tail := r.b[r.c1+2 : r.c1+2+rest]
	// Only different bytes may follow, and the first of them must be greater: so words ascend and have one
	// encoding.
	if shared < len(r.word) && tail[0] <= r.word[shared] {
		return r.fail(r.c1, "words do not ascend")
	}
	r.word = append(r.word[:shared], tail...)
	if !utf8.Valid(r.word) || utf8.RuneCount(r.word) > MaxWordRunes || bytes.IndexByte(tail, 0) >= 0 {
		return r.fail(r.c1, "word is not text of 1 to 32 characters")
	}
	r.c1 += 2 + rest
	return true
}

// readPositions reads the second and the third column.
func (r *WordsReader) readPositions() bool {
	count, n := uvarint32(r.b[:r.e2], r.c2)
	if n == 0 || count == 0 || count > MaxCount || int(count) > r.e3-r.c3 {
		return r.fail(r.c2, "count of positions is impossible")
	}
	r.c2 += n
	r.positions = r.positions[:0]
	b, at := r.b, r.c3
	last := uint32(0)
	for k := range count {
		d, n := uint32(0), 1
		if at < len(b) && b[at] < 0x80 {
			d = uint32(b[at])
		} else {
			d, n = uvarint32(b, at)
		}
		if n == 0 || k > 0 && d == 0 || d > 0xffff-last {
			return r.fail(at, "position is impossible")
		}
		last += d
		at += n
		r.positions = append(r.positions, uint16(last))
	}
	r.c3 = at
	return true
}

// fail ends the reading with an error.
func (r *WordsReader) fail(at int, what string) bool {
	r.err = corrupt(at, what)
	return false
}

// Word returns the word's bytes, valid until the next Next.
func (r *WordsReader) Word() []byte { return r.word }

// Positions returns the word's positions, valid until the next Next.
func (r *WordsReader) Positions() []uint16 { return r.positions }

// Err returns the error that ended the reading, nil at the end.
func (r *WordsReader) Err() error { return r.err }
