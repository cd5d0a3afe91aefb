package merge

import (
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// checkJournal: the words of every waiting version can be read, and when all that waits is merged, the index has of every
// document the words that its content row counts, and of nothing else any.
func (c *checker) checkJournal() error {
	var r posting.WordsReader
	err := c.JournalWords(c.ctx, func(j store.JournalWords) error {
		err := r.Reset(j.Words)
		words, total, limited := 0, 0, false
		for err == nil && r.Next() {
			words++
			total += len(r.Positions())
			limited = limited || positionsFull(r.Positions())
		}
		if err == nil {
			err = r.Err()
		}
		switch {
		case err != nil:
			c.mend.version(j.URL, j.Seq)
			return c.damage("journal", "seq %d, url %d: %v", j.Seq, j.URL, err)
		case !j.Newest:
			return nil
		case !j.Document && words > 0:
			c.mend.mark(j.URL)
			return c.damage("journal", "seq %d: url %d is no live document, but has %d words by this row, the newest", j.Seq, j.URL, words)
		case j.Document && j.HasRow && (words != int(j.WordCount) || total != int(j.TotalCount) && (total > int(j.TotalCount) || !limited)):
			c.mend.rejournal(j.URL)
			return c.damage("urlwords", "url %d: wordcount %d, totalcount %d, but %d words with %d positions by journal row %d, the newest",
				j.URL, j.WordCount, j.TotalCount, words, total, j.Seq)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.WronglyMarked(c.ctx, func(url store.URLID, words, total int32) error {
		c.mend.rejournal(url)
		return c.damage("markdel", "url %d: wordcount %d, totalcount %d, but 0 words with 0 positions by its mark", url, words, total)
	})
}

func positionsFull(positions []uint16) bool {
	if len(positions) >= posting.MaxCount {
		return true
	}
	for _, p := range positions {
		if p&0x3fff == lastOrdinal {
			return true
		}
	}
	return false
}

// realtime is what wordurl1 has of a document.
type realtime struct {
	sum   uint64 // of the hashes of its postings
	words int
	site  int32 // 0 = several
}

// checkRealtime: rt_urls names the documents that stand in wordurl1, and their postings there are the words of the journal row
// that it names (D-11). Real-time documents are few by their purpose.
func (c *checker) checkRealtime() error {
	const table, remedy = "wordurl1", "index -T URL indexes it anew, and index -D folds it in"
	bad := func(format string, args ...any) error {
		return c.found(store.Finding{Table: table, Text: fmt.Sprintf(format, args...), Do: remedy})
	}
	has := map[store.URLID]realtime{}
	err := c.Realtime(c.ctx, func(w store.NamedRow) error {
		t, err := posting.Check(w.URLs, false)
		if err != nil {
			return bad("%q: %v", w.Word, err)
		}
		text := textHash(w.Word)
		for it := posting.NewIterator(w.URLs); it.Next(); {
			d, known := has[store.URLID(it.URL())]
			if !known {
				d.site = it.Site()
			}
			if d.site != it.Site() {
				d.site = 0
			}
			d.sum += postingHash(text, rawHash(it.Raw()))
			d.words++
			has[store.URLID(it.URL())] = d
		}
		if t.URLs == 0 || int32(t.URLs) != w.URLCount || int32(t.Total) != w.TotalCount {
			return bad("%q: urlcount %d, totalcount %d, but %d postings with %d positions", w.Word, w.URLCount, w.TotalCount, t.URLs, t.Total)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var r posting.WordsReader
	err = c.RealtimeVersions(c.ctx, func(url store.URLID, seq int64, site store.SiteID, words []byte) error {
		var want realtime
		err := r.Reset(words)
		for err == nil && r.Next() {
			want.sum += postingHash(textHash(r.Word()), positionsHash(r.Positions()))
			want.words++
		}
		got := has[url]
		delete(has, url)
		switch {
		case err != nil || r.Err() != nil:
			return nil // checkJournal says it
		case got.words > 0 && got.site != int32(site):
			return bad("a posting of url %d under another site than %d", url, site)
		case got.words != want.words || got.sum != want.sum:
			return bad("url %d: %d words, journal row %d has %d, or others", url, got.words, seq, want.words)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for url := range has {
		if err := bad("%s has words there, but is not in rt_urls", c.name(url)); err != nil {
			return err
		}
	}
	return nil
}
