package document

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Sections of a document: bits 14-15 of a position.
const (
	sectionBody = iota
	sectionDescription
	sectionKeywords
	sectionTitle
	sections
)

const (
	lastOrdinal  = 1<<14 - 1 // shared by all later words of a section
	maxPositions = 1<<14 - 1 // of a word in a document
)

// A wordTable collects the words of one document with their positions. It is reused for the next document, so
// that a crawl allocates only the results.
//
// Words are stored one after another in text, and an open-addressing hash table finds them. Occurrences are
// recorded in the order of the text, 8 bytes each, and are only sorted by words, when the counts are known:
// no word has memory of its own.
type wordTable struct {
	rules *Rules

	slots   []uint32 // index into entries plus one; 0 = free; a power of two, at most half full
	entries []wordEntry
	text    []byte

	occurrences [sections][]uint64 // entry<<16 | position
	ordinal     [sections]int      // of the next word

	total  int      // occurrences of stored words
	stored []uint32 // words: the stored entries
	keys   []uint64 // words: for sorting
}

type wordEntry struct {
	prefix    uint64 // the first eight bytes, so that words are compared as numbers
	offset    uint32 // in text
	count     uint32 // occurrences
	positions uint32 // stored ones: those that share the last ordinal are one
	next      uint32 // words: the index of the next position
	length    uint8  // in bytes, at most 4*MaxWordLength
	saturated uint8  // bit s: the last ordinal of section s is recorded
	stored    bool   // else too short, too long, or a stop word
	vote      uint8  // the word's value in Rules.stop
}

// Scratch memory beyond these sizes (a document of some megabytes) is released, not reused.
const (
	keepEntries = 1 << 14
	keepText    = 1 << 18
)

func (t *wordTable) reset(r *Rules) {
	t.rules = r
	if len(t.slots) == 0 || len(t.slots) > 4*keepEntries {
		t.slots = make([]uint32, 2048)
	} else {
		clear(t.slots)
	}
	t.entries = keep(t.entries, keepEntries)
	t.text = keep(t.text, keepText)
	t.stored = keep(t.stored, keepEntries)
	t.keys = keep(t.keys, keepEntries)
	for i := range t.occurrences {
		t.occurrences[i] = keep(t.occurrences[i], 2*keepEntries)
	}
	t.ordinal = [sections]int{}
	t.total = 0
}

// keep empties a slice for the next document, or drops it when it has grown beyond limit.
func keep[T any](s []T, limit int) []T {
	if cap(s) > limit {
		return nil
	}
	return s[:0]
}

// add records the words of text in a section.
func (t *wordTable) add(s *scanner, text []byte, section int) {
	s.reset(text)
	ordinal := t.ordinal[section]
	for s.next() {
		if s.word != nil {
			t.note(s.word, s.chars, section, min(ordinal, lastOrdinal))
		}
		ordinal++
	}
	t.ordinal[section] = ordinal
}

// note records one occurrence of a word.
func (t *wordTable) note(word []byte, chars, section, ordinal int) {
	i := t.find(word, chars)
	e := &t.entries[i]
	e.count++
	if !e.stored {
		return
	}
	t.total++
	if ordinal == lastOrdinal {
		// At most one a section: this also bounds the memory for a document of millions of words.
		if e.saturated&(1<<section) != 0 {
			return
		}
		e.saturated |= 1 << section
	}
	e.positions++
	t.occurrences[section] = append(t.occurrences[section], uint64(i)<<16|uint64(section<<14|ordinal))
}

// find returns the index of a word's entry, and makes the entry when the word is new.
func (t *wordTable) find(word []byte, chars int) uint32 {
	prefix := prefixOf(word)
	at := t.slot(prefix, word)
	if i := t.slots[at]; i != 0 {
		return i - 1
	}
	e := wordEntry{prefix: prefix, offset: uint32(len(t.text)), length: uint8(len(word))}
	e.stored = chars >= t.rules.MinWordLength && chars <= t.rules.MaxWordLength
	if len(t.rules.stop) > 0 {
		if vote, stop := t.rules.stop[string(word)]; stop {
			e.vote, e.stored = vote, false
		}
	}
	t.text = append(t.text, word...)
	t.entries = append(t.entries, e)
	t.slots[at] = uint32(len(t.entries))
	if 2*len(t.entries) > len(t.slots) {
		t.grow()
	}
	return uint32(len(t.entries) - 1)
}

