package crawl

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
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

// RealtimeDocument is one document of a real-time transaction: the arguments of RecordDocument for it.
type RealtimeDocument struct {
	ID     store.URLID
	Now    int64 // time of the answer, epoch seconds
	Groups Groups
	Words  Realtime
	Decide func(*DocumentTx) error
	Err    error // the error of Decide, or ErrWaitingChanged: then nothing of this document was written
}

// lockURLsSQL is lockURLSQL for several URLs, in one order.
const lockURLsSQL = `
	SELECT /* store.Document */ 1 FROM urlword
	WHERE url_id = ANY($1)
	ORDER BY url_id
	FOR UPDATE`

// RecordRealtime is RecordDocument without a schedule, for index -T and for several documents at once. When
// it returns nil, searches find the new state of those documents whose Err is nil. After an error nothing is
// written.
//
// The documents are independent: no two are of one clone group or ask for the same gate.
func (s *Store) RecordRealtime(ctx context.Context, run store.RunID, docs []RealtimeDocument) error {
	var last unknownCommit
	return s.OnConn(ctx, "record real-time documents", func(conn *pgxpool.Conn) error {
		list := make([]*DocumentTx, len(docs))
		for i := range docs {
			r := &docs[i]
			list[i] = &DocumentTx{ID: r.ID, held: Token{Run: run}, now: r.Now, keep: s.Options.HistoryKeep, realtime: &realtimeState{Realtime: r.Words}}
		}
		if err := beginRealtime(ctx, conn, docs, list); err != nil {
			return err
		}
		if done, err := last.resolved(ctx, conn, list); done || err != nil {
			return err
		}
		w := &realtimeWriter{}
		for i, d := range list {
			if docs[i].Err = d.decideRealtime(docs[i].Decide); docs[i].Err == nil {
				w.take(d)
				last.wrote(d)
			}
		}
		if err := failpoint.Hit("doc.before-commit"); err != nil {
			return err
		}
		if err := last.of(w.commit(ctx, conn)); err != nil {
			return err
		}
		return failpoint.Hit("doc.after-commit")
	})
}

// beginRealtime is the first round trip: BEGIN, all locks in their order, the previous states.
func beginRealtime(ctx context.Context, conn *pgxpool.Conn, docs []RealtimeDocument, list []*DocumentTx) error {
	var b pgx.Batch
	b.Queue("BEGIN")
	var groups []string
	ids, crcs := make([]store.URLID, len(docs)), make([]string, len(docs))
	keep := false
	for i := range docs {
		groups = append(groups, docs[i].Groups.locks()...)
		ids[i], crcs[i] = docs[i].ID, docs[i].Groups.New
		keep = keep || len(docs[i].Words.Kept) > 0
	}
	slices.Sort(groups)
	for _, crc := range slices.Compact(groups) {
		b.Queue(cloneLockSQL, crc)
	}
	if keep {
		b.Queue(realtime.ShareJournalSQL, int32(store.LockClass), store.JournalLock)
	}
	b.Queue(lockURLsSQL, ids)
	locks := b.Len()
	for i, d := range list {
		d.ask(&b, docs[i].Groups)
	}
	b.Queue(waitingSeqSQL, ids, crcs)
	r := conn.SendBatch(ctx, &b)
	defer func() { _ = r.Close() }()
	for range locks {
		if _, err := r.Exec(); err != nil {
			return err
		}
	}
	for i, d := range list {
		if err := d.readState(r, docs[i].Groups); err != nil {
			return err
		}
	}
	if err := readWaiting(r, list); err != nil {
		return err
	}
	return r.Close()
}

// decideRealtime calls decide for a document, unless its prepared words are out of date.
func (d *DocumentTx) decideRealtime(decide func(*DocumentTx) error) error {
	if err := decide(d); err != nil {
		return err
	}
	return d.realtime.fault
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

// realtimeWriter writes the queued changes of some documents.
type realtimeWriter struct {
	batch pgx.Batch
	docs  []realtime.Doc
}

// take adds the queued changes of a document. They replace what an earlier document queued for the same URL.
func (w *realtimeWriter) take(d *DocumentTx) {
	w.batch.QueuedQueries = append(w.batch.QueuedQueries, d.batch.QueuedQueries...)
	for _, doc := range d.realtime.docs {
		w.docs = SetDoc(w.docs, doc)
	}
}

// commit makes the other two round trips: the queued statements with the reads of wordurl1, then its new rows
// and COMMIT.
func (w *realtimeWriter) commit(ctx context.Context, conn *pgxpool.Conn) error {
	if len(w.docs) == 0 {
		w.batch.Queue("COMMIT")
		return conn.SendBatch(ctx, &w.batch).Close()
	}
	return realtime.Write(ctx, conn, &w.batch, w.docs)
}
