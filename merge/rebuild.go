package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	parser "github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/realtime"
)

// RebuildOptions are the settings of a rebuild.
type RebuildOptions struct {
	Memory int64         // memory limit of a batch in bytes (MergeMemory); 0 = 256 MB
	Rules  *parser.Rules // the rules for reading documents
	// Reading says how the words of a document are read by the present configuration; false when that says nothing. nil = as they were.
	Reading  func(url string) (store.HowRead, bool)
	Dates    parser.DateRules             // by which documents are dated
	Begin    func(context.Context) error  // called once, when this rebuild holds the lock; may be nil
	Progress func(documents, total int64) // called after each batch; may be nil
	Unread   func(index.Finding)          // called with each document whose content cannot be read; may be nil
	Realtime func(index.Finding)          // called with each damage of the real-time index, which is mended; may be nil

	limits *limits // for tests
	page   int     // number of contents that are read at once; 0 = rereadPage
}

// RebuildSummary counts the results of a rebuild.
type RebuildSummary struct {
	Batches   int
	Documents int64 // read
	Unread    int64 // documents whose content cannot be read; they are left out
	Recounted int64 // documents whose counts differ by the current rules
	Redated   int64 // documents with another date by the current rules
	Realtime  int64 // documents of a damaged real-time index, which was filled again
	index.SwapResult
}

// rereadPage is the number of contents that are read at once.
const rereadPage = 200

// Rebuild builds the inverted index again from the stored contents: index --rebuild-index. It fills tables of
// its own with the batches of a merge, and then brings the differences into wordurl, wordfile and docwords in
// one transaction. Until then searches read the old index. Words keep their ids.
//
// A crawl may continue: a version that it stores after its document was read is newer than the number in
// docwords, and the next merge brings it in. Unmerged versions that are part of the content are late then,
// and are dropped; their dates are taken over in the transaction of the swap. Real-time documents stay in
// wordurl1 until that merge, too. When the real-time index is damaged, both of its tables are filled again
// from the journal, after the swap, which has most of their documents. A rebuild that was killed is run
// again.
//
// Contents that cannot be read are left out, and reported.
//
// When the lock's connection breaks, and another program changes the index before the lock is held again,
// nothing that was read is written. Rebuild begins again, a few times, and then returns
// store.ErrIndexChanged.
func Rebuild(ctx context.Context, s *index.Store, o RebuildOptions) (sum RebuildSummary, err error) {
	merging := Options{Memory: o.Memory, limits: o.limits}.withDefaults()
	o.Memory, o.limits = merging.Memory, merging.limits
	if o.page == 0 {
		o.page = rereadPage
	}
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
	// What is in the index may be there under IgnoreMeta.
	rules, reported := o.Rules.Patient().WithoutMeta(), map[store.URLID]bool{}
	err = retryOnChange(ctx, "the rebuild", func() error {
		sum = RebuildSummary{}
		r := &rebuild{store: s, o: o, rules: rules, sum: &sum, reported: reported}
		return r.run(ctx, held)
	})
	if err != nil {
		return sum, err
	}
	return sum, s.Vacuum(ctx, &index.DeadRows{Wordurl: sum.Words, Wordfile: sum.Files, Docwords: sum.SwapResult.Documents})
}

// run does one attempt of a rebuild.
func (r *rebuild) run(ctx context.Context, held *store.SessionLocks) (err error) {
	s, sum := r.store, r.sum
	if r.total, err = s.Originals(ctx); err != nil {
		return err
	}
	if r.Rebuild, err = s.BeginRebuild(ctx); err != nil {
		return err
	}
	if err := failpoint.Hit("rebuild.after-begin"); err != nil {
		return err
	}
	for more := true; more; {
		if err := held.Keep(ctx); err != nil {
			return err
		}
		if more, err = r.batch(ctx); err != nil {
			return fmt.Errorf("rebuild the index: batch %d: %w", sum.Batches+1, err)
		}
		if err := failpoint.Hit("rebuild.after-batch"); err != nil {
			return err
		}
	}
	if err := held.Keep(ctx); err != nil {
		return err
	}
	if sum.SwapResult, err = r.Swap(ctx, func(b *index.MergeBatch) error { return r.date(ctx, b) }); err != nil {
		return err
	}
	if err := failpoint.Hit("rebuild.after-swap"); err != nil {
		return err
	}
	if sum.Realtime, err = mendRealtime(ctx, s, r.o.Realtime); err != nil {
		return err
	}
	if err := failpoint.Hit("rebuild.after-realtime"); err != nil {
		return err
	}
	if sum.Recounted, err = r.Recount(ctx); err != nil {
		return err
	}
	if sum.Redated, err = r.Redate(ctx); err != nil {
		return err
	}
	if err := failpoint.Hit("rebuild.before-drop"); err != nil {
		return err
	}
	if err = r.Drop(ctx); errors.Is(err, store.ErrIndexChanged) {
		return nil // the swap is committed; the tables may be those of another rebuild by now
	}
	return err
}

