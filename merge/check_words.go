package merge

import (
	"errors"
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

const (
	wordPage  = 2000    // rows of wordurl read at once
	wordsHold = 8 << 20 // bytes of wordfile held in memory; a word with more is read a few rows at a time
)

// storedWord is a word with all of its rows in the main index.
type storedWord struct {
	index.NamedRow
	c     *checker
	size  int64           // bytes in wordfile
	files []index.FileRow // all rows, unless the word is large
	large bool
}

// eachWord calls f with every word, by ascending id.
func (c *checker) eachWord(f func(*storedWord) error) error {
	for after := store.WordID(0); ; {
		page, err := c.Words(c.ctx, after, wordPage)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].ID
		sizes := map[store.WordID]int64{}
		if err := c.FileSizes(c.ctx, page[0].ID, after, func(id store.WordID, size int64) { sizes[id] = size }); err != nil {
			return err
		}
		held := map[store.WordID][]index.FileRow{}
		for i := range page {
			w := &storedWord{NamedRow: page[i], c: c, size: sizes[page[i].ID]}
			if w.large = w.size > wordsHold; w.size > 0 && !w.large && held[w.ID] == nil {
				clear(held)
				if err := c.holdFiles(page[i:], sizes, held); err != nil {
					return err
				}
			}
			w.files = held[w.ID]
			if err := f(w); err != nil {
				return err
			}
		}
	}
}

// holdFiles reads the rows of wordfile of the next words, up to wordsHold bytes.
func (c *checker) holdFiles(next []index.NamedRow, sizes map[store.WordID]int64, held map[store.WordID][]index.FileRow) error {
	var ids []store.WordID
	var bytes int64
	for i := range next {
		size := sizes[next[i].ID]
		if size == 0 || size > wordsHold {
			continue
		}
		if bytes += size; bytes > wordsHold && len(ids) > 0 {
			break
		}
		ids = append(ids, next[i].ID)
	}
	return c.Files(c.ctx, ids, func(r index.FileRow) { held[r.Word] = append(held[r.Word], r) })
}

