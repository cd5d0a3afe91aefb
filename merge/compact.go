package merge

import (
	"cmp"
	"context"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/posting"
)

// The limits of storage.md 5. A search pays 10 to 20 µs for a further row of a word, so the number of rows matters less
// than the bytes: what is out of date, and what every union writes again.
const (
	uniteRuns   = 6 // batches that a word has on level 0 when they are united into level 1
	unitedRuns  = 4 // runs of level 1, the new one too, that become one
	mostRuns    = uniteRuns - 1 + unitedRuns - 1 + 1
	baseShare   = 5  // the base is written anew when what stands above it passes a fifth of it
	budgetShare = 10 // per cent of the touched words' bytes that a batch may write when it rewrites bases
	mostShare   = 3  // but not more than so many times what it brings: a small batch does not pay for the large ones before
	leastShare  = 2  // nor less than this: a build in batches keeps pace with itself
)

// action is what a batch does with a large word.
type action uint8

const (
	addRow      action = iota // its postings become a row of level 0
	uniteDeltas               // they are united with all of level 0 and become a run of level 1
	uniteAbove                // they are united with all of levels 0 and 1 and become the only run of level 1
	rewriteBase               // they are united with everything; removals and what is out of date go
	dropAll                   // nothing is left of the word
)

// levels is what a word has in wordfile, by level.
type levels struct {
	runs  [3]int
	bytes [3]int64
}

