package merge

import (
	"context"
	"maps"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/realtime"
)

// mendSet is the number of documents that are mended in one transaction.
const mendSet = 100

// MendOptions are the settings of a mend.
type MendOptions struct {
	CheckOptions
	// Begin is called once, when the lock is held, and returns the run for the new rows of journal and
	// markdel.
	Begin func(context.Context) (store.RunID, error)
}

// MendSummary counts the findings and the changes of a mend.
type MendSummary struct {
	CheckSummary
	Cleared int64 // words whose postings were removed, to be built again from the contents of their documents
	Strays  int64 // rows that belonged to no document or word
	index.MendResult
	Realtime int64 // documents of a damaged real-time index, which was filled again
	Left     int64 // findings that cannot be mended
	Merge    Summary
	Relinks  Relinked
}

// Mend checks the database as Check does, and mends what can be mended: index -X2.
//
// The stored content is the truth. A damaged word loses its postings, also in the docwords of its documents,
// and each of these is journaled again from its stored content. A document for which docwords, index and
// content differ gets the docwords of the index and is journaled, too. A document that must not be in the
// index is marked. Each of them loses the fingerprints in its row of docwords, so that a merge writes all of
// its postings. A damaged real-time index is filled again from the journal, so that its documents are found
// the whole time. A merge at the end writes the right postings, and citation is relinked where it was
// damaged.
//
// The lock of the merge is held until that merge begins. When its connection broke, and another program has
// changed the index since it was read, the error is a store.ErrIndexChanged. After a kill or an error Mend is
// run again and finds the rest.
func Mend(ctx context.Context, s *index.Store, o MendOptions) (sum MendSummary, err error) {
	held, err := s.Lock(ctx, "merge")
	if err != nil {
		return sum, err
	}
	defer held.Release()
	m := &mender{store: s, held: held, sum: &sum, plan: &mendPlan{documents: map[store.URLID]remedy{}, linking: map[store.URLID]bool{}}}
	if m.run, err = o.Begin(ctx); err != nil {
		return sum, err
	}
	report := o.Report
	o.Report = func(f index.Finding) error {
		switch {
		case !f.Note && !f.Mends:
			sum.Left++
		case f.Table == "docdates":
			m.plan.citation() // Relink adds dates, too
		case f.Do == index.DoRealtime:
			m.plan.realtime = true
		case f.Do == index.DoFollow:
			m.plan.targets = true
		}
		if report == nil {
			return nil
		}
		return report(f)
	}
	c := newChecker(ctx, o.CheckOptions)
	c.mend = m.plan
	err = s.Snapshot(ctx, func(v *index.Snapshot) error {
		if err := c.run(v); err != nil {
			return err
		}
		return m.mend(ctx, c)
	})
	sum.CheckSummary = c.sum
	if err != nil {
		return sum, err
	}
	if c.sum.Findings > 0 {
		if _, _, err := s.CountTotals(ctx); err != nil {
			return sum, err
		}
	}
	if err := failpoint.Hit("mend.before-merge"); err != nil {
		return sum, err
	}
	held.Release()
	// It runs without a finding, too: a mend that was killed here has left only unmerged rows.
	if sum.Merge, err = Run(ctx, s, Options{Memory: o.Memory}); err != nil || !m.plan.cite {
		return sum, err
	}
	if err := failpoint.Hit("mend.before-links"); err != nil {
		return sum, err
	}
	sum.Relinks, err = Relink(ctx, s, Options{Memory: o.Memory})
	return sum, err
}

// mender is a mend in progress.
type mender struct {
	store *index.Store
	held  *store.SessionLocks
	plan  *mendPlan
	sum   *MendSummary
	run   store.RunID
	since store.Changes // the state of the index that is mended
}

// mend writes. The snapshot of the check is still open and shows the index before.
func (m *mender) mend(ctx context.Context, c *checker) (err error) {
	if c.sum.Findings == 0 {
		return nil
	}
	if err := m.held.Keep(ctx); err != nil { // a check takes long
		return err
	}
	if m.since, err = m.store.BeginChange(ctx, c.Changes); err != nil {
		return err
	}
	if err := failpoint.Hit("mend.after-begin"); err != nil {
		return err
	}
	for _, v := range m.plan.versions {
		if err := m.store.DropVersion(ctx, v.url, v.seq); err != nil {
			return err
		}
	}
	if m.sum.Strays, err = m.store.DropStrays(ctx, m.since); err != nil {
		return err
	}
	if err := failpoint.Hit("mend.after-strays"); err != nil {
		return err
	}
	if err := m.mendLinks(ctx); err != nil {
		return err
	}
	damaged := slices.Sorted(maps.Keys(c.damaged))
	for set := range slices.Chunk(damaged, setSize) {
		if err := m.store.ClearWords(ctx, m.since, set); err != nil {
			return err
		}
		m.sum.Cleared += int64(len(set))
		if err := failpoint.Hit("mend.after-clear"); err != nil {
			return err
		}
	}
	if err := m.mendPlanned(ctx, c); err != nil {
		return err
	}
	if len(damaged) > 0 {
		if err := m.mendHolders(ctx, c); err != nil {
			return err
		}
	}
	if m.plan.realtime {
		if m.sum.Realtime, err = realtime.New(m.store.DB).RemakeRealtime(ctx); err != nil {
			return err
		}
		if err := failpoint.Hit("mend.after-realtime"); err != nil {
			return err
		}
	}
	if m.plan.label {
		if err := m.store.ForgetLabels(ctx, m.since); err != nil {
			return err
		}
		if err := failpoint.Hit("mend.after-labels"); err != nil {
			return err
		}
	}
	empty, err := m.store.DropEmptyDocWords(ctx, m.since)
	m.sum.Strays += empty
	return err
}

