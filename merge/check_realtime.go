package merge

import (
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// realtimeDoc has the sums of a document's postings in wordurl1.
type realtimeDoc struct {
	sum    uint64 // of the hashes of its postings
	counts uint64 // sum of the hashes of its words and counts
	words  int
	site   int32 // 0 = several
	listed bool  // has a row in rt_urls
}

// realtimeCheck compares the real-time index with rt_urls and the journal. All of it is held in memory:
// real-time documents are few.
type realtimeCheck struct {
	*checker
	docs   map[store.URLID]*realtimeDoc
	unread map[store.WordID]bool // words that cannot be read; they are left out
	texts  map[string]bool       // texts of unread
}

// checkRealtime verifies that rt_urls has the documents of wordurl1 with their words, and that the postings
// are the words of the journal row that rt_urls names.
func (c *checker) checkRealtime() error {
	r := realtimeCheck{c, map[store.URLID]*realtimeDoc{}, map[store.WordID]bool{}, map[string]bool{}}
	if err := c.Realtime(c.ctx, r.word); err != nil {
		return err
	}
	if err := c.Shown(c.ctx, r.shown); err != nil {
		return err
	}
	if err := c.RealtimeVersions(c.ctx, r.version); err != nil {
		return err
	}
	for url, d := range r.docs {
		if !d.listed {
			if err := r.bad("wordurl1", "%s has words, but no row in rt_urls", c.name(url)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bad reports damage that is mended by filling both tables again from the journal, which has all of their
// content.
func (r *realtimeCheck) bad(table, format string, args ...any) error {
	return r.found(index.Finding{Table: table, Text: fmt.Sprintf(format, args...), Do: index.DoRealtime, Mends: true})
}

// word adds a row of wordurl1 to the sums and verifies it.
func (r *realtimeCheck) word(w index.NamedRow) error {
	t, err := posting.Check(w.URLs, false)
	if err != nil {
		r.unread[w.ID], r.texts[w.Word] = true, true
		return r.bad("wordurl1", "%q: %v", w.Word, err)
	}
	text := posting.TextHash(w.Word)
	for it := posting.NewIterator(w.URLs); it.Next(); {
		d := r.docs[store.URLID(it.URL())]
		if d == nil {
			d = &realtimeDoc{site: it.Site()}
			r.docs[store.URLID(it.URL())] = d
		}
		if d.site != it.Site() {
			d.site = 0
		}
		d.sum += rawSum(text, it.Raw())
		d.counts += countHash(int32(w.ID), it.Count())
		d.words++
	}
	if t.URLs == 0 || int32(t.URLs) != w.URLCount || posting.TotalCount(int64(t.Total)) != w.TotalCount {
		return r.bad("wordurl1", "%q: urlcount %d, totalcount %d, but %d postings with %d positions", w.Word, w.URLCount, w.TotalCount, t.URLs, t.Total)
	}
	return nil
}

// shown verifies a row of rt_urls.
func (r *realtimeCheck) shown(url store.URLID, packed []byte) error {
	got := r.docs[url]
	if got == nil {
		got = &realtimeDoc{}
		r.docs[url] = got
	}
	got.listed = true
	var counts uint64
	n := 0
	words, err := posting.NewDocWordsReader(packed)
	for err == nil && words.Next() {
		if w := words.Word(); !r.unread[store.WordID(w.ID)] {
			counts += countHash(w.ID, w.Count)
			n++
		}
	}
	if err == nil {
		err = words.Err()
	}
	switch {
	case err != nil:
		return r.bad("rt_urls", "url %d: words: %v", url, err)
	case n != got.words || counts != got.counts:
		return r.bad("rt_urls", "url %d: its %d words do not match its %d words in wordurl1", url, n, got.words)
	}
	return nil
}

// version compares the postings of a document in wordurl1 with its journal row.
func (r *realtimeCheck) version(url store.URLID, seq int64, site store.SiteID, packed []byte) error {
	var want realtimeDoc
	var words posting.WordsReader
	err := words.Reset(packed)
	for err == nil && words.Next() {
		if !r.texts[string(words.Word())] {
			want.sum += positionsSum(posting.TextHash(words.Word()), words.Positions())
			want.words++
		}
	}
	got := r.docs[url]
	switch {
	case err != nil || words.Err() != nil:
		return nil // reported by checkJournal
	case got.words > 0 && got.site != int32(site):
		return r.bad("wordurl1", "a posting of url %d under another site than %d", url, site)
	case got.words != want.words || got.sum != want.sum:
		return r.bad("wordurl1", "url %d: its %d words do not match journal row %d with %d words", url, got.words, seq, want.words)
	}
	return nil
}
