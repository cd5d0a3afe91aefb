package merge

import (
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// checkJournal verifies that the words of every unmerged version can be read, and that after the next merge
// the index will have for every document the words that its content row counts, and none for others.
func (c *checker) checkJournal() error {
	var r posting.WordsReader
	err := c.JournalWords(c.ctx, func(j index.JournalWords) error {
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
			return c.damage("journal", "seq %d: url %d is not a live document, but this row, its newest, has %d words", j.Seq, j.URL, words)
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