// date updates dates by the unmerged versions that are part of the new index: docwords has their numbers now,
// so the merge treats them as late, and a late version changes no modification date.
func (r *rebuild) date(ctx context.Context, b *index.MergeBatch) error {
	var last dateSource
	for {
		m, merged := &batch{MergeBatch: b}, map[store.URLID]int64{}
		err := r.CoveredEntries(ctx, b, last.url, last.seq, r.o.limits.versions, func(f *index.JournalEntry, was int64) {
			m.addVersion(f)
			merged[f.URL] = was
		})
		if err != nil || len(m.dateSources) == 0 {
			return err
		}
		if _, err := m.carryDates(ctx, merged); err != nil {
			return err
		}
		last = m.dateSources[len(m.dateSources)-1]
	}
}

// mendRealtime fills the real-time index again when something in it is damaged, and returns its number of
// documents.
func mendRealtime(ctx context.Context, s *index.Store, report func(index.Finding)) (documents int64, err error) {
	c := newChecker(ctx, CheckOptions{Report: func(f index.Finding) error {
		if report != nil {
			report(f)
		}
		return nil
	}})
	err = s.Snapshot(ctx, func(v *index.Snapshot) error {
		c.Snapshot = v
		if err := c.checkRealtime(); err != nil {
			return err
		}
		return v.CheckRealtimeRows(ctx, c.found)
	})
	if err != nil || c.sum.Findings == 0 {
		return 0, err
	}
	return realtime.New(s.DB).RemakeRealtime(ctx)
}

// rebuild is a rebuild in progress.
type rebuild struct {
	*index.Rebuild
	store    *index.Store
	o        RebuildOptions
	rules    *parser.Rules
	sum      *RebuildSummary
	total    int64
	last     store.URLID          // the last document read
	reported map[store.URLID]bool // documents that were reported as unreadable
}

// reread is a document that was read again.
type reread struct {
	index.RebuildRow
	words      []byte // packed
	doc        *parser.Document
	unreadable error
	other      bool      // its words are read in another way than before
	date       time.Time // by the rules; zero for none
}

// batch reads documents up to the memory limit and brings them into the new index. more is false at the end.
func (r *rebuild) batch(ctx context.Context) (more bool, err error) {
	var docs []reread
	var bytes int64
	for bytes < r.o.Memory/memoryPerByte {
		page, last, err := r.store.Reread(ctx, r.last, r.o.page)
		if err != nil {
			return false, err
		}
		if last == 0 {
			return false, r.write(ctx, docs)
		}
		r.last = last
		for _, d := range r.read(page) {
			if d.unreadable != nil {
				r.sum.Unread++
				if r.o.Unread != nil && !r.reported[d.URL] {
					r.reported[d.URL] = true
					r.o.Unread(index.Finding{
						Table: "urlwords", Text: fmt.Sprintf("url %d %s: words: %v", d.URL, d.Name, d.unreadable),
						Do: index.DoFetch(d.Name),
					})
				}
				continue
			}
			bytes += int64(len(d.words))
			docs = append(docs, d)
		}
	}
	return true, r.write(ctx, docs)
}

// read parses contents, as many at once as there are processors.
func (r *rebuild) read(page []index.RebuildRow) []reread {
	docs := make([]reread, len(page))
	var wait sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				docs[i] = r.reread(page[i])
			}
		})
	}
	for i := range page {
		next <- i
	}
	close(next)
	wait.Wait()
	return docs
}

// reread parses a document from its stored content by the present configuration.
func (r *rebuild) reread(row index.RebuildRow) reread {
	was := row.How
	if r.o.Reading != nil {
		if how, known := r.o.Reading(row.Name); known {
			how.Mode = how.Mode&^store.ModeCharset | was.Mode&store.ModeCharset // another Charset changes the title as well: the next visit's work
			row.How = how
		}
	}
	d := reparse(row, r.rules, r.o.Dates)
	d.other = d.How.Mode&store.ModeReading != was.Mode&store.ModeReading
	return d
}

