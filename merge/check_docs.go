package merge

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	parser "github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// maxContent is the largest content of a row (IndexLimit's maximum).
const maxContent = parser.MaxIndexLimit

// checkDocWords verifies that docwords has the words of every document in the index with their counts, and
// that its fingerprints, if it has some, match their positions.
func (c *checker) checkDocWords() error {
	var suspects []store.URLID
	err := c.DocWords(c.ctx, c.from, c.to, func(d index.DocWords) error {
		u := c.url(int32(d.URL))
		u.flags |= inDocWords
		var sum uint64
		r, err := posting.NewDocWordsReader(d.Words)
		for err == nil && r.Next() {
			if word := r.Word(); c.damaged[store.WordID(word.ID)] {
				u.flags |= partly
			} else {
				sum += countHash(word.ID, word.Count)
			}
		}
		if err == nil {
			err = r.Err()
		}
		switch {
		case err != nil:
			u.flags |= differs
			c.mend.docWords(d.URL)
			return c.damage("docwords", "url %d: %v", d.URL, err)
		case sum != u.counts:
			u.flags |= differs
			suspects = append(suspects, d.URL)
		case r.Blocks() != nil && u.flags&partly == 0 && blocksSum(r.Blocks()) != u.positions:
			u.flags |= moved
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range c.urls {
		if u := &c.urls[i]; u.flags&inDocWords == 0 && u.words > 0 {
			u.flags |= differs
			suspects = append(suspects, store.URLID(c.from+int64(i)))
		}
	}
	slices.Sort(suspects)
	c.mend.docWords(suspects...)
	return c.nameDifferences(suspects)
}

// nameMoved reports documents whose fingerprints do not match their positions in the index, unless another
// difference is reported already.
func (c *checker) nameMoved() error {
	for i := range c.urls {
		if c.urls[i].flags&(moved|differs) != moved {
			continue
		}
		url := store.URLID(c.from + int64(i))
		c.mend.docWords(url)
		if err := c.damage("docwords", "%s: its fingerprints do not match its positions in the index", c.name(url)); err != nil {
			return err
		}
	}
	return nil
}

// checkRemoved verifies that only live originals have words in the index, except for unmerged changes.
func (c *checker) checkRemoved() error {
	for i := range c.urls {
		u := &c.urls[i]
		if u.flags&(known|isLive|waits) != known || u.words == 0 {
			continue
		}
		url := store.URLID(c.from + int64(i))
		c.mend.mark(url)
		if err := c.damage("wordurl", "%s is not a live document, but has %d words in the index", c.name(url), u.words); err != nil {
			return err
		}
	}
	return nil
}

// reading is the result of reading a content row again.
type reading struct {
	words, total     int
	positions        uint64 // sum over its undamaged words
	unpacked, unread error  // why it cannot be unpacked or read
}

// checkContents verifies that every content can be unpacked and that, with the rules, its words are those
// that its row counts and that the index has.
func (c *checker) checkContents() error {
	type job struct {
		row index.StoredRow
		r   reading
	}
	var (
		jobs = make(chan index.StoredRow, 8)
		mu   sync.Mutex // guards everything that checkDocument uses
		fail error
		wait sync.WaitGroup
	)
	damaged, err := c.damagedTexts()
	if err != nil {
		return err
	}
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for row := range jobs {
				j := job{row: row, r: c.readContent(&row, damaged)}
				mu.Lock()
				if fail == nil {
					fail = c.checkDocument(&j.row, &j.r)
				}
				mu.Unlock()
			}
		})
	}
	err = c.Contents(c.ctx, c.from, c.to, func(row index.StoredRow) error {
		jobs <- row
		mu.Lock()
		defer mu.Unlock()
		return fail
	})
	close(jobs)
	wait.Wait()
	if err == nil {
		err = fail
	}
	if err != nil {
		return err
	}
	return c.nameMisread()
}