// planCompaction chooses what happens to each word. size returns the bytes that the batch brings for a word, small
// whether all of it may fit into wordurl again. The base is written anew where it gains most for what it costs. However
// often a word is touched, its base is only written anew for bytes that stand above it, never for their number of runs: so a
// small change costs the same on a large index as on a small one.
func planCompaction(words []large, leastBudget int64, size func(*large) int64, small func(*large) bool) {
	type due struct {
		word   *large
		cost   int64
		gain   float64
		forced bool
	}
	var list []due
	var touched, brought int64
	for i := range words {
		w := &words[i]
		if w.plan == dropAll {
			continue
		}
		s := &w.stat
		above := s.bytes[store.LevelBatch] + s.bytes[store.LevelUnited] + size(w)
		base := s.bytes[store.LevelBase]
		touched += above + base
		brought += size(w)
		if s.runs[store.LevelBatch]+1 >= uniteRuns { // unless more is done below
			w.plan = uniteDeltas
			if s.runs[store.LevelUnited]+1 >= unitedRuns {
				w.plan = uniteAbove
			}
		}
		if above*baseShare > base || small(w) {
			cost := above + base
			list = append(list, due{w, cost, float64(above) / float64(cost), small(w)})
		}
	}
	budget := max(leastBudget, min(touched*budgetShare/100, brought*mostShare), brought*leastShare)
	slices.SortStableFunc(list, func(a, b due) int {
		if a.forced != b.forced {
			if a.forced {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.gain, a.gain)
	})
	for _, d := range list {
		if d.forced || d.cost <= budget {
			d.word.plan = rewriteBase
			budget -= d.cost
		}
	}
}

// writeLarge writes the words that stand in wordfile.
func (o *wordWriter) writeLarge(ctx context.Context) error {
	ids := make([]store.WordID, len(o.large))
	place := make(map[store.WordID]int, len(o.large))
	for i := range o.large {
		l := &o.large[i]
		ids[i] = l.was.ID
		place[ids[i]] = i
		switch left := l.was.URLCount + o.words[l.number].urls - o.words[l.number].oldURLs; {
		case left < 0:
			return damaged("wordurl", "%w: wordurl.urlcount of word %d is %d, but docwords count more", ErrDamaged, l.was.ID, l.was.URLCount)
		case left == 0:
			l.plan = dropAll
		}
	}
	err := o.LevelStats(ctx, ids, func(s store.LevelStat) {
		l := &o.large[place[s.Word]]
		l.stat.runs[s.Level], l.stat.bytes[s.Level] = s.Runs, s.Bytes
	})
	if err != nil {
		return err
	}
	planCompaction(o.large, o.lim.leastBudget,
		func(l *large) int64 { return int64(o.words[l.number].size()) },
		func(l *large) bool {
			n := o.counts(l)
			return 12+6*int(n.URLCount)+2*int(n.TotalCount) <= o.lim.inline
		})
	parts := map[action][]*large{}
	for i := range o.large {
		parts[o.large[i].plan] = append(parts[o.large[i].plan], &o.large[i])
	}
	if err := o.addRows(ctx, parts[addRow]); err != nil {
		return err
	}
	if err := o.dropWords(ctx, parts[dropAll]); err != nil {
		return err
	}
	for _, do := range []action{uniteDeltas, uniteAbove, rewriteBase} {
		if err := o.compact(ctx, do, parts[do]); err != nil {
			return err
		}
	}
	return nil
}

// counts returns the word's row as the batch leaves it, while it stays in wordfile: counts are kept by differences. From a
// totalcount that is at its end nothing can be taken, so it stays there until the base is written anew.
func (o *wordWriter) counts(l *large) store.WordRow {
	x := &o.words[l.number]
	return store.WordRow{
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

// count writes new counts, if they are new.
func (o *wordWriter) count(l *large, now store.WordRow) {
	if len(now.URLs) > 0 || now.URLCount != l.was.URLCount || now.TotalCount != l.was.TotalCount {
		o.tally(l.was, now)
		o.update = append(o.update, now)
	}
}

// addRows adds rows of level 0.
func (o *wordWriter) addRows(ctx context.Context, words []*large) error {
	for _, l := range words {
		x, blob := &o.words[l.number], o.blob(l.number)
		o.count(l, o.counts(l))
		if err := o.addBlob(x.id, store.LevelBatch, blob, posting.Totals{URLs: int(x.urls), Total: int(x.total)}); err != nil {
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

// dropWords removes all postings of words. Their rows in wordurl stay.
func (o *wordWriter) dropWords(ctx context.Context, words []*large) error {
	var ids []store.WordID
	for _, l := range words {
		ids = append(ids, l.was.ID)
		now := store.WordRow{ID: l.was.ID}
		o.tally(l.was, now)
		o.update = append(o.update, now)
	}
	if err := o.DeleteFiles(ctx, ids, store.LevelBase); err != nil {
		return err
	}
	return o.flush(ctx)
}

// compact unites rows of words, as many words at a time as may be held.
func (o *wordWriter) compact(ctx context.Context, do action, words []*large) error {
	upto := map[action]int{uniteDeltas: store.LevelBatch, uniteAbove: store.LevelUnited, rewriteBase: store.LevelBase}[do]
	o.sum.Compacted += int64(len(words))
	for len(words) > 0 {
		var bytes int64
		n := 0
		for n < len(words) && n < setSize {
			var size int64
			for level := range upto + 1 {
				size += words[n].stat.bytes[level]
			}
			if n > 0 && bytes+size > int64(o.lim.hold) {
				break
			}
			bytes += size
			n++
		}
		group := words[:n]
		words = words[n:]
		unite := o.uniteGroup
		if bytes > int64(o.lim.hold) {
			unite = o.uniteStream
		}
		if err := unite(ctx, do, upto, group); err != nil {
			return err
		}
	}
	return nil
}

// uniteGroup unites words that are held in memory.
func (o *wordWriter) uniteGroup(ctx context.Context, do action, upto int, words []*large) error {
	ids := make([]store.WordID, len(words))
	runs := make([][][][]byte, len(words)) // of each word its runs, newest first, of each run its blobs
	place := make(map[store.WordID]int, len(words))
	for i, l := range words {
		ids[i] = l.was.ID
		place[l.was.ID] = i
	}
	var before store.FileRow
	err := o.FileRows(ctx, ids, upto, func(r store.FileRow) {
		i := place[r.Word]
		if r.Word != before.Word || r.Level != before.Level || r.Seq != before.Seq {
			runs[i] = append(runs[i], nil)
		}
		before = r
		last := len(runs[i]) - 1
		runs[i][last] = append(runs[i][last], r.Blob)
	})
	if err != nil {
		return err
	}
	for i, l := range words {
		sources := []posting.Source{posting.NewIterator(o.blob(l.number))}
		for _, blobs := range runs[i] {
			sources = append(sources, posting.NewIterator(blobs...))
		}
		if err := o.unite(ctx, do, l, sources, false); err != nil {
			return err
		}
	}
	if err := o.flush(ctx); err != nil {
		return err
	}
	if err := failpoint.Hit("merge.mid-compact"); err != nil {
		return err
	}
	return o.DeleteFiles(ctx, ids, upto)
}

// uniteStream unites one word whose rows are read a few at a time.
func (o *wordWriter) uniteStream(ctx context.Context, do action, upto int, words []*large) error {
	for _, l := range words {
		runs, err := o.Runs(ctx, l.was.ID, upto)
		if err != nil {
			return err
		}
		sources := []posting.Source{posting.NewIterator(o.blob(l.number))}
		for _, r := range runs {
			sources = append(sources, posting.NewStream(o.Blobs(ctx, r)))
		}
		if err := o.unite(ctx, do, l, sources, true); err != nil {
			return err
		}
		if err := o.flush(ctx); err != nil {
			return err
		}
		if err := failpoint.Hit("merge.mid-compact"); err != nil {
			return err
		}
		if err := o.DeleteFiles(ctx, []store.WordID{l.was.ID}, upto); err != nil {
			return err
		}
	}
	return nil
}

// unite writes the union of sources as a run of level 1 or as the base, which goes back into wordurl when it is small
// enough. With write it writes rows as it goes.
func (o *wordWriter) unite(ctx context.Context, do action, l *large, newestFirst []posting.Source, write bool) error {
	level, removals := int16(store.LevelBase), false
	if do != rewriteBase {
		level, removals = store.LevelUnited, true // they may hide postings of the base
	}
	var t posting.Totals
	rows := 0
	err := posting.Cut(posting.NewUnion(removals, newestFirst...), o.lim.row, func(row posting.Row) error {
		t.URLs += row.URLs
		t.Total += row.Total
		rows++
		o.files = append(o.files, store.FileRow{Word: l.was.ID, Level: level, Seq: o.Seq, Row: row})
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
	if do == rewriteBase {
		now.URLCount, now.TotalCount = int32(t.URLs), posting.TotalCount(int64(t.Total))
		if last := len(o.files) - 1; rows == 1 && len(o.files[last].Blob) <= o.lim.inline {
			now.URLs = o.files[last].Blob
			o.files = o.files[:last]
		}
	}
	o.count(l, now)
	return nil
}
