package merge

import (
	"cmp"
	"context"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// The limits of compaction. A search pays 10 to 20 µs for a further row of a word. So the number of rows
// matters less than the bytes: postings that are out of date, and those that each merge of segments writes
// again.
const (
	minSegments  = 4    // least number of segments that are merged into one, including the batch's own
	maxSizeRatio = 2    // a segment is merged with newer ones when it has at most so many times their bytes
	smallSegment = 4096 // or at most so many bytes
	lookShare    = 5    // one batch in so many looks up a word's segments
	baseShare    = 5    // the base is rewritten when the segments above it exceed a fifth of it
	budgetShare  = 6    // per cent of the touched words' bytes that a batch may write when it rewrites bases
	maxShare     = 3    // but at most so many times the batch's own bytes: a small batch does not pay for earlier large ones
	minShare     = 2    // and at least so many times: a build in batches must not fall behind
)

// bigWord is a word whose postings are in wordfile.
type bigWord struct {
	number   int32
	was      index.WordRow       // counts before the batch; no blob
	segments []index.SegmentStat // its segments, newest first; nil = not looked up by this batch
	gone     bool                // no posting remains
	take     int                 // number of newest segments that are merged with the batch's own; 0 = the batch's becomes a segment of its own
	level    int16               // level of the merged segment: the base when all are taken
}

// looksUp reports whether this batch, or its repetition after a crash, looks up the segments of a word: the
// look-up costs as much as adding a row. Batches take turns. A word that is touched at regular intervals,
// always in another's turn, is looked up by chance.
func looksUp(word store.WordID, state store.Changes) bool {
	turn := uint64(word) + uint64(state)
	chance := (uint64(word)<<32 ^ uint64(state)) * 0x9e3779b97f4a7c15 >> 59 // 0 to 31
	return turn%lookShare == 0 || chance == 0
}

// planCompaction decides about each word whose segments were looked up; the others get a row. size returns
// the bytes of the batch for a word, small whether all of its postings may fit into wordurl again. Segments
// above the base are merged when there are several of about the same size; a large one remains until the
// newer ones have the same size together. Bases are rewritten where that gains most for its cost, within a
// budget that follows the size of the batch. So a small batch pays neither for the size of the index nor for
// earlier large batches.
func planCompaction(words []bigWord, minBudget int64, size func(*bigWord) int64, small func(*bigWord) bool) {
	type rewrite struct {
		word   *bigWord
		cost   int64
		gain   float64
		forced bool
	}
	var list []rewrite
	var touched, brought, all int64 // bytes of the words looked up; the batch's own for these; the batch's own for all words
	for i := range words {
		w := &words[i]
		if w.gone {
			continue
		}
		all += size(w)
		if w.segments == nil {
			continue
		}
		w.tier(size(w))
		above, base := size(w), int64(0)
		for _, r := range w.segments {
			if r.Level == index.LevelBase {
				base += r.Bytes
			} else {
				above += r.Bytes
			}
		}
		touched += above + base
		brought += size(w)
		if above*baseShare > base || small(w) {
			cost := above + base
			list = append(list, rewrite{w, cost, float64(above) / float64(cost), small(w)})
		}
	}
	touched = int64(float64(touched) * float64(all) / float64(max(brought, 1))) // extrapolated to all words
	budget := max(minBudget, min(touched*budgetShare/100, all*maxShare), all*minShare)
	slices.SortStableFunc(list, func(a, b rewrite) int {
		if a.forced != b.forced {
			if a.forced {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.gain, a.gain)
	})
	for _, r := range list {
		if r.forced || r.cost <= budget {
			r.word.take, r.word.level = len(r.word.segments), index.LevelBase
			budget -= r.cost
		}
	}
}

// tier selects the newest segments above the base that are similar in size, if there are enough. While older
// ones remain on level 0 the merged segment stays there, too, because on one level the newer segment counts.
func (w *bigWord) tier(size int64) {
	above, n := size, 0
	for n < len(w.segments) && w.segments[n].Level < index.LevelBase && w.segments[n].Bytes <= max(maxSizeRatio*above, smallSegment) {
		above += w.segments[n].Bytes
		n++
	}
	if n+1 < minSegments {
		return
	}
	w.take, w.level = n, index.LevelUnited
	if n < len(w.segments) && w.segments[n].Level == index.LevelBatch {
		w.level = index.LevelBatch
	}
}

// taken returns the bytes of the selected segments.
func (w *bigWord) taken() (bytes int64) {
	for _, r := range w.segments[:w.take] {
		bytes += r.Bytes
	}
	return bytes
}

// writeLarge writes the words that are in wordfile.
func (o *wordWriter) writeLarge(ctx context.Context) error {
	slices.SortFunc(o.large, func(a, b bigWord) int { return cmp.Compare(a.was.ID, b.was.ID) })
	small := func(l *bigWord) bool {
		n := o.counts(l)
		return 12+6*int(n.URLCount)+2*int(n.TotalCount) <= o.lim.inline
	}
	var ids []store.WordID
	place := make(map[store.WordID]int)
	for i := range o.large {
		l := &o.large[i]
		switch left := l.was.URLCount + o.words[l.number].urls - o.words[l.number].oldURLs; {
		case left < 0:
			return damaged("wordurl", "%w: wordurl.urlcount of word %d is %d, but docwords has more documents", ErrDamaged, l.was.ID, l.was.URLCount)
		case left == 0:
			l.gone = true
		case looksUp(l.was.ID, o.Changes) || small(l):
			ids, place[l.was.ID] = append(ids, l.was.ID), i
		}
	}
	err := o.SegmentStats(ctx, ids, func(s index.SegmentStat) {
		l := &o.large[place[s.Word]]
		l.segments = append(l.segments, s)
	})
	if err != nil {
		return err
	}
	for _, i := range place {
		slices.SortFunc(o.large[i].segments, func(a, b index.SegmentStat) int { return a.Newer(&b.Segment) })
	}
	planCompaction(o.large, o.lim.minBudget, func(l *bigWord) int64 { return int64(o.words[l.number].size()) }, small)
	var add, drop, merging []*bigWord
	for i := range o.large {
		switch l := &o.large[i]; {
		case l.gone:
			drop = append(drop, l)
		case l.take > 0:
			merging = append(merging, l)
		default:
			add = append(add, l)
		}
	}
	if err := o.addRows(ctx, add); err != nil {
		return err
	}
	if err := o.dropWords(ctx, drop); err != nil {
		return err
	}
	return o.compact(ctx, merging)
}

// counts returns the word's row after the batch, while it remains in wordfile: counts are kept by
// differences. Nothing can be subtracted from a saturated totalcount, so it remains until the base is
// rewritten.
func (o *wordWriter) counts(l *bigWord) index.WordRow {
	x := &o.words[l.number]
	return index.WordRow{
		ID:         l.was.ID,
		URLCount:   l.was.URLCount + x.urls - x.oldURLs,
		TotalCount: addPositions(l.was.TotalCount, x.total-x.oldTotal),
	}
}

// addPositions adds a difference to a totalcount.
func addPositions(was int32, more int64) int32 {
	if was == posting.MostTotal {
		return was
	}
	return posting.TotalCount(int64(was) + more)
}

// count writes the counts, if they have changed.
func (o *wordWriter) count(l *bigWord, now index.WordRow) {
	o.leave(l.number, now)
	if len(now.URLs) > 0 || now.URLCount != l.was.URLCount || now.TotalCount != l.was.TotalCount {
		o.tally(l.was, now)
		o.update = append(o.update, now)
	}
}

// addRows adds segments of level 0.
func (o *wordWriter) addRows(ctx context.Context, words []*bigWord) error {
	for _, l := range words {
		x, blob := &o.words[l.number], o.blob(l.number)
		o.count(l, o.counts(l))
		if err := o.addBlob(x.id, index.LevelBatch, blob, posting.Totals{URLs: int(x.urls), Total: int(x.total)}); err != nil {
			return err
		}
		if o.bytes >= o.lim.hold || len(o.update) >= setSize {
			if err := o.flush(ctx); err != nil {
				return err
			}
		}
	}
	return o.flush(ctx)
}

// dropWords removes all postings of words. Their rows in wordurl remain.
func (o *wordWriter) dropWords(ctx context.Context, words []*bigWord) error {
	var all []index.Segment
	for _, l := range words {
		all = append(all, index.Segment{Word: l.was.ID, Level: index.LevelBase})
		now := index.WordRow{ID: l.was.ID}
		o.tally(l.was, now)
		o.update = append(o.update, now)
	}
	if err := o.DropSegments(ctx, all); err != nil {
		return err
	}
	return o.flush(ctx)
}

// compact merges segments of words, as many words at a time as fit into memory.
func (o *wordWriter) compact(ctx context.Context, words []*bigWord) error {
	o.sum.Compacted += int64(len(words))
	for len(words) > 0 {
		var bytes int64
		n := 0
		for n < len(words) && n < setSize && (n == 0 || bytes+words[n].taken() <= int64(o.lim.hold)) {
			bytes += words[n].taken()
			n++
		}
		var err error
		if bytes > int64(o.lim.hold) {
			err = o.mergeSegmentStream(ctx, words[0])
		} else {
			err = o.mergeSegmentGroup(ctx, words[:n])
		}
		if err != nil {
			return err
		}
		words = words[n:]
	}
	return nil
}

// mergeSegmentGroup merges the segments of words that fit into memory.
func (o *wordWriter) mergeSegmentGroup(ctx context.Context, words []*bigWord) error {
	oldest := make([]index.Segment, len(words))
	for i, l := range words {
		oldest[i] = l.segments[l.take-1].Segment
	}
	files, err := o.TakeSegments(ctx, oldest)
	if err != nil {
		return err
	}
	if err := failpoint.Hit("merge.mid-compact"); err != nil {
		return err
	}
	for _, l := range words { // by id, like files
		sources := []posting.Source{posting.NewIterator(o.blob(l.number))}
		for len(files) > 0 && files[0].Word == l.was.ID {
			n := 1
			for n < len(files) && files[n].Run() == files[0].Run() {
				n++
			}
			run := make([][]byte, n)
			for i := range run {
				run[i] = files[i].Blob
			}
			sources, files = append(sources, posting.NewIterator(run...)), files[n:]
		}
		if err := o.mergeSegments(ctx, l, sources, false); err != nil {
			return err
		}
	}
	return o.flush(ctx)
}

// mergeSegmentStream merges the segments of a word whose rows are read a few at a time.
func (o *wordWriter) mergeSegmentStream(ctx context.Context, l *bigWord) error {
	sources := []posting.Source{posting.NewIterator(o.blob(l.number))}
	for _, r := range l.segments[:l.take] {
		sources = append(sources, posting.NewStream(o.Blobs(ctx, r.Segment)))
	}
	if err := o.mergeSegments(ctx, l, sources, true); err != nil {
		return err
	}
	if err := o.flush(ctx); err != nil {
		return err
	}
	if err := failpoint.Hit("merge.mid-compact"); err != nil {
		return err
	}
	return o.DropSegments(ctx, []index.Segment{l.segments[l.take-1].Segment})
}

// mergeSegments writes the union of sources as a segment of the chosen level. When that is the base and small
// enough, the postings go back into wordurl. With write, rows are written as soon as enough are collected.
func (o *wordWriter) mergeSegments(ctx context.Context, l *bigWord, newestFirst []posting.Source, write bool) error {
	var t posting.Totals
	rows := 0
	removals := l.level < index.LevelBase // they may hide postings of older segments
	err := o.build.Cut(posting.NewUnion(removals, newestFirst...), o.lim.row, func(row posting.Row) error {
		t.URLs += row.URLs
		t.Total += row.Total
		rows++
		o.files = append(o.files, index.FileRow{Word: l.was.ID, Level: l.level, Seq: o.Seq, Row: row})
		o.bytes += len(row.Blob)
		if write && o.bytes >= o.lim.hold {
			return o.flushFiles(ctx)
		}
		return nil
	})
	if err != nil {
		return damagedFile(l.was.ID, err)
	}
	now := o.counts(l)
	if l.level == index.LevelBase {
		now.URLCount, now.TotalCount = int32(t.URLs), posting.TotalCount(int64(t.Total))
		if last := len(o.files) - 1; rows == 1 && len(o.files[last].Blob) <= o.lim.inline {
			now.URLs = o.files[last].Blob
			o.files = o.files[:last]
		}
	}
	o.count(l, now)
	return nil
}