// damagedTexts returns the texts of the damaged words.
func (c *checker) damagedTexts() (map[string]bool, error) {
	texts := map[string]bool{}
	var ids []store.WordID
	for id := range c.damaged {
		ids = append(ids, id)
	}
	for set := range slices.Chunk(ids, setSize) {
		if err := c.WordNames(c.ctx, set, func(_ store.WordID, text string) { texts[text] = true }); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// readContent unpacks a content row and, when its words are to be compared, parses it.
func (c *checker) readContent(row *index.StoredRow, damaged map[string]bool) (r reading) {
	body, err := store.UnpackContent(row.Packed, maxContent)
	if err != nil {
		r.unpacked = err
		return r
	}
	if c.rules == nil || !row.Document {
		return r
	}
	if digest := md5.Sum(body); hex.EncodeToString(digest[:]) != row.CRC && !row.Truncated && len(body) < c.rules.IndexLimit {
		r.unpacked = errors.New("the content does not match its digest in urlword.crc")
		return r
	}
	if c.url(int32(row.URL)).flags&(waits|partly) != 0 {
		return r
	}
	doc, err := parse(body, row.ReadAs, rulesOf(c.rules, row.How))
	if err != nil {
		r.unread = err
		return r
	}
	r.words, r.total = doc.WordCount, doc.TotalCount
	for i := range doc.Words {
		if w := &doc.Words[i]; !damaged[w.Text] {
			r.positions += positionsSum(posting.TextHash(w.Text), w.Positions)
		}
	}
	return r
}

// rulesOf returns the rules by which the words of a document were read.
func rulesOf(rules *parser.Rules, how store.HowRead) *parser.Rules {
	return rules.WithCharset(store.CharsetOfMode(how.Mode)).LeavingOutBy(how.Mode&store.ModeMain != 0, how.Mode&store.ModeStart != 0, how.Selectors)
}

// parse calls document.Parse; a panic fails this document only (F21).
func parse(body []byte, contentType string, rules *parser.Rules) (doc *parser.Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parser panicked: %v", r)
		}
	}()
	return parser.Parse(body, contentType, rules)
}

// checkDocument compares a content row, the result of reading it, and its postings.
func (c *checker) checkDocument(row *index.StoredRow, r *reading) error {
	c.sum.Documents++
	if r.unpacked != nil {
		return c.found(index.Finding{
			Table: "urlwords", Text: fmt.Sprintf("url %d %s: words: %v", row.URL, row.Name, r.unpacked),
			Do: index.DoFetch(row.Name),
		})
	}
	u := c.url(int32(row.URL))
	if !row.Document || u.flags&(waits|partly) != 0 {
		return nil
	}
	asStored := int(u.words) == int(row.WordCount) &&
		(u.total == uint32(row.TotalCount) || u.total < uint32(row.TotalCount) && u.flags&full != 0)
	countsOf := func() string {
		return fmt.Sprintf("url %d %s: wordcount %d, totalcount %d", row.URL, row.Name, row.WordCount, row.TotalCount)
	}
	switch {
	case c.rules != nil && r.unread == nil && r.positions == u.positions:
		if r.words == int(row.WordCount) && r.total == int(row.TotalCount) {
			return nil
		}
		c.mend.recount(row.URL)
		return c.damage("urlwords", "%s, but %d words with %d positions by its content and the index", countsOf(), r.words, r.total)
	case c.rules != nil && r.unread == nil && (r.words != int(row.WordCount) || r.total != int(row.TotalCount)):
		if asStored { // row and index agree, by the rules of their time
			c.sum.OtherRules++
			return nil
		}
	case c.rules != nil && r.unread == nil && c.o.OlderWords && asStored:
		c.sum.OtherRules++
		return nil
	case c.rules != nil && r.unread == nil:
		if u.flags&differs != 0 { // reported by the check of docwords
			return nil
		}
		c.mend.rejournal(row.URL)
		u.flags |= differs
		c.misread = append(c.misread, row.URL)
		return nil
	case asStored:
		return nil
	}
	c.mend.rejournal(row.URL)
	return c.damage("wordurl", "%s, but %d words with %d positions by the index", countsOf(), u.words, u.total)
}