// mendLinks mends the pages whose links or target cannot be right.
func (m *mender) mendLinks(ctx context.Context) error {
	if m.plan.targets {
		lost, err := m.store.WithoutTarget(ctx)
		if err != nil {
			return err
		}
		for _, page := range lost {
			m.plan.links(page)
		}
	}
	for set := range slices.Chunk(slices.Sorted(maps.Keys(m.plan.linking)), mendSet) {
		if err := m.store.MendLinks(ctx, set); err != nil {
			return err
		}
		if err := failpoint.Hit("mend.after-links"); err != nil {
			return err
		}
	}
	return nil
}

// mendPlanned mends the documents with findings of the check.
func (m *mender) mendPlanned(ctx context.Context, c *checker) error {
	urls := slices.Sorted(maps.Keys(m.plan.documents))
	for set := range slices.Chunk(urls, diffSet) {
		var asked []store.URLID // documents that get the docwords of the index
		for _, u := range set {
			if m.plan.documents[u]&remedyDocWords != 0 {
				asked = append(asked, u)
			}
		}
		indexStore := map[store.URLID][]indexedPosting{}
		if len(asked) > 0 {
			var err error
			if indexStore, err = c.postingsOf(asked); err != nil {
				return err
			}
		}
		for part := range slices.Chunk(set, mendSet) {
			list := make([]index.Mending, len(part))
			for i, u := range part {
				r := m.plan.documents[u]
				list[i] = index.Mending{URL: u, Mark: r&(remedyMark|remedyDocWords) != 0}
				if r&remedyDocWords != 0 {
					list[i].DocWords = packDocWords(indexStore[u])
				}
			}
			if err := m.apply(ctx, c, list); err != nil {
				return err
			}
		}
	}
	return nil
}

func packDocWords(index []indexedPosting) []byte {
	words := make([]posting.DocWord, len(index))
	for i, h := range index {
		words[i] = posting.DocWord{ID: int32(h.word), Count: h.count}
	}
	return posting.AppendDocWords(nil, words)
}

// mendHolders mends the documents that had cleared words.
func (m *mender) mendHolders(ctx context.Context, c *checker) error {
	for last := store.URLID(0); ; {
		page, err := m.store.DocWordsPage(ctx, last, setSize)
		if err != nil || len(page) == 0 {
			return err
		}
		last = page[len(page)-1].URL
		var list []index.Mending
		for _, row := range page {
			if rest, some := without(row.Words, c.damaged); some {
				list = append(list, index.Mending{URL: row.URL, DocWords: rest, Mark: true})
			}
		}
		for part := range slices.Chunk(list, mendSet) {
			if err := m.apply(ctx, c, part); err != nil {
				return err
			}
		}
	}
}

// without returns a row of docwords without the given words, and whether it had any of them. An unreadable
// row is mended already.
func without(packed []byte, gone map[store.WordID]bool) (rest []byte, some bool) {
	r, err := posting.NewDocWordsReader(packed)
	if err != nil {
		return nil, false
	}
	var words []posting.DocWord
	for r.Next() {
		if w := r.Word(); gone[store.WordID(w.ID)] {
			some = true
		} else {
			words = append(words, w)
		}
	}
	if r.Err() != nil || !some {
		return nil, false
	}
	return posting.AppendDocWords(nil, words), true
}

// apply reads the contents of documents and mends them.
func (m *mender) apply(ctx context.Context, c *checker, list []index.Mending) error {
	ids := make([]store.URLID, len(list))
	place := make(map[store.URLID]int, len(list))
	for i := range list {
		ids[i] = list[i].URL
		place[ids[i]] = i
	}
	page, err := m.store.RereadThese(ctx, ids)
	if err != nil {
		return err
	}
	for _, row := range page {
		d := reparse(row, c.rules, nil)
		x := &list[place[row.URL]]
		if d.unreadable != nil {
			continue // reported already; it has to be fetched again
		}
		x.Seq, x.Words = row.Seq, d.words
		x.Recount = d.doc.WordCount != int(row.WordCount) || d.doc.TotalCount != int(row.TotalCount)
		x.WordCount, x.TotalCount = d.doc.WordCount, d.doc.TotalCount
	}
	done, err := m.store.MendDocuments(ctx, m.since, m.run, list)
	m.sum.Rejournalled += done.Rejournalled
	m.sum.Marked += done.Marked
	m.sum.DocWords += done.DocWords
	if err == nil {
		err = failpoint.Hit("mend.after-commit")
	}
	return err
}