// slot returns the index in slots of a word, or of the free slot for it.
func (t *wordTable) slot(prefix uint64, word []byte) uint32 {
	mask := uint32(len(t.slots) - 1)
	at := hashOf(prefix, word) & mask
	for t.slots[at] != 0 {
		e := &t.entries[t.slots[at]-1]
		if e.prefix == prefix && int(e.length) == len(word) &&
			(len(word) <= 8 || bytes.Equal(t.text[int(e.offset)+8:int(e.offset)+len(word)], word[8:])) {
			break
		}
		at = (at + 1) & mask
	}
	return at
}

// occurrencesOf returns the number of occurrences of a word in the document, stored or not.
func (t *wordTable) occurrencesOf(word string) int {
	if i := t.slots[t.slot(prefixOf([]byte(word)), []byte(word))]; i != 0 {
		return int(t.entries[i-1].count)
	}
	return 0
}

func (t *wordTable) grow() {
	t.slots = make([]uint32, 4*len(t.slots))
	mask := uint32(len(t.slots) - 1)
	for i := range t.entries {
		at := hashOf(t.entries[i].prefix, t.word(uint32(i))) & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = uint32(i + 1)
	}
}

func (t *wordTable) word(i uint32) []byte {
	e := &t.entries[i]
	return t.text[e.offset:][:e.length]
}

// prefixOf packs the first eight bytes of a word, the first one highest.
func prefixOf(word []byte) uint64 {
	if len(word) >= 8 {
		return binary.BigEndian.Uint64(word)
	}
	var prefix uint64
	for _, c := range word {
		prefix = prefix<<8 | uint64(c)
	}
	return prefix << (8 * (8 - len(word)))
}

// hashFactor spreads bits: odd, with about as many ones as zeros. hashSeed prevents documents with words that
// all collide; it differs from run to run and never affects a result.
const hashFactor = 0x9E3779B97F4A7C15

var hashSeed = rand.Uint64()

// hashOf mixes a word for the hash table, with one multiplication for every eight bytes.
func hashOf(prefix uint64, word []byte) uint32 {
	hi, lo := bits.Mul64(prefix^hashSeed, hashFactor^uint64(len(word)))
	h := hi ^ lo
	for len(word) > 8 {
		word = word[8:]
		hi, lo = bits.Mul64(prefixOf(word)^h, hashFactor)
		h = hi ^ lo
	}
	return uint32(h ^ h>>32)
}

// words returns the stored words and their positions, sorted. The texts are substrings of text, which must be
// a copy of the table's own text.
func (t *wordTable) words(text string) []Word {
	for i := range t.entries {
		if t.entries[i].stored {
			t.stored = append(t.stored, uint32(i))
		}
	}
	if len(t.stored) == 0 {
		return nil
	}
	t.sortStored()

	var n uint32
	for _, i := range t.stored {
		t.entries[i].next = n
		n += t.entries[i].positions
	}
	positions := make([]uint16, n)
	for _, section := range t.occurrences {
		for _, o := range section {
			e := &t.entries[o>>16]
			positions[e.next] = uint16(o)
			e.next++
		}
	}

	list := make([]Word, len(t.stored))
	for k, i := range t.stored {
		e := &t.entries[i]
		start := e.next - e.positions
		list[k] = Word{
			Text:      text[e.offset:][:e.length],
			Positions: limitPositions(positions[start:e.next:e.next]),
		}
	}
	return list
}

// sortStored sorts the stored words. Comparing numbers is several times as fast as calling a function for
// each pair, so most of the work is done on the first six bytes of each word, followed by its index.
func (t *wordTable) sortStored() {
	byText := func(a, b uint32) int { return bytes.Compare(t.word(a), t.word(b)) }
	if len(t.entries) > 1<<16 {
		slices.SortFunc(t.stored, byText)
		return
	}
	t.keys = t.keys[:0]
	for _, i := range t.stored {
		t.keys = append(t.keys, t.entries[i].prefix&^0xFFFF|uint64(i))
	}
	slices.Sort(t.keys)
	from := 0 // first of the words with the same six bytes
	for k, key := range t.keys {
		if key>>16 != t.keys[from]>>16 {
			if k-from > 1 {
				slices.SortFunc(t.stored[from:k], byText)
			}
			from = k
		}
		t.stored[k] = uint32(key & 0xFFFF)
	}
	slices.SortFunc(t.stored[from:], byText)
}

// limitPositions drops the highest positions of the body, then of the next section, until at most
// maxPositions remain.
func limitPositions(p []uint16) []uint16 {
	for section := range sections {
		excess := len(p) - maxPositions
		if excess <= 0 {
			break
		}
		from, _ := slices.BinarySearch(p, uint16(section<<14))
		to := len(p)
		if section < sectionTitle {
			to, _ = slices.BinarySearch(p, uint16((section+1)<<14))
		}
		p = slices.Delete(p, max(from, to-excess), to)
	}
	return p[:len(p):len(p)]
}