// reparse parses a document from its stored content, as the crawl did.
func reparse(row index.RebuildRow, rules *parser.Rules, dates parser.DateRules) reread {
	d := reread{RebuildRow: row}
	body, err := store.UnpackContent(row.Packed, maxContent)
	if err != nil {
		d.unreadable = err
		return d
	}
	d.Packed = nil
	doc, err := parse(body, row.ReadAs, rulesOf(rules, row.How))
	if err != nil {
		d.unreadable = err
		return d
	}
	d.date = findDate(dates, &parser.DatedPage{
		URL: row.Name, LastModified: row.LastModified, Body: body, ContentType: row.ReadAs, Charset: doc.Charset, Title: doc.Title,
		Rules: rulesOf(rules, row.How), Now: time.Now(),
	})
	words := make([]store.Word, len(doc.Words))
	for i, w := range doc.Words {
		words[i] = store.Word(w)
	}
	d.words = store.PackWords(words)
	doc.Words, doc.Links, doc.Heads = nil, nil, nil
	d.doc = doc
	return d
}

// write brings documents into the new index.
func (r *rebuild) write(ctx context.Context, docs []reread) error {
	if len(docs) == 0 {
		return nil
	}
	slices.SortFunc(docs, func(a, b reread) int { return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.URL, b.URL)) })
	if err := r.knowWords(ctx, docs); err != nil {
		return err
	}
	packed := make(map[store.URLID][]byte, len(docs))
	var recounted []index.CountFix
	var redated []index.Redated
	for i := range docs {
		d := &docs[i]
		packed[d.URL] = d.words
		if !d.date.Equal(d.Dated) {
			redated = append(redated, index.Redated{URL: d.URL, Date: d.date, Was: d.Dated})
		}
		if d.other || d.doc.WordCount != int(d.WordCount) || d.doc.TotalCount != int(d.TotalCount) {
			fix := index.CountFix{
				URL: d.URL, WordCount: d.doc.WordCount, TotalCount: d.doc.TotalCount, WasWords: d.WordCount, WasTotal: d.TotalCount,
			}
			if d.other {
				fix.Read = &index.ReadFix{Mode: d.How.Mode & store.ModeReading, Text: d.doc.Text}
			}
			recounted = append(recounted, fix)
		}
	}
	err := r.Batch(ctx, func(b *index.MergeBatch) error {
		m := &batch{MergeBatch: b, lim: r.o.limits}
		for i := range docs {
			m.docs = append(m.docs, docState{url: docs[i].URL, site: docs[i].Site, seq: docs[i].Seq, fate: version})
			m.changes = append(m.changes, int32(i))
		}
		w := &wordBatch{batch: m, number: newDictionary()}
		w.source = func(_ context.Context, urls []store.URLID, _ []int64, f func(int, []byte) error) error {
			for i, url := range urls {
				if err := f(i, packed[url]); err != nil {
					return err
				}
			}
			return nil
		}
		if err := w.merge(ctx); err != nil {
			return err
		}
		if err := r.NoteLengths(ctx, b, m.lengths()); err != nil {
			return err
		}
		if err := r.NoteDated(ctx, b, redated); err != nil {
			return err
		}
		return r.NoteCounts(ctx, b, recounted)
	})
	if err != nil {
		return err
	}
	r.sum.Batches++
	r.sum.Documents += int64(len(docs))
	if r.o.Progress != nil {
		r.o.Progress(r.sum.Documents, r.total)
	}
	return nil
}

// knowWords makes rows in the new index for all words of documents.
func (r *rebuild) knowWords(ctx context.Context, docs []reread) error {
	set := map[string]bool{}
	var words posting.WordsReader
	for i := range docs {
		err := words.Reset(docs[i].words)
		for err == nil && words.Next() {
			if w := words.Word(); !set[string(w)] {
				set[string(w)] = true
			}
		}
		if err := errors.Join(err, words.Err()); err != nil {
			return fmt.Errorf("words of url %d: %w", docs[i].URL, err)
		}
	}
	return r.KnowWords(ctx, slices.Sorted(maps.Keys(set)))
}
