package storetest

import (
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/store/posting"
)

// checkDocwords: docwords says of every document which words the index has of it, and how often (D-7).
func checkDocwords(d *database) {
	stored := map[int32]bool{}
	for _, x := range d.docwords {
		stored[x.URL] = true
		if d.url[x.URL] == nil {
			d.report("docwords: %s", d.name(x.URL))
		}
		if x.Seq <= 0 || x.Seq > d.seq {
			d.report("docwords: %s: seq %d, journal_seq is at %d", d.name(x.URL), x.Seq, d.seq)
		}
		if r, err := posting.NewDocWordsReader(x.Words); err != nil {
			d.report("docwords: %s: %v", d.name(x.URL), err)
			continue
		} else {
			for r.Next() {
			}
			if r.Err() != nil {
				d.report("docwords: %s: %v", d.name(x.URL), r.Err())
				continue
			}
		}
		words := d.wordsOf(x)
		if !slices.Equal(words, d.merged[x.URL]) {
			d.report("docwords: %s: %s", d.name(x.URL), differ(words, d.merged[x.URL]))
		}
		if len(words) == 0 && !d.olderWaits(x) {
			d.report("docwords: %s: a row without words that awaits nothing", d.name(x.URL))
		}
	}
	for i := range d.urls {
		if id := d.urls[i].ID; !stored[id] && len(d.merged[id]) > 0 {
			d.report("docwords: %s has no row, but %d words in the index", d.name(id), len(d.merged[id]))
		}
	}
}

// olderWaits reports whether the journal has words of a document that are older than what was merged: then its row in
// docwords says that they come late.
func (d *database) olderWaits(x docwordsRow) bool {
	return slices.ContainsFunc(d.journal, func(j journalRow) bool { return j.URL == x.URL && j.Words != nil && j.Seq < x.Seq })
}

// wordsOf unpacks a row of docwords as far as it can be read.
func (d *database) wordsOf(x docwordsRow) (words []docWord) {
	r, err := posting.NewDocWordsReader(x.Words)
	if err != nil {
		return nil
	}
	for r.Next() {
		words = append(words, docWord{r.Word().ID, int32(r.Word().Count)})
	}
	return words
}

// checkDocuments: when all that waits is merged, the index has of every live original that is no clone the words of its
// content row, as many as it says, and of nothing else any.
func checkDocuments(d *database) {
	merged := byKey(d.docwords, func(x *docwordsRow) int32 { return x.URL })
	newest := map[int32]int64{}      // URL → its newest fact
	final := map[int32]*journalRow{} // URL → its newest fact, when that is a version
	note := func(url int32, seq int64, j *journalRow) {
		if m := merged[url]; (m == nil || seq > m.Seq) && seq > newest[url] {
			newest[url], final[url] = seq, j
		}
	}
	for i := range d.journal {
		if j := &d.journal[i]; j.Words != nil {
			note(j.URL, j.Seq, j)
		}
	}
	for i := range d.marks {
		note(d.marks[i].URL, d.marks[i].Seq, nil)
	}
	for i := range d.urls {
		u := &d.urls[i]
		var words, sums int
		where, limited := "the index", d.full[u.ID]
		switch j := final[u.ID]; {
		case j != nil:
			where, limited = "the newest journal row", false
			for _, positions := range d.decoded[j.Seq] {
				words, sums, limited = words+1, sums+len(positions), limited || full(positions)
			}
		case newest[u.ID] > 0:
			where = "its mark"
		default:
			for _, w := range d.merged[u.ID] {
				words, sums = words+1, sums+int(w.Count)
			}
		}
		c := d.content[u.ID]
		if !u.live() || u.Origin != 0 {
			if words > 0 {
				d.report("wordurl: %s: status %d, deleted %v, origin %d, but %d words by %s", d.name(u.ID), u.base(), u.Deleted, u.Origin, words, where)
			}
			continue
		}
		if c == nil {
			continue // checkContent says it
		}
		if words != int(c.WordCount) || sums != int(c.TotalCount) && !(sums < int(c.TotalCount) && limited) {
			d.report("wordurl: %s: wordcount %d, totalcount %d, but %d words with %d positions by %s",
				d.name(u.ID), c.WordCount, c.TotalCount, words, sums, where)
		}
	}
}

// differ says in what a row of docwords and the index differ.
func differ(said, index []docWord) string {
	for i := 0; ; i++ {
		switch {
		case i == len(said):
			return fmt.Sprintf("the index has word %d %d times, which is not said", index[i].ID, index[i].Count)
		case i == len(index) || said[i].ID < index[i].ID:
			return fmt.Sprintf("says word %d %d times, which the index has not", said[i].ID, said[i].Count)
		case said[i] != index[i]:
			return fmt.Sprintf("says word %d %d times, the index has word %d %d times", said[i].ID, said[i].Count, index[i].ID, index[i].Count)
		}
	}
}
