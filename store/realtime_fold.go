package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store/posting"
)

// folding brings documents into the rows of their words.
type folding struct {
	docs    []shown
	gone    map[URLID]bool  // whose older postings go: all of docs
	entries []realtimeEntry // their new postings, by word, site and URL
	words   []WordID        // of entries, ascending
	first   []int32         // where each word's entries begin, and the end of them
	read    []bool          // of each word whether wordurl1 has it
	before  []WordID        // words that rows of rt_urls name
	changed realtimeRows
	fresh   realtimeRows
	texts   []string // of fresh
}

// realtimeEntry is a new posting.
type realtimeEntry struct {
	word WordID
	doc  int32 // place in docs
	at   int32 // place in its words
}

// gather lists the words.
func (f *folding) gather() {
	n := 0
	for _, doc := range f.docs {
		f.gone[doc.url] = true
		if doc.words != nil {
			n += len(doc.words.ids)
		}
	}
	f.words, f.entries = make([]WordID, 0, n), make([]realtimeEntry, 0, n)
	for i, doc := range f.docs {
		if doc.words == nil {
			continue
		}
		f.words = append(f.words, doc.words.ids...)
		for k, id := range doc.words.ids {
			f.entries = append(f.entries, realtimeEntry{id, int32(i), int32(k)})
		}
	}
	f.words = ascending(f.words)
	f.read = make([]bool, len(f.words))
}

func (f *folding) readSites(rows pgx.Rows) error {
	var url URLID
	var site SiteID
	_, err := pgx.ForEachRow(rows, []any{&url, &site}, func() error {
		for i := range f.docs {
			if f.docs[i].url == url {
				f.docs[i].site = site
			}
		}
		return nil
	})
	return err
}

func (f *folding) readBefore(rows pgx.Rows) error {
	var url URLID
	var packed pgtypeBytes
	_, err := pgx.ForEachRow(rows, []any{&url, &packed}, func() (err error) {
		f.before, err = wordsOfDocument(f.before, url, packed)
		return err
	})
	return err
}

// sort puts the new postings in the order of words, sites and URLs.
func (f *folding) sort() {
	slices.SortFunc(f.entries, func(a, b realtimeEntry) int {
		if a.word != b.word {
			return int(a.word) - int(b.word)
		}
		x, y := &f.docs[a.doc], &f.docs[b.doc]
		return cmp.Or(cmp.Compare(x.site, y.site), cmp.Compare(x.url, y.url))
	})
	f.first = make([]int32, 0, len(f.words)+1)
	for i, e := range f.entries {
		if i == 0 || f.entries[i-1].word != e.word {
			f.first = append(f.first, int32(i))
		}
	}
	f.first = append(f.first, int32(len(f.entries)))
}

// readRows unites rows of wordurl1 with the new postings, which take the place of older ones of these documents.
func (f *folding) readRows(rows pgx.Rows) error {
	var id WordID
	var blob pgtypeBytes
	_, err := pgx.ForEachRow(rows, []any{&id, &blob}, func() error {
		i, found := slices.BinarySearch(f.words, id)
		if !found {
			return f.changed.without(id, blob, f.gone)
		}
		f.read[i] = true
		return f.unite(id, blob, f.entries[f.first[i]:f.first[i+1]])
	})
	return err
}

// unite folds new postings of a word into its blob.
func (f *folding) unite(id WordID, blob []byte, list []realtimeEntry) error {
	c := &f.changed
	c.build.Reset()
	c.it.Reset(blob)
	for c.it.Next() {
		for len(list) > 0 && f.comesBefore(list[0], &c.it) {
			f.addTo(&c.build, list[0])
			list = list[1:]
		}
		if !f.gone[URLID(c.it.URL())] {
			c.build.AddRaw(c.it.Site(), c.it.URL(), c.it.Raw())
		}
	}
	if err := c.it.Err(); err != nil {
		return &Damaged{"wordurl1", fmt.Errorf("wordurl1.urls of word %d: %w", id, err)}
	}
	for _, e := range list {
		f.addTo(&c.build, e)
	}
	c.put(id)
	return nil
}

func (f *folding) comesBefore(e realtimeEntry, it *posting.Iterator) bool {
	doc := &f.docs[e.doc]
	if site := int32(doc.site); site != it.Site() {
		return site < it.Site()
	}
	return int32(doc.url) <= it.URL()
}

func (f *folding) addTo(b *posting.Builder, e realtimeEntry) {
	doc := &f.docs[e.doc]
	b.Add(int32(doc.site), int32(doc.url), doc.words.of(int(e.at)))
}

// lost are the words that the documents had in wordurl1 and that none of them has now, ascending.
func (f *folding) lost() []WordID {
	return slices.DeleteFunc(ascending(f.before), func(id WordID) bool {
		_, found := slices.BinarySearch(f.words, id)
		return found
	})
}

// add makes rows of words that wordurl1 has not yet.
func (f *folding) add() {
	for i, id := range f.words {
		if f.read[i] {
			continue
		}
		list := f.entries[f.first[i]:f.first[i+1]]
		f.fresh.build.Reset()
		for _, e := range list {
			f.addTo(&f.fresh.build, e)
		}
		f.fresh.put(id)
		f.texts = append(f.texts, f.docs[list[0].doc].words.texts[list[0].at])
	}
}

// docWords are the rows of rt_urls: what each document has in wordurl1.
func (f *folding) docWords() [][]byte {
	packed := make([][]byte, len(f.docs))
	var list []posting.DocWord
	for i, doc := range f.docs {
		list = list[:0]
		if doc.words != nil {
			for k, id := range doc.words.ids {
				list = append(list, posting.DocWord{ID: int32(id), Count: len(doc.words.of(k))})
			}
			slices.SortFunc(list, func(a, b posting.DocWord) int { return int(a.ID) - int(b.ID) })
		}
		packed[i] = posting.AppendDocWords(nil, list)
	}
	return packed
}
