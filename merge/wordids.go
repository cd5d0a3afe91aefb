package merge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/pgseek/pgseek/store/index"
)

// identify finds the ids of the words and gives ids to new ones, ascending in the order of the words, so that
// both indexes of wordurl grow at one end.
func (w *wordBatch) identify(ctx context.Context) error {
	w.text = w.number.words()
	w.words = make([]word, len(w.text), len(w.text)+len(w.text)/8) // with room for words that are only lost
	order, sorted := w.sortWords()
	if err := w.findWords(ctx, order, sorted); err != nil {
		return err
	}
	for n := range w.words {
		if w.words[n].id == 0 {
			w.fresh++
		}
	}
	ids, err := w.DrawWordIDs(ctx, w.fresh)
	if err != nil {
		return err
	}
	for _, n := range order {
		if x := &w.words[n]; x.id == 0 {
			x.id, x.fresh, ids = ids[0], true, ids[1:]
		}
	}
	return nil
}

// findWords finds the ids of sorted words that have rows: in the rows kept from earlier batches, and in the
// table.
func (w *wordBatch) findWords(ctx context.Context, order []int32, sorted []string) error {
	if w.known == nil {
		_, err := w.askWords(ctx, order, sorted)
		return err
	}
	var ask []int32
	var words []string
	all, room := w.known.all, true
	if !w.known.last {
		w.knownAt = make([]int32, len(w.text))
	}
	for i, n := range order {
		at, row := w.known.find(sorted[i])
		room = room && at != noRow
		if w.knownAt != nil {
			w.knownAt[n] = at
		}
		switch {
		case row.ID != 0:
			w.words[n].id = row.ID
			w.setRow(n, row)
		case !all:
			ask, words = append(ask, n), append(words, sorted[i])
		}
	}
	if !all {
		var err error
		if all, err = w.askWords(ctx, ask, words); err != nil {
			return err
		}
	}
	w.known.all = all && room
	return nil
}

// askWords reads the rows of sorted words. It reports whether the table is empty.
func (w *wordBatch) askWords(ctx context.Context, numbers []int32, sorted []string) (empty bool, err error) {
	return w.WordIDs(ctx, sorted, func(i int, row index.WordRow) {
		w.words[numbers[i]].id = row.ID
		w.keepRow(numbers[i], row)
	})
}

// sortWords returns the numbers of the words in the order of the words, and the sorted words.
func (w *wordBatch) sortWords() (order []int32, sorted []string) {
	type key struct {
		begin  uint64 // the first bytes, which differ for most words
		number int32
	}
	keys := make([]key, len(w.text))
	for n, text := range w.text {
		var b [8]byte
		copy(b[:], text)
		keys[n] = key{binary.BigEndian.Uint64(b[:]), int32(n)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.begin != b.begin {
			return cmp.Compare(a.begin, b.begin)
		}
		return cmp.Compare(w.text[a.number], w.text[b.number])
	})
	order, sorted = make([]int32, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		order[i], sorted[i] = k.number, w.text[k.number]
	}
	return order, sorted
}

// keepRow keeps the row of a word for writeKnown while there is room: most batches read each row once.
func (w *wordBatch) keepRow(n int32, row index.WordRow) {
	if w.kept+len(row.URLs) > w.lim.keep {
		return
	}
	w.kept += len(row.URLs)
	row.URLs = bytes.Clone(row.URLs)
	w.setRow(n, row)
}

// setRow keeps the row of a word. The batch owns its bytes.
func (w *wordBatch) setRow(n int32, row index.WordRow) {
	if w.rows == nil {
		w.rows = make([]index.WordRow, len(w.words))
	}
	w.rows[n] = row
}

// leave passes the new row of a word to the next batch.
func (w *wordBatch) leave(n int32, row index.WordRow) {
	if int(n) < len(w.knownAt) && w.knownAt[n] != noRow {
		w.known.set(w.knownAt[n], row)
	}
}
