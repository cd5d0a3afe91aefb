// Package merge brings the journal and the delete set into the inverted index (index -D).
//
// # The algorithm
//
// A merge works in batches. A batch is a range of schedules, all of them acknowledged, with the rows of
// journal and markdel that they wrote, or rows without a schedule; it is one transaction, in which its
// postings, counts, citations and dates are written and its journal rows and marks removed. Killed anywhere
// and run again, a merge continues with the batch that did not commit and ends in the same postings (P2, P3,
// F10).
//
// Entries. Journal rows and marks are the entries of a batch. They have numbers from one sequence. Only the
// newest entry about the words of a document counts: a version (a journal row with words) or a removal (a
// mark). When docwords shows that a newer entry was merged before, this one is late and is dropped. So the
// order in which batches are merged does not matter.
//
// Words. docwords has the words of a document before the batch, so a batch touches only words that its
// documents have or had. All versions of a batch are decoded into flat arrays: word numbers with counts, and
// positions. Words that a document has lost become removals, postings without positions. Postings that have
// not changed, as the fingerprints in docwords show, are skipped (compare.go). Then the size of each word's
// blob of new postings and removals is computed, and a second pass over the arrays writes every posting to
// its final place in one buffer. That buffer and the arrays are the memory of a batch; Options.Memory bounds
// it through the sum of journal bytes.
//
// Words are found by the index of wordurl, or by reading wordurl whole when a batch has a dozen words for
// each of its pages. Rows of wordurl are kept from batch to batch in an eighth of the memory
// (wordrowcache.go). When the table was empty at the start of the merge, a word that is not kept is new.
// Concurrent writers are detected by the unique index and by totals.changes; the batch then forgets the kept
// rows and is run again.
//
// A word of up to 1000 bytes is merged with its stored blob and written back when it has changed. A larger
// word is in wordfile, in rows that are never changed: the batch adds a segment to it, and merges segments of
// some words within a budget (compact.go). Where segments disagree on a document, the one of the lower level
// counts, on one level the newer one.
//
// Compaction is size-tiered. A segment is merged with newer segments when they have about the same size; it
// may stay on level 0 while larger, older ones are there. The base is rewritten for the bytes above it,
// within a budget that follows the size of the batch. So a small change pays neither for the size of the
// index nor for the large changes before it. The segments of a word are looked up in one batch of five,
// because the look-up costs as much as adding a row.
//
// Links. Journal rows name pairs (page, target) that may have changed, and marks the links that their
// document had. Of a page that the index did not have, such as one that comes back, all links may have
// changed; of an unchanged page with other links, as after a change of the rules, those that its row names.
// Whether a page links to a target is then read from its current content row, so neither the order of journal
// rows nor a repeated one matters. However many links the pages have, the changes are applied in portions
// within the memory.
//
// Ranks. They depend on all links, so they are not part of a batch: a batch counts the links that it changes,
// and when these exceed a share of all links, the merge computes the ranks of all documents after its last
// batch (ranks.go).
//
// Subsets. Every document with an entry is read again from urlword and added to, or removed from, the rows of
// subsetdocs to which its URL belongs (subsets.go). A subset that an operator has changed is built whole
// before the first batch.
//
// Totals are the sums of the differences of a batch: each place that writes a row of wordurl knows the row
// before. A saturated totalcount, 2^31-1, remains until the base of its word is rewritten, because removals
// cannot be subtracted from it.
//
// The session lock of a merge prevents others from beginning, but its connection may break. Therefore each
// transaction that writes the index counts itself in totals.changes, and what was computed from a state of
// the index is written only by a transaction that finds the same number.
//
// After a batch the program vacuums tables with many dead rows, including those of earlier merges: autovacuum
// comes once a minute, and merges may be quicker.
//
// # Programs that read everything
//
// Ranks (ranks.go), index -H (relink.go), -X1 (check.go), -X2 (mend.go) and --rebuild-index (rebuild.go) read
// one snapshot as streams, table beside table in the order of the keys, so that the server sorts nothing.
// Redirects and clones are resolved through a redirect map in windows of ids. Edges are kept in temporary
// files without names, 4 bytes an edge and 12 for each document in a file, and sums are added in the order of
// the sources, so ranks are the same to the last bit whatever the memory is.
//
// index -H inverts the links with an external sort (merge/extsort) and compares them with citation. It skips
// pages that still have unmerged journal rows or marks: the merge looks only at the links that its rows name
// and relies on the rest of citation, so a page withdrawn and restored between two merges would lose its
// links. It also restores lost dates, from the last answer's time and Last-Modified.
//
// -X1 compares packed columns by sums of hashes for each document, 32 bytes a URL of a range. Where sums
// differ it compares posting by posting and names the words. -X2 writes no posting: it removes what is wrong
// and journals documents again from their stored contents, under the lock of their urlword rows; the merge at
// its end does the rest. --rebuild-index feeds the same batches from stored contents into tables of its own
// schema and then brings the differences into the real ones in one transaction. docwords.seq is the highest
// journal number of the document that was visible in the snapshot: newer versions are merged later, older
// ones are late and dropped.
package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/index"
)