// rows calls f with the word's rows of wordfile, the newest segment first, within a segment in the order of
// the postings.
func (w *storedWord) rows(f func(*index.FileRow) error) error {
	for i := range w.files {
		if err := f(&w.files[i]); err != nil {
			return err
		}
	}
	if !w.large {
		return nil
	}
	runs, err := w.c.Segments(w.c.ctx, w.ID)
	if err != nil {
		return err
	}
	for _, run := range runs {
		next := w.c.RunRows(w.c.ctx, run)
		for {
			row, err := next()
			if err != nil {
				return err
			}
			if row == nil {
				break
			}
			if err := f(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// postings returns the word's valid postings: the union of its segments, where the newest wins.
func (w *storedWord) postings() (*posting.Union, error) {
	sources := []posting.Source{posting.NewIterator(w.URLs)}
	for rest := w.files; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Level == rest[0].Level && rest[n].Seq == rest[0].Seq {
			n++
		}
		var blobs [][]byte
		for i := range rest[:n] {
			blobs = append(blobs, rest[i].Blob)
		}
		sources, rest = append(sources, posting.NewIterator(blobs...)), rest[n:]
	}
	if w.large {
		runs, err := w.c.Segments(w.c.ctx, w.ID)
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			next := w.c.RunRows(w.c.ctx, run)
			sources = append(sources, posting.NewStream(func() ([]byte, error) {
				row, err := next()
				if err != nil || row == nil {
					return nil, err
				}
				return row.Blob, nil
			}))
		}
	}
	return posting.NewUnion(false, sources...), nil
}

// checkWord verifies the format and the counts of a word's rows, and adds its postings to the sums of their
// documents. A damaged word is left out of the sums.
func (c *checker) checkWord(w *storedWord) error {
	if c.damaged[w.ID] {
		return nil // an earlier pass has reported it
	}
	first := c.from == 1
	if first {
		c.sum.Words++
		sound, err := c.checkRows(w)
		if err != nil {
			return err
		}
		if !sound {
			c.damaged[w.ID] = true
			return nil
		}
	}
	totals, problem, err := c.addWord(w, 1)
	switch {
	case err != nil && !errors.Is(err, posting.ErrCorrupt):
		return err
	case err != nil:
		err = c.damage("wordurl", "%q (word %d): %v", w.Word, w.ID, err)
	case problem != "":
		err = c.damage("wordurl", "%q (word %d): %s", w.Word, w.ID, problem)
	case first && (int32(totals.URLs) != w.URLCount || !w.counts(totals.Total)):
		err = c.damage("wordurl", "%q (word %d): urlcount %d, totalcount %d, but %d postings with %d positions",
			w.Word, w.ID, w.URLCount, w.TotalCount, totals.URLs, totals.Total)
	default:
		if first {
			c.sum.Postings += int64(totals.URLs)
		}
		return nil
	}
	c.damaged[w.ID] = true
	if err == nil {
		_, _, err = c.addWord(w, -1)
		if errors.Is(err, posting.ErrCorrupt) {
			err = nil
		}
	}
	return err
}

// counts reports whether the word's row may have a totalcount of so many positions. In wordfile a saturated
// totalcount remains until the base is rewritten, even when postings are removed.
func (w *storedWord) counts(positions int) bool {
	return w.TotalCount == posting.TotalCount(int64(positions)) || w.TotalCount == posting.MostTotal && w.size > 0
}

// addWord adds a word's postings to the sums of their documents; sign -1 subtracts them. problem describes an
// impossible posting.
func (c *checker) addWord(w *storedWord, sign int64) (t posting.Totals, problem string, err error) {
	postings, err := w.postings()
	if err != nil {
		return t, "", err
	}
	text := posting.TextHash(w.Word)
	for postings.Next() {
		count := postings.Count()
		t.URLs++
		t.Total += count
		id := postings.URL()
		u := c.url(id)
		switch {
		case u == nil && (id > int32(c.MaxURL) || id < 1):
			problem = fmt.Sprintf("a posting of url %d (no row in urlword)", id)
			continue
		case u == nil:
			continue // another pass
		case u.flags&known == 0:
			problem = fmt.Sprintf("a posting of url %d (no row in urlword)", id)
		case u.site != postings.Site():
			problem = fmt.Sprintf("a posting of url %d under site %d, not %d", id, postings.Site(), u.site)
		}
		u.counts += uint64(sign) * countHash(int32(w.ID), count)
		u.positions += uint64(sign) * rawSum(text, postings.Raw())
		u.words += uint32(sign)
		u.total += uint32(sign * int64(count))
		if u.flags&full == 0 && rawFull(postings.Raw()) {
			u.flags |= full
		}
	}
	return t, problem, postings.Err()
}

// checkRows verifies the format of a word's blobs. Rows of wordfile are complete blobs, at most 256 KiB. Each
// begins at the posting that its key names, and no rows of one segment overlap; removals occur above the base
// only.
func (c *checker) checkRows(w *storedWord) (sound bool, err error) {
	sound = true
	if len(w.URLs) > posting.MaxInline || len(w.URLs) > 0 && w.size > 0 {
		sound = false
		if err := c.damage("wordurl", "%q (word %d): %d bytes in wordurl and %d bytes in wordfile", w.Word, w.ID, len(w.URLs), w.size); err != nil {
			return false, err
		}
	}
	if _, err := posting.Check(w.URLs, false); err != nil {
		sound = false
		if err := c.damage("wordurl", "%q (word %d): %v", w.Word, w.ID, err); err != nil {
			return false, err
		}
	}
	var before index.FileRow
	var site, url int32 // the last posting read of the segment
	err = w.rows(func(r *index.FileRow) error {
		if r.Level != before.Level || r.Seq != before.Seq {
			site, url = 0, 0
		}
		before = index.FileRow{Level: r.Level, Seq: r.Seq}
		fault := checkFile(r, &site, &url)
		if fault == "" {
			return nil
		}
		sound = false
		return c.damage("wordfile", "%q (word %d), level %d, seq %d, from (%d, %d): %s", w.Word, w.ID, r.Level, r.Seq, r.FirstSite, r.FirstURL, fault)
	})
	return sound, err
}

// checkFile returns the fault of a row of wordfile, which follows the posting of site and url in its segment,
// and advances these.
func checkFile(r *index.FileRow, site, url *int32) (fault string) {
	t, err := posting.Check(r.Blob, r.Level < index.LevelBase)
	if err != nil {
		return err.Error()
	}
	if t != r.Totals {
		return fmt.Sprintf("urlcount %d, totalcount %d, but %d postings with %d positions", r.URLs, r.Total, t.URLs, t.Total)
	}
	n := 0
	for it := posting.NewIterator(r.Blob); it.Next(); n++ {
		if n == 0 && (it.Site() != r.FirstSite || it.URL() != r.FirstURL) {
			fault = fmt.Sprintf("the first posting is (%d, %d)", it.Site(), it.URL())
		}
		if n == 0 && (it.Site() < *site || it.Site() == *site && it.URL() <= *url) {
			fault = fmt.Sprintf("(%d, %d) follows (%d, %d) of the previous row", it.Site(), it.URL(), *site, *url)
		}
		*site, *url = it.Site(), it.URL()
	}
	if len(r.Blob) > posting.MaxRow && n > 1 {
		fault = fmt.Sprintf("%d bytes, at most %d", len(r.Blob), posting.MaxRow)
	}
	return fault
}
