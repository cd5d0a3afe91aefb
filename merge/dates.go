package merge

import (
	"cmp"
	"context"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// mergeDates keeps the engine's own dates of documents. A document was created when its first version was
// fetched. The date of a version is its Last-Modified if that is not later than the fetch and, when the
// document was known before, later than the stored date; else the time of the fetch. A version with the
// content of the one before (T-16, T-17, a promoted clone) changes no date, because its header contradicts
// its digest. A removed document keeps its dates until it is out of the index for good. The date that a DateRule found goes before
// that of the version, whichever version it is of.
//
// docwords shows which versions came late, also those without words.
func (m *batch) mergeDates(ctx context.Context) error {
	merged := make(map[store.URLID]int64, len(m.docs))
	for i := range m.docs {
		merged[m.docs[i].url] = m.docs[i].merged
	}
	slices.SortFunc(m.dateSources, func(a, b dateSource) int { return cmp.Or(cmp.Compare(a.url, b.url), cmp.Compare(a.seq, b.seq)) })
	var gone []store.URLID
	for _, f := range m.dateSources {
		if _, words := merged[f.url]; !words { // its dates go when it is withdrawn
			gone = append(gone, f.url)
		}
	}
	if err := m.DocWords(ctx, gone, func(w index.DocWords) { merged[w.URL] = w.Seq }); err != nil {
		return err
	}
	known, err := m.carryDates(ctx, merged)
	if err != nil {
		return err
	}
	for i := range m.docs {
		d := &m.docs[i]
		if _, dated := known[d.url]; d.fate == removed || d.fate == late && !dated {
			gone = append(gone, d.url)
		}
	}
	if err := m.RuleDates(ctx, m.touched); err != nil {
		return err
	}
	return m.DeleteDates(ctx, gone)
}

// carryDates updates the dates of documents by their versions, which are sorted. merged has the number of the
// newest entry of each document that was merged before. It returns the dates that were stored before.
func (m *batch) carryDates(ctx context.Context, merged map[store.URLID]int64) (known map[store.URLID]index.Dates, err error) {
	var urls []store.URLID
	for i, f := range m.dateSources {
		if i == 0 || f.url != m.dateSources[i-1].url {
			urls = append(urls, f.url)
		}
	}
	known = make(map[store.URLID]index.Dates, len(urls))
	if err := m.Dates(ctx, urls, func(d index.Dates) { known[d.URL] = d }); err != nil {
		return nil, err
	}
	var write []index.Dates
	for lo := 0; lo < len(m.dateSources); {
		hi := lo + 1
		for hi < len(m.dateSources) && m.dateSources[hi].url == m.dateSources[lo].url {
			hi++
		}
		was, exists := known[m.dateSources[lo].url]
		now := was
		for _, f := range m.dateSources[lo:hi] {
			now = date(now, exists || now.From != "", f, merged[f.url])
		}
		if now != was && now.From != "" {
			write = append(write, now)
		}
		lo = hi
	}
	return known, m.PutDates(ctx, write)
}

// date returns a document's dates after a version. A late version can only make the creation date earlier.
func date(d index.Dates, known bool, f dateSource, merged int64) index.Dates {
	d.URL = f.url
	if !known || f.fetched.Before(d.Created) {
		d.Created, d.CreatedFrom = f.fetched, index.FromFetch
	}
	switch {
	case known && (f.same || f.seq <= merged):
	case !f.same && !f.modified.IsZero() && !f.modified.After(f.fetched) && (!known || f.modified.After(d.Modified)):
		d.Modified, d.From = f.modified, index.FromLastModified
	case !known || f.fetched.After(d.Modified): // a version without words may come late, too
		d.Modified, d.From = f.fetched, index.FromFetch
	}
	return d
}

// lengths returns the lengths of the versions that the batch merges.
func (m *batch) lengths() (all []index.Length) {
	for _, i := range m.changes {
		if d := &m.docs[i]; d.fate == version && d.length > 0 {
			all = append(all, index.Length{URL: d.url, Code: posting.LengthCode(d.length)})
		}
	}
	return all
}
