package crawl

import (
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/realtime"
)

// A real-time document transaction (index -T) is a document transaction that also makes the words searchable
// at once. It has three round trips, not two, because it must read the rows of wordurl1 that it changes.
// Common words are in every document, so the documents of one transaction share the cost of their rows.

// Realtime holds the words that index -T prepares before the transaction of a document.
type Realtime struct {
	New       *realtime.Indexed // of the version that was read; nil when none was
	Successor *realtime.Indexed // of the content that a clone may inherit; nil when there is none
	Kept      []Waiting         // journal versions of the document or its original that searches do not find yet; mostly empty
}

// Realtime makes a recording that of a real-time transaction, without a schedule. When RecordDocuments returns nil, searches find
// the new states of those documents whose Err is nil; it may be ErrWaitingChanged, too. All recordings of a transaction are of this
// kind, or none is.
func (r Recording) Realtime(words Realtime) Recording {
	r.words = &words
	return r
}

// keepsWaiting reports whether versions in the journal may become real-time words.
func keepsWaiting(docs []Recording) bool {
	return slices.ContainsFunc(docs, func(r Recording) bool { return r.words != nil && len(r.words.Kept) > 0 })
}

// askWaiting queues the question which versions in the journal no search finds yet.
func askWaiting(b *pgx.Batch, docs []Recording, list []*DocumentTx) {
	ids, crcs := make([]int32, len(docs)), make([]string, len(docs))
	for i := range docs {
		ids[i], crcs[i] = int32(docs[i].ID), docs[i].Groups.New
	}
	b.Queue(waitingSeqSQL, ids, crcs).Query(func(rows pgx.Rows) error { return readWaiting(rows, list) })
}

// realtimeState is the part of a document transaction that concerns wordurl1.
type realtimeState struct {
	Realtime
	waiting map[store.URLID]int64 // journal rows of the documents that answer for this one and that searches do not find
	docs    []realtime.Doc
	fault   error
}

// show sets what searches find of a document. packed are the words that went to the journal, those of x.
func (d *DocumentTx) show(url store.URLID, site store.SiteID, packed []byte, x *realtime.Indexed) {
	if d.realtime == nil || packed == nil {
		return
	}
	if x == nil || len(packed) == 0 || len(packed) != len(x.Packed) || &packed[0] != &x.Packed[0] {
		d.realtime.fault = fmt.Errorf("words of url %d have no ids", url)
		return
	}
	d.realtime.set(realtime.Doc{URL: url, Site: site, Words: x})
}

// hide removes a document from what searches find.
func (d *DocumentTx) hide(url store.URLID) {
	if d.realtime != nil {
		d.realtime.set(realtime.Doc{URL: url})
	}
}

// set notes a document.
func (r *realtimeState) set(doc realtime.Doc) { r.docs = SetDoc(r.docs, doc) }

// SetDoc adds a document to a list. It replaces an earlier entry of the same document.
func SetDoc(list []realtime.Doc, doc realtime.Doc) []realtime.Doc {
	return append(slices.DeleteFunc(list, func(x realtime.Doc) bool { return x.URL == doc.URL }), doc)
}
