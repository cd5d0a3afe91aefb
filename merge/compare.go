package merge

import (
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// wordComparison compares the versions of a batch with the versions that were merged before.
//
// A word that only the older version has is lost. A posting that has not changed is the same, and the batch
// does not touch it: the older version had the word with the same count, and all of its positions now are in
// blocks with unchanged fingerprints. Equal fingerprints mean that in these blocks each word has the same
// positions as before (posting.BlockSums). So the old positions are among the new ones, and because their
// number is equal they are the new ones. A version without fingerprints in docwords (old, mended, or sparse,
// see maxBlocks) has no such posting.
type wordComparison struct {
	*wordBatch
	byID     map[store.WordID]int32 // numbers; only filled when a document has an older version
	entry    cursor[entry]          // the next of the new versions
	position cursor[uint16]
}

// compare finds the words that each document has lost, and the postings that have not changed.
func (w *wordBatch) compare() error {
	c := &wordComparison{wordBatch: w, entry: w.entries.read(), position: w.positions.read()}
	w.nlost = make([]int32, len(w.changes))
	for k, i := range w.changes {
		if err := c.document(k, &w.docs[i]); err != nil {
			return damaged("docwords", "docwords of url %d: %w: %w", w.docs[i].url, ErrDamaged, err)
		}
	}
	return nil
}

// document compares the versions of one document, the k-th that changes.
func (c *wordComparison) document(k int, d *docState) error {
	stamp, mine := int32(k+1), c.entry
	positions := 0
	for range d.words {
		e := c.entry.next()
		x := &c.words[e.word]
		x.stamp, x.count = stamp, e.count
		positions += int(e.count)
	}
	if !d.had {
		c.position.skip(positions)
		return nil
	}
	before, err := c.older(k, stamp, d.old)
	if err != nil {
		return err
	}
	equal := posting.EqualBlocks(before, d.blocks)
	for range d.words {
		e := mine.next()
		x := &c.words[e.word]
		asOften := x.stamp == -stamp
		e.same = c.stays(e, &equal) && asOften
		if asOften && !e.same {
			x.oldURLs++
			x.oldTotal += int64(e.count)
		}
	}
	d.old = nil
	return nil
}

// older reads the words of the k-th document's older version. It counts those that the new version lacks or
// has with another count; the others get the negative stamp. It returns the fingerprints, nil when there are
// none.
func (c *wordComparison) older(k int, stamp int32, packed []byte) (blocks []byte, err error) {
	c.fill()
	r, err := posting.NewDocWordsReader(packed)
	if err != nil {
		return nil, err
	}
	for r.Next() {
		old := r.Word()
		n, ok := c.byID[store.WordID(old.ID)]
		if !ok {
			n = int32(len(c.words))
			c.byID[store.WordID(old.ID)] = n
			c.words = append(c.words, word{id: store.WordID(old.ID)})
		}
		x := &c.words[n]
		switch {
		case x.stamp != stamp:
			c.lost.add(n)
			c.nlost[k]++
		case int(x.count) == old.Count && !x.fresh:
			x.stamp = -stamp
			continue
		}
		x.oldURLs++
		x.oldTotal += int64(old.Count)
	}
	return r.Blocks(), r.Err()
}

// fill builds the map of numbers by id.
func (c *wordComparison) fill() {
	if c.byID != nil {
		return
	}
	c.byID = make(map[store.WordID]int32, len(c.words))
	for n := range c.words {
		c.byID[c.words[n].id] = int32(n)
	}
}

// stays reports whether all positions of a word are in equal blocks, and reads them.
func (c *wordComparison) stays(e *entry, equal *posting.BlockSet) bool {
	for k := range int(e.count) {
		if !equal.Has(*c.position.next()) {
			c.position.skip(int(e.count) - k - 1)
			return false
		}
	}
	return true
}
