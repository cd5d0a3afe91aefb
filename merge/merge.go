// Package merge turns the journal and the delete set into the inverted index (index -D; rules.md 7, design.md 5).
//
// # The algorithm
//
// A merge works in batches. A batch is a range of schedules, all of them acknowledged, with the rows of journal and
// markdel that they wrote, or rows without a schedule; it is one transaction, in which its postings, counts, citations
// and dates are written and its journal rows and marks removed. Killed anywhere and run again, a merge goes on with the
// batch that did not commit and ends in the same postings (reliability.md P2, P3, F10).
//
// Facts. Every journal row and every mark has a number from one sequence. Of a document only its newest fact about words
// counts: a version (a journal row with words) or a removal (a mark). When docwords says that something newer was merged
// before, the fact came late and is dropped. So the order in which batches are merged decides nothing.
//
// Words. What a document had is known from docwords, so a batch touches only words that its documents have or had. All
// versions of a batch are decoded into flat arrays: word numbers with counts, positions. Words that a document had and
// lost become removals, postings without positions. Postings that are exactly as they were, as the fingerprints in docwords
// say, are left alone (compare.go). Then one buffer is laid out in which the new postings and removals of each word stand as a
// blob, and a second pass over the arrays writes every posting to its final place (storage.md 4). That buffer and the arrays
// are what a batch holds in memory; Options.Memory bounds the sum of journal bytes, and so it.
//
// Rows of wordurl that a batch leaves are kept for the next, which touches many of the same words, within a part of the memory
// (known.go).
//
// A word of up to 1000 bytes is united with its stored blob and written back when it has changed. A larger word stands in
// wordfile in rows that are never altered: the batch adds a row to it, and unites rows of some words within a budget
// (compact.go). Where rows disagree on a document, the row of the lower level counts, on one level the newer one.
//
// Links. Journal rows name pairs (page, target) that may have changed, and marks the links that their document had. Of
// a page that the index did not have, such as one that comes back, all links may have changed; of one that is the same and
// has other links, as after a change of the rules, those that its row names. Whether a page links to a target is then read
// from its content row as it is now, so neither the order of journal rows nor one that comes twice matters. However many links
// the pages have, the changes are applied in portions within the memory.
//
// Ranks. They depend on all links, so they are no part of a batch: a batch counts the links that it changes, and when that
// has become more than a share of all, the merge computes the ranks of all documents after its last batch (ranks.go).
//
// Subsets. Every document with a fact is looked at again in urlword and put into, or taken out of, the rows of subsetdocs
// that its URL says (subsets.go). A subset that somebody has changed is built whole before the first batch.
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
	// memoryPerByte is what a batch needs for each byte of packed words: arrays, buffer, and what the collector has not
	// found yet (storage.md 4).
	memoryPerByte = 6
)

// Options say how to merge.
type Options struct {
	Memory         int64                       // bytes a batch may take (MergeMemory); 0 = 256 MB
	BatchDocuments int                         // journal rows and marks a batch at most; 0 = as memory allows
	Ranks          bool                        // compute the link ranks when RankShare says so
	RankShare      float64                     // the part of the links, 0 to 1, that has to have changed since the last time
	Begin          func(context.Context) error // called once, when this merge holds the lock; may be nil
	Progress       func(Progress)              // called after each batch; may be nil

	limits *limits // tests set other ones
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

// Progress says how far a merge has come.
type Progress struct {
	Batch, Batches  int
	Rows, TotalRows int64 // of journal and markdel
	Documents       int64 // versions merged
	Removed         int64 // documents removed
}

// Summary says what a merge did.
type Summary struct {
	Batches   int
	Documents int64 // versions merged
	Removed   int64 // documents removed from the index
	Late      int64 // documents whose facts came late and were dropped
	Words     int64 // rows of wordurl written
	Compacted int64 // large words whose rows were united
	Links     int64 // links that citation gained or lost
	Sites     int64 // sites whose labels came into wordsite
	Subsets   int64 // subsets that were built or dropped because somebody changed them
	Bytes     int64 // packed words read
	Rows      int64 // rows of journal and markdel consumed
	Waiting   int64 // rows that wait for an open schedule

	Ranked *Ranked // nil = the ranks were not due
}

// Run merges everything that is ready, a batch at a time. One merge runs at a time: when another does, the error is a
// *store.HeldError that names it. After any error the batches that are complete stay and Run may be called again; the
// summary tells of them.
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
	var churn index.DeadRows
	for i, r := range plan.Ranges {
		if err := held.Keep(ctx); err != nil {
			return sum, err
		}
		done, err := mergeRange(ctx, s, r, known, i == len(plan.Ranges)-1, o.limits)
		if err != nil {
			return sum, fmt.Errorf("merge batch %d of %d: %w", i+1, len(plan.Ranges), err)
		}
		sum.add(&done.sum)
		churn.Wordurl += done.churn.Wordurl
		churn.Wordfile += done.churn.Wordfile
		churn.Docwords += done.churn.Docwords
		if err := s.Vacuum(ctx, &churn); err != nil {
			return sum, err
		}
		if o.Progress != nil {
			o.Progress(Progress{
				Batch: i + 1, Batches: len(plan.Ranges), Rows: sum.Rows, TotalRows: total,
				Documents: sum.Documents, Removed: sum.Removed,
			})
		}
	}
	if o.Ranks {
		sum.Ranked, err = ranksIfDue(ctx, s, held, o, sum.Rows > 0)
	}
	return sum, err
}

// plan divides what is ready into batches. Several share the memory with the rows that are known from one to the next.
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
	return plan, newKnownWords(room), err
}

// Add adds what a batch did.
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

// outcome is what a batch did.
type outcome struct {
	sum   Summary
	churn index.DeadRows
}

// mergeRange merges one batch.
func mergeRange(ctx context.Context, s *index.Store, r index.MergeRange, known *wordRowCache, last bool, lim *limits) (done outcome, err error) {
	var merged *index.MergeBatch
	err = s.MergeBatch(ctx, r, store.AnyChanges, func(b *index.MergeBatch) error {
		known.begin(b.Changes, last)
		m := &batch{MergeBatch: b, lim: lim, known: known}
		if err := m.run(ctx); err != nil {
			return err
		}
		done, merged = outcome{sum: m.sum, churn: b.Churned}, b
		return nil
	})
	if err != nil {
		return done, err
	}
	known.end(merged.Left)
	return done, failpoint.Hit("merge.after-commit")
}

// batch is one batch under way.
type batch struct {
	*index.MergeBatch
	lim     *limits
	known   *wordRowCache
	docs    []docState   // that the batch has facts about words of, by site and URL
	facts   []dateSource // versions, for the dates
	pairs   []uint64     // links that may have changed: page << 32 | target
	marked  []store.URLID
	fresh   []store.URLID // pages all of whose links may be new to citation
	touched []store.URLID // documents that the batch has any fact about
	totals  index.Totals  // what the batch changes of them
	changes []int32       // places in docs of the documents that change, in order
	sum     Summary
}

// run is the batch's transaction, in order.
func (m *batch) run(ctx context.Context) error {
	if err := m.readFacts(ctx); err != nil {
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
	if err := m.DropFacts(ctx); err != nil {
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
