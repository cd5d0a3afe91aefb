package merge

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// docState is a document of which the batch has an entry about words. An entry is a journal row or a mark.
type docState struct {
	url    store.URLID
	site   store.SiteID
	seq    int64 // the number of the newest entry
	merged int64 // the number of the entry that was merged last, 0 = none
	old    []byte
	fate   docFate
	had    bool // has a row in docwords
	found  bool // that row has words
	words  int32
	length int    // number of positions
	blocks []byte // fingerprints of its positions, packed
}

// docFate is the effect of a batch on a document.
type docFate uint8

const (
	removed docFate = iota // the newest entry is a mark
	version                // the newest entry is a version
	late                   // a newer entry was merged before
)

// dateSource is a version with content, from which the dates follow.
type dateSource struct {
	url               store.URLID
	seq               int64
	modified, fetched time.Time
	same              bool // its content is that of the previous version
}

// addVersion records a version for the dates.
func (m *batch) addVersion(f *index.JournalEntry) {
	m.dateSources = append(m.dateSources, dateSource{f.URL, f.Seq, f.Modified, f.Fetched, f.Same})
}

// readJournal reads the journal rows of the batch, without their words, and its marks.
func (m *batch) readJournal(ctx context.Context) error {
	place := map[store.URLID]int{}
	note := func(url store.URLID, site store.SiteID, seq int64, fate docFate) {
		i, ok := place[url]
		if !ok {
			i = len(m.docs)
			place[url] = i
			m.docs = append(m.docs, docState{url: url})
		}
		if d := &m.docs[i]; seq > d.seq {
			d.site, d.seq, d.fate = site, seq, fate
		}
	}
	err := m.Entries(ctx, func(f *index.JournalEntry) {
		m.sum.Rows++
		m.sum.Bytes += int64(f.Bytes)
		m.touched = append(m.touched, f.URL)
		if f.HasWords {
			note(f.URL, f.Site, f.Seq, version)
		}
		// A clone and a page that is not indexed have dates, too. New links of unchanged content do not
		// affect them.
		if (f.Status == 200 || f.Status == 406) && (f.HasWords || !f.Same) {
			m.addVersion(f)
		}
		if !f.HasWords && f.Status != 200 { // 200: the same page with other links, which the row names, or a clone, which has none
			m.fresh = append(m.fresh, f.URL)
		}
		m.addPairs(f.URL, f.Added)
		m.addPairs(f.URL, f.Removed)
	})
	if err != nil {
		return err
	}
	err = m.Marks(ctx, func(k *index.Mark) {
		m.sum.Rows++
		note(k.URL, k.Site, k.Seq, removed)
		m.marked = append(m.marked, k.URL)
		m.touched = append(m.touched, k.URL)
		m.addPairs(k.URL, k.Links)
	})
	// A version that is newer than the mark names the links that the page gained and lost.
	m.marked = slices.DeleteFunc(m.marked, func(u store.URLID) bool { return m.docs[place[u]].fate == version })
	slices.SortFunc(m.docs, func(a, b docState) int { return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.url, b.url)) })
	return err
}

// decide compares the documents with their versions merged before.
func (m *batch) decide(ctx context.Context) error {
	urls := make([]store.URLID, len(m.docs))
	place := make(map[store.URLID]int, len(m.docs))
	for i := range m.docs {
		urls[i] = m.docs[i].url
		place[urls[i]] = i
	}
	err := m.DocWords(ctx, urls, func(w index.DocWords) {
		d := &m.docs[place[w.URL]]
		d.merged, d.had, d.found, d.old = w.Seq, true, !emptyDocWords(w.Words), w.Words
	})
	if err != nil {
		return err
	}
	for i := range m.docs {
		d := &m.docs[i]
		switch {
		case d.seq <= d.merged:
			d.fate = late
			m.sum.Late++
			continue
		case d.fate == version:
			m.sum.Documents++
			if !d.found {
				m.fresh = append(m.fresh, d.url)
			}
		case d.had:
			m.sum.Removed++
		}
		m.changes = append(m.changes, int32(i))
	}
	return nil
}

// resolveFates updates docwords for the next batch. A document without words has no row there, except while
// the journal has words of it that are older than the merged entry: then a row without words keeps the number
// of that entry.
func (m *batch) resolveFates(ctx context.Context) error {
	var (
		urls []store.URLID
		seqs []int64
		rows []int
	)
	for i := range m.docs {
		d := &m.docs[i]
		if d.fate == version && d.words > 0 || d.fate == late && !emptyDocWords(d.old) {
			continue
		}
		urls, seqs, rows = append(urls, d.url), append(seqs, max(d.seq, d.merged)), append(rows, i)
	}
	expected := map[store.URLID]bool{}
	if err := m.OlderEntries(ctx, urls, seqs, func(u store.URLID) { expected[u] = true }); err != nil {
		return err
	}
	nothing := posting.AppendDocWords(nil, nil)
	var insert, update []index.DocWords
	var drop []store.URLID
	for k, i := range rows {
		d := &m.docs[i]
		row := index.DocWords{URL: d.url, Seq: seqs[k], Words: nothing}
		switch {
		case expected[d.url] && !d.had:
			insert = append(insert, row)
		case expected[d.url] && d.fate != late:
			update = append(update, row)
		case !expected[d.url] && d.had:
			drop = append(drop, d.url)
		}
	}
	if err := m.InsertDocWords(ctx, insert); err != nil {
		return err
	}
	if err := m.UpdateDocWords(ctx, update); err != nil {
		return err
	}
	return m.DeleteDocWords(ctx, drop)
}

// emptyDocWords reports whether a row of docwords has no words.
func emptyDocWords(packed []byte) bool {
	r, err := posting.NewDocWordsReader(packed)
	return err == nil && r.Len() == 0
}
