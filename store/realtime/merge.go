package realtime

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// realtimeMerge merges the words of documents into the rows of wordurl1.
type realtimeMerge struct {
	docs     []Doc
	gone     map[store.URLID]bool // documents whose older postings are removed: all of docs
	entries  []realtimeEntry      // their new postings, by word, site and URL
	words    []store.WordID       // of entries, ascending
	first    []int32              // where the entries of each word begin, and the end of the last
	read     []bool               // whether wordurl1 has a row, for each word
	before   []store.WordID       // words that rows of rt_urls name
	changed  realtimeRows
	inserted realtimeRows
	texts    []string // of fresh
}

// realtimeEntry is a new posting.
type realtimeEntry struct {
	word store.WordID
	doc  int32 // index in docs
	at   int32 // index in the document's words
}

// collect lists the words of all documents.
func (f *realtimeMerge) collect() {
	n := 0
	for _, doc := range f.docs {
		f.gone[doc.URL] = true
		if doc.Words != nil {
			n += len(doc.Words.ids)
		}
	}
	f.words, f.entries = make([]store.WordID, 0, n), make([]realtimeEntry, 0, n)
	for i, doc := range f.docs {
		if doc.Words == nil {
			continue
		}
		f.words = append(f.words, doc.Words.ids...)
		for k, id := range doc.Words.ids {
			f.entries = append(f.entries, realtimeEntry{id, int32(i), int32(k)})
		}
	}
	f.words = ascending(f.words)
	f.read = make([]bool, len(f.words))
}

func (f *realtimeMerge) readSites(rows pgx.Rows) error {
	var url store.URLID
	var site store.SiteID
	_, err := pgx.ForEachRow(rows, []any{&url, &site}, func() error {
		for i := range f.docs {
			if f.docs[i].URL == url {
				f.docs[i].Site = site
			}
		}
		return nil
	})
	return err
}

func (f *realtimeMerge) readBefore(rows pgx.Rows) error {
	var url store.URLID
	var packed store.Bytes
	_, err := pgx.ForEachRow(rows, []any{&url, &packed}, func() (err error) {
		f.before, err = wordsOfDocument(f.before, url, packed)
		return err
	})
	return err
}

// sort sorts the new postings by word, site and URL.
func (f *realtimeMerge) sort() {
	slices.SortFunc(f.entries, func(a, b realtimeEntry) int {
		if a.word != b.word {
			return int(a.word) - int(b.word)
		}
		x, y := &f.docs[a.doc], &f.docs[b.doc]
		return cmp.Or(cmp.Compare(x.Site, y.Site), cmp.Compare(x.URL, y.URL))
	})
	f.first = make([]int32, 0, len(f.words)+1)
	for i, e := range f.entries {
		if i == 0 || f.entries[i-1].word != e.word {
			f.first = append(f.first, int32(i))
		}
	}
	f.first = append(f.first, int32(len(f.entries)))
}

// readRows merges the new postings into rows of wordurl1. They replace older ones of these documents.
func (f *realtimeMerge) readRows(rows pgx.Rows) error {
	var id store.WordID
	var blob store.Bytes
	_, err := pgx.ForEachRow(rows, []any{&id, &blob}, func() error {
		i, found := slices.BinarySearch(f.words, id)
		if !found {
			return f.changed.without(id, blob, f.gone)
		}
		f.read[i] = true
		return f.mergeWord(id, blob, f.entries[f.first[i]:f.first[i+1]])
	})
	return err
}

// mergeWord merges the new postings of a word into its blob.
func (f *realtimeMerge) mergeWord(id store.WordID, blob []byte, list []realtimeEntry) error {
	c := &f.changed
	c.build.Reset()
	c.it.Reset(blob)
	for c.it.Next() {
		for len(list) > 0 && f.comesBefore(list[0], &c.it) {
			f.addTo(&c.build, list[0])
			list = list[1:]
		}
		if !f.gone[store.URLID(c.it.URL())] {
			c.build.AddRaw(c.it.Site(), c.it.URL(), c.it.Raw())
		}
	}
	if err := c.it.Err(); err != nil {
		return &store.Damaged{Table: "wordurl1", Err: fmt.Errorf("wordurl1.urls of word %d: %w", id, err)}
	}
	for _, e := range list {
		f.addTo(&c.build, e)
	}
	c.put(id)
	return nil
}

func (f *realtimeMerge) comesBefore(e realtimeEntry, it *posting.Iterator) bool {
	doc := &f.docs[e.doc]
	if site := int32(doc.Site); site != it.Site() {
		return site < it.Site()
	}
	return int32(doc.URL) <= it.URL()
}

func (f *realtimeMerge) addTo(b *posting.Builder, e realtimeEntry) {
	doc := &f.docs[e.doc]
	b.Add(int32(doc.Site), int32(doc.URL), doc.Words.of(int(e.at)))
}

// lost returns the words that the documents had in wordurl1 and that none of them has now, ascending.
func (f *realtimeMerge) lost() []store.WordID {
	return slices.DeleteFunc(ascending(f.before), func(id store.WordID) bool {
		_, found := slices.BinarySearch(f.words, id)
		return found
	})
}

// add builds the rows of words that wordurl1 does not have yet.
func (f *realtimeMerge) add() {
	for i, id := range f.words {
		if f.read[i] {
			continue
		}
		list := f.entries[f.first[i]:f.first[i+1]]
		f.inserted.build.Reset()
		for _, e := range list {
			f.addTo(&f.inserted.build, e)
		}
		f.inserted.put(id)
		f.texts = append(f.texts, f.docs[list[0].doc].Words.texts[list[0].at])
	}
}

// docWords returns the rows of rt_urls: the words that each document has in wordurl1.
func (f *realtimeMerge) docWords() [][]byte {
	packed := make([][]byte, len(f.docs))
	var list []posting.DocWord
	for i, doc := range f.docs {
		list = list[:0]
		if doc.Words != nil {
			for k, id := range doc.Words.ids {
				list = append(list, posting.DocWord{ID: int32(id), Count: len(doc.Words.of(k))})
			}
			slices.SortFunc(list, func(a, b posting.DocWord) int { return int(a.ID) - int(b.ID) })
		}
		packed[i] = posting.AppendDocWords(nil, list)
	}
	return packed
}
