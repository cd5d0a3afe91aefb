package merge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// word is a word that the batch touches, identified by its number while the batch runs.
type word struct {
	id       store.WordID
	fresh    bool   // it has no row yet
	count    uint16 // of positions in the last document with it, while versions are compared,
	stamp    int32  // and that document: negative when the word has the same count as before
	lastSite int32
	sites    int32 // directory entries of its blob
	start    int   // of its blob in the buffer
	records  int   // bytes of its records
	// The batch's additions to the word's counts, and its subtractions.
	urls, oldURLs   int32
	total, oldTotal int64
}

// maxBlocks bounds the fingerprints of a version to so many times its packed words, from whose size the
// batch's memory is computed, in addition to memoryPerByte. Only positions that are far from each other have
// longer fingerprints, a word in every 64; such a version is stored without.
const maxBlocks = 2

// entry is a word of a version.
type entry struct {
	word  int32
	count uint16
	same  bool // its posting is in the index unchanged
}

// wordBatch has the words of a batch.
type wordBatch struct {
	*batch
	number    *dictionary
	hash      []uint64    // by number (posting.TextHash), while versions are decoded
	text      []string    // by number; words that are only lost have none
	words     []word      // by number
	fresh     int         // words that have no row yet
	entries   list[entry] // of each changed document in order
	positions list[uint16]
	lost      list[int32]     // removals: a number each
	nlost     []int32         // of each changed document
	order     []int32         // numbers of the words that change, by ascending id, those of fresh words last
	knownAt   []int32         // by number, the word's number in known; nil = nothing is kept
	rows      []index.WordRow // by number, the known rows of wordurl; one without an id has to be read
	kept      int             // bytes of postings in rows
	buf       []byte          // every word's new postings and removals as a blob
	source    source          // packed words from elsewhere than the journal; nil = the journal
}

// source passes the packed words of versions to f, as index.MergeBatch.PackedWords does.
type source func(ctx context.Context, urls []store.URLID, seqs []int64, f func(i int, words []byte) error) error

// mergeWords brings the versions and removals of the batch into the inverted index.
func (m *batch) mergeWords(ctx context.Context) error {
	if len(m.changes) == 0 {
		return nil
	}
	return (&wordBatch{batch: m, number: newDictionary()}).merge(ctx)
}

// merge does the words' part of a batch, in order.
func (w *wordBatch) merge(ctx context.Context) error {
	if err := w.decode(ctx); err != nil {
		return err
	}
	if err := w.identify(ctx); err != nil {
		return err
	}
	w.hash = nil
	if err := w.compare(); err != nil {
		return err
	}
	if len(w.words) > len(w.text) {
		w.known.drop(w.words[len(w.text):]) // their rows change, and their texts are not known
	}
	if err := w.writeDocWords(ctx); err != nil {
		return err
	}
	w.measure()
	w.place()
	w.entries, w.positions, w.lost = list[entry]{}, list[uint16]{}, list[int32]{}
	return w.write(ctx)
}

// decode reads the packed words of all versions into the arrays.
func (w *wordBatch) decode(ctx context.Context) error {
	var (
		urls  []store.URLID
		sites []store.SiteID
		seqs  []int64
		at    []int32
	)
	for _, i := range w.changes {
		if d := &w.docs[i]; d.fate == version {
			urls, sites, seqs, at = append(urls, d.url), append(sites, d.site), append(seqs, d.seq), append(at, i)
		}
	}
	unknown, err := w.UnknownURL(ctx, urls, sites)
	if err != nil {
		return err
	}
	if unknown != 0 {
		i := slices.Index(urls, unknown)
		return damaged("journal", "journal row seq %d: %w: site %d has no url %d", seqs[i], ErrDamaged, sites[i], unknown)
	}
	var r posting.WordsReader
	var blocks posting.BlockSums
	var packedBlocks []byte
	read := w.PackedWords
	if w.source != nil {
		read = w.source
	}
	return read(ctx, urls, seqs, func(k int, packed []byte) error {
		err := r.Reset(packed)
		clear(blocks[:])
		length := 0
		for err == nil && r.Next() {
			n := w.number.add(r.Word())
			if int(n) == len(w.hash) {
				w.hash = append(w.hash, posting.TextHash(r.Word()))
			}
			blocks.Add(w.hash[n], r.Positions())
			length += len(r.Positions())
			w.entries.add(entry{word: n, count: uint16(len(r.Positions()))})
			for _, p := range r.Positions() {
				w.positions.add(p)
			}
		}
		if err == nil {
			err = r.Err()
		}
		if err != nil {
			return damaged("journal", "journal row seq %d, words of url %d: %w: %w", seqs[k], urls[k], ErrDamaged, err)
		}
		d := &w.docs[at[k]]
		d.words, d.length = int32(r.Len()), length
		if packedBlocks = blocks.AppendTo(packedBlocks[:0]); len(packedBlocks) <= maxBlocks*len(packed) {
			d.blocks = bytes.Clone(packedBlocks)
		}
		return nil
	})
}