const (
	defaultMemory = 256 << 20
	// memoryPerByte is the memory of a batch for each byte of packed words: arrays, buffer, and garbage not
	// yet collected.
	memoryPerByte = 6
)

// Options are the settings of a merge.
type Options struct {
	Memory         int64                       // memory limit of a batch in bytes (MergeMemory); 0 = 256 MB
	BatchDocuments int                         // largest number of journal rows and marks of a batch; 0 = as memory allows
	Ranks          bool                        // compute the link ranks when RankShare is exceeded
	RankShare      float64                     // the share of the links, 0 to 1, that must have changed since the last computation
	Begin          func(context.Context) error // called once, when this merge holds the lock; may be nil
	Progress       func(Progress)              // called after each batch; may be nil

	limits *limits // for tests
}

// withDefaults returns the options with each limit set.
func (o Options) withDefaults() Options {
	lim := standard
	if o.limits != nil {
		lim = *o.limits
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if lim.links == 0 {
		lim.links = int(o.Memory / memoryPerLink)
	}
	o.limits = &lim
	return o
}

// Progress is the state of a merge after a batch.
type Progress struct {
	Batch, Batches  int
	Rows, TotalRows int64 // of journal and markdel
	Documents       int64 // versions merged
	Removed         int64 // documents removed
}

// Summary counts the changes of a merge.
type Summary struct {
	Batches   int
	Documents int64 // versions merged
	Removed   int64 // documents removed from the index
	Late      int64 // documents whose entries were late and were dropped
	Words     int64 // rows of wordurl written
	Compacted int64 // large words whose segments were merged
	Links     int64 // links that citation gained or lost
	Sites     int64 // sites whose labels were added to wordsite
	Subsets   int64 // subsets that were built or dropped because an operator changed them
	Tags      int64 // documents that got a changed tag
	Bytes     int64 // packed words read
	Rows      int64 // rows of journal and markdel merged and removed
	Waiting   int64 // rows that wait for an open schedule

	Ranked *Ranked // nil = the ranks were not computed
}

// Run merges everything that is ready, a batch at a time. One merge runs at a time: when another does, the
// error is a *store.HeldError that names it. After any error the complete batches remain, the summary counts
// them, and Run may be called again.
func Run(ctx context.Context, s *index.Store, o Options) (sum Summary, err error) {
	o = o.withDefaults()
	held, err := s.Lock(ctx, "merge")
	if err != nil {
		return sum, err
	}
	defer held.Release()
	if o.Begin != nil {
		if err := o.Begin(ctx); err != nil {
			return sum, err
		}
	}
	if sum.Sites, err = labelSites(ctx, s); err != nil {
		return sum, err
	}
	if sum.Subsets, err = refreshSubsets(ctx, s); err != nil {
		return sum, err
	}
	plan, known, err := o.plan(ctx, s)
	if err != nil {
		return sum, err
	}
	sum.Waiting = plan.Waiting
	var total int64
	for _, r := range plan.Ranges {
		total += int64(r.Rows)
	}
	var deadRows index.DeadRows
	for i, r := range plan.Ranges {
		if err := held.Keep(ctx); err != nil {
			return sum, err
		}
		done, err := mergeRange(ctx, s, r, known, i == len(plan.Ranges)-1, o.limits)
		if err != nil {
			return sum, fmt.Errorf("merge batch %d of %d: %w", i+1, len(plan.Ranges), err)
		}
		sum.add(&done.sum)
		deadRows.Wordurl += done.deadRows.Wordurl
		deadRows.Wordfile += done.deadRows.Wordfile
		deadRows.Docwords += done.deadRows.Docwords
		if err := s.Vacuum(ctx, &deadRows); err != nil {
			return sum, err
		}
		if o.Progress != nil {
			o.Progress(Progress{
				Batch: i + 1, Batches: len(plan.Ranges), Rows: sum.Rows, TotalRows: total,
				Documents: sum.Documents, Removed: sum.Removed,
			})
		}
	}
	if sum.Tags, err = s.RefreshTags(ctx); err != nil {
		return sum, err
	}
	if o.Ranks {
		if sum.Ranked, err = ranksIfDue(ctx, s, held, o, sum.Rows > 0); err != nil {
			return sum, err
		}
	}
	fillSuggestions(ctx, s)
	return sum, nil
}

// plan divides the ready entries into batches. Several batches share the memory with the rows of wordurl kept
// between them.
func (o *Options) plan(ctx context.Context, s *index.Store) (plan index.MergePlan, known *wordRowCache, err error) {
	plan, err = s.PlanMerge(ctx, o.Memory/memoryPerByte, o.BatchDocuments)
	if err != nil || len(plan.Ranges) < 2 {
		return plan, nil, err
	}
	room := o.Memory / knownShare
	limit := (o.Memory - room) / memoryPerByte
	if slices.ContainsFunc(plan.Ranges, func(r index.MergeRange) bool { return r.Bytes > limit }) {
		plan, err = s.PlanMerge(ctx, limit, o.BatchDocuments)
	}
	return plan, newWordRowCache(room), err
}

// add adds the counts of a batch.
func (s *Summary) add(b *Summary) {
	s.Batches++
	s.Documents += b.Documents
	s.Removed += b.Removed
	s.Late += b.Late
	s.Words += b.Words
	s.Compacted += b.Compacted
	s.Links += b.Links
	s.Bytes += b.Bytes
	s.Rows += b.Rows
}

// batchResult is the result of a batch.
type batchResult struct {
	sum      Summary
	deadRows index.DeadRows
}

// mergeRange merges one batch.
func mergeRange(ctx context.Context, s *index.Store, r index.MergeRange, known *wordRowCache, last bool, lim *limits) (done batchResult, err error) {
	var merged *index.MergeBatch
	err = s.MergeBatch(ctx, r, store.AnyChanges, func(b *index.MergeBatch) error {
		known.begin(b.Changes, last)
		m := &batch{MergeBatch: b, lim: lim, known: known}
		if err := m.run(ctx); err != nil {
			return err
		}
		done, merged = batchResult{sum: m.sum, deadRows: b.Churned}, b
		return nil
	})
	if err != nil {
		return done, err
	}
	known.end(merged.Left)
	return done, failpoint.Hit("merge.after-commit")
}

// batch is one batch in progress.
type batch struct {
	*index.MergeBatch
	lim         *limits
	known       *wordRowCache
	docs        []docState   // documents with an entry about words, by site and URL
	dateSources []dateSource // versions, for the dates
	pairs       []uint64     // links that may have changed: page << 32 | target
	marked      []store.URLID
	fresh       []store.URLID // pages all of whose links may be new to citation
	touched     []store.URLID // documents with any entry
	totals      index.Totals  // the batch's changes to the totals
	changes     []int32       // indices in docs of the documents that change, in order
	sum         Summary
}

// run does the work of the batch's transaction, in order.
func (m *batch) run(ctx context.Context) error {
	if err := m.readJournal(ctx); err != nil {
		return err
	}
	if err := failpoint.Hit("merge.after-read"); err != nil {
		return err
	}
	if err := m.decide(ctx); err != nil {
		return err
	}
	if err := m.mergeWords(ctx); err != nil {
		return err
	}
	if err := m.mergeDates(ctx); err != nil {
		return err
	}
	if err := m.PutKinds(ctx, m.lengths()); err != nil {
		return err
	}
	if err := m.mergeSubsets(ctx); err != nil {
		return err
	}
	if err := m.mergeTotals(ctx); err != nil {
		return err
	}
	if err := m.mergeLinks(ctx); err != nil {
		return err
	}
	if err := m.CountLinks(ctx, m.sum.Links); err != nil {
		return err
	}
	if err := m.dropRanks(ctx); err != nil {
		return err
	}
	if err := m.Notify(ctx); err != nil {
		return err
	}
	if err := m.DropEntries(ctx); err != nil {
		return err
	}
	if err := m.resolveFates(ctx); err != nil {
		return err
	}
	if err := m.DropMarks(ctx); err != nil {
		return err
	}
	if err := m.takeOverRealtime(ctx); err != nil {
		return err
	}
	return failpoint.Hit("merge.before-commit")
}
