package merge

import (
	"bytes"
	"context"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// setSize is the number of rows of wordurl that are read and written at once.
const setSize = 5000

// limits are sizes in bytes that decide where postings are stored and how much is held.
type limits struct {
	inline    int   // the largest blob in wordurl
	row       int   // the largest blob in wordfile
	hold      int   // of wordfile, collected before they are written; a word with more is read a few rows at a time
	keep      int   // of wordurl, kept from finding a word to writing it
	minBudget int64 // the least budget of a batch for merging segments
	links     int   // number of changed links held at once; 0 = by Options.Memory
	versions  int   // number of journal rows that a rebuild dates at once
}

var standard = limits{inline: posting.MaxInline, row: posting.MaxRow, hold: 4 << 20, keep: 8 << 20, minBudget: 1 << 16, versions: 20000}

// wordWriter collects rows and writes them in sets.
type wordWriter struct {
	*wordBatch
	update []index.WordRow
	files  []index.FileRow
	bytes  int // of files
	large  []bigWord
	it     [2]posting.Iterator
	build  posting.Builder
}

// write brings the blobs of the buffer into wordurl and wordfile.
func (w *wordBatch) write(ctx context.Context) error {
	out := &wordWriter{wordBatch: w}
	known := w.order[:len(w.order)-w.fresh]
	for lo := 0; lo < len(known); lo += setSize {
		if err := out.writeKnown(ctx, known[lo:min(lo+setSize, len(known))]); err != nil {
			return err
		}
	}
	if err := out.writeLarge(ctx); err != nil {
		return err
	}
	if err := out.writeFresh(ctx, w.order[len(known):]); err != nil {
		return err
	}
	return w.CountChurn(ctx)
}

// writeKnown merges words with their rows. Large ones are set aside for writeLarge.
func (o *wordWriter) writeKnown(ctx context.Context, numbers []int32) error {
	var missing []int32
	for _, n := range numbers {
		if int(n) >= len(o.rows) || o.rows[n].ID == 0 {
			missing = append(missing, n)
			continue
		}
		if err := o.mergeRow(n, o.rows[n]); err != nil {
			return err
		}
		o.rows[n] = index.WordRow{} // releases the blob
	}
	ids := make([]store.WordID, len(missing))
	for k, n := range missing {
		ids[k] = o.words[n].id
	}
	k := 0
	err := o.WordRows(ctx, ids, func(row index.WordRow) error {
		if k == len(ids) || row.ID != ids[k] {
			return damaged("wordurl", "%w: wordurl has no word %d", ErrDamaged, ids[min(k, len(ids)-1)])
		}
		k++
		return o.mergeRow(missing[k-1], row)
	})
	if err != nil {
		return err
	}
	if k != len(ids) {
		return damaged("wordurl", "%w: wordurl has no word %d", ErrDamaged, ids[k])
	}
	return o.flush(ctx)
}

// mergeRow merges a word with its row, or sets it aside.
func (o *wordWriter) mergeRow(n int32, row index.WordRow) error {
	if len(row.URLs) == 0 && row.URLCount > 0 {
		o.large = append(o.large, bigWord{number: n, was: row})
		return nil
	}
	return o.mergeSmallRow(n, row)
}

// mergeSmallRow merges a word with its inline blob.
func (o *wordWriter) mergeSmallRow(n int32, row index.WordRow) error {
	x, delta := &o.words[n], o.blob(n)
	if len(row.URLs) == 0 && x.oldURLs == 0 {
		return o.put(n, row, delta, posting.Totals{URLs: int(x.urls), Total: int(x.total)})
	}
	o.it[0].Reset(delta)
	o.it[1].Reset(row.URLs)
	o.build.Reset()
	u := posting.NewUnion(false, &o.it[0], &o.it[1])
	for u.Next() {
		o.build.AddRaw(u.Site(), u.URL(), u.Raw())
	}
	if u.Err() != nil {
		return damaged("wordurl", "wordurl.urls of word %d: %w: %w", row.ID, ErrDamaged, u.Err())
	}
	return o.put(n, row, o.build.AppendTo(make([]byte, 0, o.build.Len())), o.build.Totals())
}

// put writes a small word: back into its row, or as base rows when it has grown. An unchanged row is not
// written.
func (o *wordWriter) put(n int32, row index.WordRow, blob []byte, t posting.Totals) error {
	now := index.WordRow{ID: row.ID, URLCount: int32(t.URLs), TotalCount: posting.TotalCount(int64(t.Total))}
	if len(blob) <= o.lim.inline {
		now.URLs = blob
	} else if err := o.addBlob(row.ID, index.LevelBase, blob, t); err != nil {
		return err
	}
	o.leave(n, now)
	if now.URLCount == row.URLCount && now.TotalCount == row.TotalCount && bytes.Equal(now.URLs, row.URLs) {
		return nil
	}
	o.tally(row, now)
	o.update = append(o.update, now)
	return nil
}

// writeFresh writes words that have no row yet: first their rows of wordurl, then those of wordfile.
func (o *wordWriter) writeFresh(ctx context.Context, numbers []int32) error {
	err := o.InsertWords(ctx, len(numbers), func(i int) (string, index.WordRow) {
		return o.text[numbers[i]], o.freshRow(numbers[i])
	})
	if err != nil {
		return err
	}
	o.sum.Words += int64(len(numbers))
	for _, n := range numbers {
		x, row := &o.words[n], o.freshRow(n)
		o.tally(index.WordRow{}, row)
		o.leave(n, row)
		if x.size() <= o.lim.inline {
			continue
		}
		if err := o.addBlob(x.id, index.LevelBase, o.blob(n), posting.Totals{URLs: int(x.urls), Total: int(x.total)}); err != nil {
			return err
		}
		if o.bytes >= o.lim.hold {
			if err := o.flush(ctx); err != nil {
				return err
			}
		}
	}
	return o.flush(ctx)
}

// freshRow returns the row of a word that has none yet.
func (o *wordWriter) freshRow(n int32) index.WordRow {
	x := &o.words[n]
	row := index.WordRow{ID: x.id, URLCount: x.urls, TotalCount: posting.TotalCount(x.total)}
	if x.size() <= o.lim.inline {
		row.URLs = o.blob(n)
	}
	return row
}

// addBlob makes rows of wordfile, usually one, of a blob that does not change until they are written.
func (o *wordWriter) addBlob(id store.WordID, level int16, blob []byte, t posting.Totals) error {
	add := func(row posting.Row) error {
		o.files = append(o.files, index.FileRow{Word: id, Level: level, Seq: o.Seq, Row: row})
		o.bytes += len(row.Blob)
		return nil
	}
	if len(blob) > o.lim.row {
		return o.build.Cut(posting.NewIterator(blob), o.lim.row, add)
	}
	row := posting.Row{Totals: t, Blob: blob}
	row.FirstSite, row.FirstURL = posting.First(blob)
	return add(row)
}

// flush writes the collected rows.
func (o *wordWriter) flush(ctx context.Context) error {
	if err := failpoint.Hit("merge.mid-write"); err != nil {
		return err
	}
	if err := o.flushFiles(ctx); err != nil {
		return err
	}
	for lo := 0; lo < len(o.update); lo += setSize {
		if err := o.UpdateWords(ctx, o.update[lo:min(lo+setSize, len(o.update))]); err != nil {
			return err
		}
	}
	o.sum.Words += int64(len(o.update))
	clear(o.update) // releases the blobs
	o.update = o.update[:0]
	return nil
}

// flushFiles writes the collected rows of wordfile.
func (o *wordWriter) flushFiles(ctx context.Context) error {
	if err := o.InsertFiles(ctx, o.files); err != nil {
		return err
	}
	clear(o.files)
	o.files, o.bytes = o.files[:0], 0
	return nil
}