// writeDocWords writes the words of the versions to docwords.
func (w *wordBatch) writeDocWords(ctx context.Context) error {
	const set = 1000
	var insert, update []index.DocWords
	flush := func() error {
		if err := w.InsertDocWords(ctx, insert); err != nil {
			return err
		}
		if err := w.UpdateDocWords(ctx, update); err != nil {
			return err
		}
		insert, update = insert[:0], update[:0]
		return nil
	}
	var keys []uint64
	var packed []posting.DocWord
	entries := w.entries.read()
	for _, i := range w.changes {
		d := &w.docs[i]
		if d.words == 0 {
			continue // left to resolveFates
		}
		keys, packed = keys[:0], packed[:0]
		for range d.words {
			e := entries.next()
			keys = append(keys, uint64(w.words[e.word].id)<<16|uint64(e.count))
		}
		slices.Sort(keys) // sorted already in a first build, where ids ascend like words
		for _, k := range keys {
			packed = append(packed, posting.DocWord{ID: int32(k >> 16), Count: int(k & 0xffff)})
		}
		row := index.DocWords{URL: d.url, Seq: d.seq, Words: posting.AppendDocWordsBlocks(nil, packed, d.blocks)}
		d.blocks = nil
		if d.had {
			update = append(update, row)
		} else {
			insert = append(insert, row)
		}
		if len(insert)+len(update) == set {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// measure computes the size of each word's blob and its place in the buffer, by ascending id, the order in
// which they are written.
func (w *wordBatch) measure() {
	entries, lost := w.entries.read(), w.lost.read()
	for k, i := range w.changes {
		d := &w.docs[i]
		for range d.words {
			e := entries.next()
			if e.same {
				continue
			}
			x := &w.words[e.word]
			x.urls++
			x.total += int64(e.count)
			x.records += 6 + 2*int(e.count)
			x.visit(int32(d.site))
		}
		for range w.nlost[k] {
			x := &w.words[*lost.next()]
			x.records += 6
			x.visit(int32(d.site))
		}
	}
	w.order = make([]int32, 0, len(w.words))
	for n := range w.words {
		if w.words[n].sites > 0 { // else all of its postings are there already
			w.order = append(w.order, int32(n))
		}
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		x, y := &w.words[a], &w.words[b]
		if x.fresh != y.fresh { // index -T may have inserted words after the ids of fresh ones were drawn
			return cmp.Compare(one(x.fresh), one(y.fresh))
		}
		return cmp.Compare(x.id, y.id)
	})
	size := 0
	for _, n := range w.order {
		x := &w.words[n]
		x.start = size
		size += x.size()
		x.lastSite = 0
	}
	w.buf = make([]byte, size)
}

// visit counts the site when the word was not on it yet.
func (x *word) visit(site int32) {
	if x.lastSite != site {
		x.lastSite = site
		x.sites++
	}
}

// size returns the length of the word's blob.
func (x *word) size() int { return 8*int(x.sites) + 4 + x.records }

// place writes every posting and removal to its place in the buffer.
func (w *wordBatch) place() {
	type cursor struct{ head, record int } // places of the word's next directory entry and record
	at := make([]cursor, len(w.words))
	for _, n := range w.order {
		x := &w.words[n]
		at[n] = cursor{x.start, x.start + 8*int(x.sites) + 4}
		binary.LittleEndian.PutUint32(w.buf[x.start+8*int(x.sites):], uint32(x.size()))
	}
	// open begins the word's next record and returns the place of its count.
	open := func(n int32, d *docState) int {
		x, c := &w.words[n], &at[n]
		if x.lastSite != int32(d.site) {
			x.lastSite = int32(d.site)
			binary.LittleEndian.PutUint32(w.buf[c.head:], uint32(c.record-x.start))
			binary.LittleEndian.PutUint32(w.buf[c.head+4:], uint32(d.site))
			c.head += 8
		}
		binary.LittleEndian.PutUint32(w.buf[c.record:], uint32(d.url))
		c.record += 6
		return c.record - 2
	}
	entries, positions, lost := w.entries.read(), w.positions.read(), w.lost.read()
	for k, i := range w.changes {
		d := &w.docs[i]
		for range d.words {
			e := entries.next()
			if e.same {
				positions.skip(int(e.count))
				continue
			}
			p := open(e.word, d)
			binary.LittleEndian.PutUint16(w.buf[p:], e.count)
			for range e.count {
				p += 2
				binary.LittleEndian.PutUint16(w.buf[p:], *positions.next())
			}
			at[e.word].record = p + 2
		}
		for range w.nlost[k] {
			open(*lost.next(), d) // a count of 0
		}
	}
}

// blob returns the word's new postings and removals.
func (w *wordBatch) blob(n int32) []byte {
	x := &w.words[n]
	return w.buf[x.start : x.start+x.size() : x.start+x.size()]
}
