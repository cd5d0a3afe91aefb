package storetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// checkDocwords checks that docwords has the words that the index has of every document, their counts, and in
// version 2 the fingerprints of the blocks of their positions.
func checkDocwords(d *database) {
	stored := map[int32]bool{}
	for _, x := range d.docwords {
		stored[x.URL] = true
		if d.url[x.URL] == nil {
			d.report("docwords: %s", d.name(x.URL))
		}
		if x.Seq <= 0 || x.Seq > d.seq {
			d.report("docwords: %s: seq %d, journal_seq is at %d", d.name(x.URL), x.Seq, d.seq)
		}
		words, blocks, err := unpackDocwords(x.Words)
		if err != nil {
			d.report("docwords: %s: corrupt: %v", d.name(x.URL), err)
			continue
		}
		if blocks != nil && !maps.Equal(blocks, d.blocks[x.URL]) {
			d.report("docwords: %s: %s", d.name(x.URL), differBlocks(blocks, d.blocks[x.URL]))
		}
		if !slices.Equal(words, d.merged[x.URL]) {
			d.report("docwords: %s: %s", d.name(x.URL), differ(words, d.merged[x.URL]))
		}
		if len(words) == 0 && !d.olderWaits(x) {
			d.report("docwords: %s: a row without words and without waiting journal rows", d.name(x.URL))
		}
	}
	for i := range d.urls {
		if id := d.urls[i].ID; !stored[id] && len(d.merged[id]) > 0 {
			d.report("docwords: %s has no row, but the index has %d words for it", d.name(id), len(d.merged[id]))
		}
	}
}

// olderWaits reports whether the journal has words of a document that are older than the merged ones. Then
// its row in docwords marks them as late.
func (d *database) olderWaits(x docwordsRow) bool {
	return slices.ContainsFunc(d.journal, func(j journalRow) bool { return j.URL == x.URL && j.Words != nil && j.Seq < x.Seq })
}

// wordsOf unpacks a row of docwords as far as it can be read.
func (d *database) wordsOf(x docwordsRow) []docWord {
	words, _, _ := unpackDocwords(x.Words)
	return words
}

// unpackDocwords reads docwords.words. blocks are the fingerprints by block, nil in version 1.
func unpackDocwords(b []byte) (words []docWord, blocks map[uint16]uint64, err error) {
	if len(b) < 2 || b[0] != 1 && b[0] != 2 {
		return nil, nil, fmt.Errorf("%d bytes, not of version 1 or 2", len(b))
	}
	rest := b[1:]
	number := func() uint64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 && err == nil {
			err = fmt.Errorf("no number at byte %d of %d", len(b)-len(rest), len(b))
		}
		rest = rest[max(n, 0):]
		return v
	}
	id := uint64(0)
	for n := number(); n > 0 && err == nil; n-- {
		delta, count := number(), number()
		if id += delta; err == nil && (delta == 0 || id > 1<<31-1 || count == 0 || count > maxCount) {
			return words, nil, fmt.Errorf("word %d %d times at byte %d", id, count, len(b)-len(rest))
		}
		words = append(words, docWord{int32(id), int32(count)})
	}
	if b[0] == 2 && err == nil {
		blocks = map[uint16]uint64{}
		index := uint64(0)
		for n := number(); n > 0 && err == nil; n-- {
			if index += number(); err != nil || index >= 1<<10 || len(rest) < 8 {
				return words, nil, fmt.Errorf("block %d at byte %d of %d", index, len(b)-len(rest), len(b))
			}
			if _, twice := blocks[uint16(index)]; twice {
				return words, nil, fmt.Errorf("block %d is there twice", index)
			}
			blocks[uint16(index)] = binary.LittleEndian.Uint64(rest)
			rest = rest[8:]
		}
	}
	if err == nil && len(rest) > 0 {
		err = errors.New("bytes behind the end")
	}
	return words, blocks, err
}

// fingerprint returns the contribution of a word at a position to the fingerprint of its block: FNV-1a of the
// word and the finalizer of splitmix64, written independently of store/posting.
func fingerprint(word string, position uint16) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word)) // never fails
	z := h.Sum64() + 0x9e3779b97f4a7c15*uint64(position)
	z ^= z >> 30
	z *= 0xbf58476d1ce4e5b9
	z ^= z >> 27
	z *= 0x94d049bb133111eb
	z ^= z >> 31
	return z
}

// checkDocuments checks that, after the merge of all waiting entries, the index has the words and counts of
// the content row of every live original, and no words of other documents.
func checkDocuments(d *database) {
	merged := byKey(d.docwords, func(x *docwordsRow) int32 { return x.URL })
	newest := map[int32]int64{}      // URL → its newest fact
	final := map[int32]*journalRow{} // URL → its newest fact, when that is a version
	note := func(url int32, seq int64, j *journalRow) {
		if m := merged[url]; (m == nil || seq > m.Seq) && seq > newest[url] {
			newest[url], final[url] = seq, j
		}
	}
	for i := range d.journal {
		if j := &d.journal[i]; j.Words != nil {
			note(j.URL, j.Seq, j)
		}
	}
	for i := range d.marks {
		note(d.marks[i].URL, d.marks[i].Seq, nil)
	}
	for i := range d.urls {
		u := &d.urls[i]
		var words, sums int
		where, limited := "the index", d.full[u.ID]
		switch j := final[u.ID]; {
		case j != nil:
			where, limited = "the newest journal row", false
			for _, positions := range d.decoded[j.Seq] {
				words, sums, limited = words+1, sums+len(positions), limited || full(positions)
			}
		case newest[u.ID] > 0:
			where = "its mark"
		default:
			for _, w := range d.merged[u.ID] {
				words, sums = words+1, sums+int(w.Count)
			}
		}
		c := d.content[u.ID]
		if !u.live() || u.Origin != 0 {
			if words > 0 {
				d.report("wordurl: %s: status %d, deleted %v, origin %d, but %d words by %s", d.name(u.ID), u.base(), u.Deleted, u.Origin, words, where)
			}
			continue
		}
		if c == nil {
			continue // checkContent reports it
		}
		if words != int(c.WordCount) || sums != int(c.TotalCount) && !(sums < int(c.TotalCount) && limited) {
			d.report("wordurl: %s: wordcount %d, totalcount %d, but %d words with %d positions by %s",
				d.name(u.ID), c.WordCount, c.TotalCount, words, sums, where)
		}
	}
}

// differ returns the differences between a row of docwords and the index.
func differ(said, index []docWord) string {
	for i := 0; ; i++ {
		switch {
		case i == len(said):
			return fmt.Sprintf("does not have word %d, the index has it %d times", index[i].ID, index[i].Count)
		case i == len(index) || said[i].ID < index[i].ID:
			return fmt.Sprintf("has word %d %d times, the index does not have it", said[i].ID, said[i].Count)
		case said[i] != index[i]:
			return fmt.Sprintf("says word %d %d times, the index has word %d %d times", said[i].ID, said[i].Count, index[i].ID, index[i].Count)
		}
	}
}

// differBlocks returns the first block in which a row of docwords and the index differ.
func differBlocks(said, index map[uint16]uint64) string {
	for _, i := range slices.Sorted(maps.Keys(said)) {
		if sum, ok := index[i]; !ok || sum != said[i] {
			return fmt.Sprintf("says fingerprint %016x of block %d, the index has %016x", said[i], i, sum)
		}
	}
	return fmt.Sprintf("has fingerprints of %d blocks, the index has %d blocks", len(said), len(index))
}
