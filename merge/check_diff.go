package merge

import (
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// The detailed comparison of documents whose sums differ: it finds the words.

const (
	diffSet     = 1000 // documents compared at a time
	maxDiffSets = 10   // rounds of a pass, so that the check of a wholly damaged index ends
)

// indexedPosting is a posting of a document under comparison.
type indexedPosting struct {
	word      store.WordID
	count     int
	positions uint64 // hash of the positions; 0 in a docwords entry
}

// postingsOf returns the postings of documents, each by ascending word, without damaged words.
func (c *checker) postingsOf(urls []store.URLID) (map[store.URLID][]indexedPosting, error) {
	found := make(map[store.URLID][]indexedPosting, len(urls))
	for _, u := range urls {
		found[u] = nil
	}
	err := c.eachWord(func(w *storedWord) error {
		if c.damaged[w.ID] {
			return nil
		}
		postings, err := w.postings()
		if err != nil {
			return err
		}
		for postings.Next() {
			if list, ok := found[store.URLID(postings.URL())]; ok {
				found[store.URLID(postings.URL())] = append(list, indexedPosting{w.ID, postings.Count(), rawSum(0, postings.Raw())})
			}
		}
		return postings.Err()
	})
	return found, err
}

// nameDifferences reports documents whose row of docwords differs from the index, with the words.
func (c *checker) nameDifferences(suspects []store.URLID) error {
	for look := 0; len(suspects) > 0 && look < maxDiffSets; look++ {
		set := suspects[:min(len(suspects), diffSet)]
		suspects = suspects[len(set):]
		indexStore, err := c.postingsOf(set)
		if err != nil {
			return err
		}
		var lines []difference
		for _, url := range set {
			d := difference{url: url, index: indexStore[url]}
			err := c.DocWords(c.ctx, int64(url), int64(url)+1, func(row index.DocWords) error {
				d.row = true
				r, err := posting.NewDocWordsReader(row.Words)
				for err == nil && r.Next() {
					if w := r.Word(); !c.damaged[store.WordID(w.ID)] {
						d.docWords = append(d.docWords, indexedPosting{word: store.WordID(w.ID), count: w.Count})
					}
				}
				return nil // unreadable rows are reported already
			})
			if err != nil {
				return err
			}
			d.compare()
			lines = append(lines, d)
		}
		if err := c.reportDifferences(lines); err != nil {
			return err
		}
	}
	for _, url := range suspects {
		if err := c.damage("docwords", "url %d: its words differ from the index", url); err != nil {
			return err
		}
	}
	return nil
}

// difference is a document for which docwords and the index differ.
type difference struct {
	url             store.URLID
	row             bool // docwords has a row
	docWords, index []indexedPosting
	at              [2]indexedPosting // the first word that differs: in docwords, in the index; word 0 = missing there
	more            int               // further words that differ
}

func (d *difference) compare() {
	i, j, n := 0, 0, 0
	for i < len(d.docWords) || j < len(d.index) {
		var pair [2]indexedPosting
		switch {
		case j == len(d.index) || i < len(d.docWords) && d.docWords[i].word < d.index[j].word:
			pair[0], i = d.docWords[i], i+1
		case i == len(d.docWords) || d.index[j].word < d.docWords[i].word:
			pair[1], j = d.index[j], j+1
		default:
			pair = [2]indexedPosting{d.docWords[i], d.index[j]}
			i, j = i+1, j+1
			if pair[0].count == pair[1].count {
				continue
			}
		}
		if n++; n == 1 {
			d.at = pair
		}
	}
	d.more = n - 1
}

// reportDifferences reports differences, with words and URLs by name.
func (c *checker) reportDifferences(lines []difference) error {
	var ids []store.WordID
	urls := make([]store.URLID, len(lines))
	for i := range lines {
		ids = append(ids, lines[i].at[0].word, lines[i].at[1].word)
		urls[i] = lines[i].url
	}
	slices.Sort(ids)
	texts, names := map[store.WordID]string{}, map[store.URLID]string{}
	if err := c.WordNames(c.ctx, slices.Compact(ids), func(id store.WordID, text string) { texts[id] = text }); err != nil {
		return err
	}
	if err := c.URLNames(c.ctx, urls, func(id store.URLID, name string) { names[id] = name }); err != nil {
		return err
	}
	word := func(h indexedPosting) string { return fmt.Sprintf("word %d %q", h.word, texts[h.word]) }
	for i := range lines {
		d := &lines[i]
		text := fmt.Sprintf("url %d %s ", d.url, names[d.url])
		docWords, index := d.at[0], d.at[1]
		switch {
		case !d.row:
			text += fmt.Sprintf("has no row, but the index has %d words for it", len(d.index))
		case d.more < 0:
			text += "has a duplicate posting in the index"
		case index.word == 0:
			text += fmt.Sprintf("has %s %d times, the index does not have it", word(docWords), docWords.count)
		case docWords.word == 0:
			text += fmt.Sprintf("does not have %s, the index has it %d times", word(index), index.count)
		default:
			text += fmt.Sprintf("has %s %d times, the index has it %d times", word(docWords), docWords.count, index.count)
		}
		if d.row && d.more > 0 {
			text += fmt.Sprintf(", and %d more words differ", d.more)
		}
		if err := c.damage("docwords", "%s", text); err != nil {
			return err
		}
	}
	return nil
}

// nameMisread reports the documents whose postings differ from their content, with the first such word of
// some of them.
func (c *checker) nameMisread() error {
	slices.Sort(c.misread)
	for i, set := 0, slices.Collect(slices.Chunk(c.misread, diffSet/10)); i < len(set); i++ {
		var index map[store.URLID][]indexedPosting
		if i < maxDiffSets {
			var err error
			if index, err = c.postingsOf(set[i]); err != nil {
				return err
			}
		}
		for _, url := range set[i] {
			word := ""
			if list := index[url]; list != nil {
				var err error
				if word, err = c.misreadWord(url, list); err != nil {
					return err
				}
			}
			if err := c.damage("wordurl", "%s: its postings differ from its content%s", c.name(url), word); err != nil {
				return err
			}
		}
	}
	c.misread = nil
	return nil
}

// misreadWord returns a text that names a word of a document whose posting differs from the content.
func (c *checker) misreadWord(url store.URLID, indexStore []indexedPosting) (what string, err error) {
	texts := make(map[store.WordID]string, len(indexStore))
	ids := make([]store.WordID, len(indexStore))
	for i, h := range indexStore {
		ids[i] = h.word
	}
	if err := c.WordNames(c.ctx, ids, func(id store.WordID, text string) { texts[id] = text }); err != nil {
		return "", err
	}
	stored := map[string]uint64{}
	err = c.Contents(c.ctx, int64(url), int64(url)+1, func(row index.StoredRow) error {
		body, err := store.UnpackContent(row.Packed, maxContent)
		if err != nil {
			return nil // reported already
		}
		if doc, err := parse(body, row.ReadAs, rulesOf(c.rules, row.How)); err == nil {
			for _, w := range doc.Words {
				stored[w.Text] = positionsSum(0, w.Positions)
			}
		}
		return nil
	})
	for _, h := range indexStore {
		if there, ok := stored[texts[h.word]]; !ok || there != h.positions {
			return fmt.Sprintf(": word %d %q", h.word, texts[h.word]), err
		}
		delete(stored, texts[h.word])
	}
	for text := range stored {
		return fmt.Sprintf(": no posting for %q", text), err
	}
	return "", err
}
