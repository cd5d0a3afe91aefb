package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgseek/pgseek/store/failpoint"
)

// A real-time document transaction (index -T) is a document transaction that also brings the words to where a search finds them
// at once (D-11). It has three round trips in place of two: what it changes in wordurl1 it must read there first. Common words
// stand in every document, so the documents of one transaction share the cost of their rows.

// Realtime is what index -T knows of the words of a document before its transaction.
type Realtime struct {
	New  *Indexed // of the version that was read; nil when none was
	Heir *Indexed // of the content that a clone may inherit; nil when there is none

	// An unchanged document (T-02, T-03): Kept is its version that no merge has taken over yet, nil when there is none.
	Unchanged bool
	Kept      *Waiting
}

// Waiting is a version of a document in the journal that the index has not got yet.
type Waiting struct {
	Seq   int64
	Words *Indexed
}

// ErrKeptChanged says that Realtime.Kept is no longer what the journal has: it is to be read anew.
var ErrKeptChanged = errors.New("the journal changed meanwhile")

// waitingSQL finds the newest version of a document, unless something newer is merged or takes it out. It finds none, too, when
// a search has it already.
const waitingSQL = `
	FROM journal j                                                               -- journal_pkey
	WHERE j.url_id = $1 AND j.words IS NOT NULL
		AND j.seq > coalesce((SELECT m.seq FROM markdel m WHERE m.url_id = $1), 0)
		AND j.seq > coalesce((SELECT d.seq FROM docwords d WHERE d.url_id = $1), 0)
		AND j.seq > coalesce((SELECT r.seq FROM rt_urls r WHERE r.url_id = $1), 0)
	ORDER BY j.seq DESC
	LIMIT 1`

const waitingWordsSQL = `SELECT /* store.Waiting */ j.seq, j.words` + waitingSQL

// waitingSeqSQL locks the row: a merge that is just taking it over is waited for, and none takes it over before the commit.
const waitingSeqSQL = `SELECT /* store.Document */ j.seq` + waitingSQL + ` FOR SHARE OF j`

// Waiting returns the version of a document that waits for the merge and that no search finds yet; nil when there is none.
func (s *Store) Waiting(ctx context.Context, id URLID) (*Waiting, error) {
	w := &Waiting{}
	var packed []byte
	err := s.retry(ctx, "look for a version in the journal", func() error {
		err := s.pool.QueryRow(ctx, waitingWordsSQL, id).Scan(&w.Seq, &packed)
		if errors.Is(err, pgx.ErrNoRows) {
			w.Seq, err = 0, nil
		}
		return err
	})
	if err != nil || w.Seq == 0 {
		return nil, err
	}
	words, err := s.IndexWords(ctx, packed)
	if err != nil {
		return nil, err
	}
	w.Words = words[0]
	return w, nil
}

// RealtimeDocument is a document of a real-time transaction: the arguments of RecordDocument for it.
type RealtimeDocument struct {
	ID     URLID
	Now    int64 // time of the answer, epoch seconds
	Groups Groups
	Words  Realtime
	Decide func(*Document) error
	Err    error // what Decide said, or ErrKeptChanged: then nothing of this document was written
}

// lockURLsSQL is lockURLSQL for several, in one order.
const lockURLsSQL = `
	SELECT /* store.Document */ 1 FROM urlword
	WHERE url_id = ANY($1)
	ORDER BY url_id
	FOR UPDATE`

// RecordRealtime is RecordDocument without a schedule, for index -T and for several documents at once: when it returns nil,
// searches find what was decided of those whose Err is nil. After an error nothing of any is written.
//
// The documents have nothing to do with each other: no two are of one clone group, or ask for one gate.
func (s *Store) RecordRealtime(ctx context.Context, run RunID, docs []RealtimeDocument) error {
	var last doubt
	return s.onConn(ctx, "record real-time documents", func(conn *pgxpool.Conn) error {
		list := make([]*Document, len(docs))
		for i := range docs {
			r := &docs[i]
			list[i] = &Document{ID: r.ID, held: Token{Run: run}, now: r.Now, keep: s.o.HistoryKeep, realtime: &realtime{Realtime: r.Words}}
		}
		if err := beginRealtime(ctx, conn, docs, list); err != nil {
			return err
		}
		if done, err := last.cleared(ctx, conn, list); done || err != nil {
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

// beginRealtime is the first round trip: begin, all locks in their order, the previous states.
func beginRealtime(ctx context.Context, conn *pgxpool.Conn, docs []RealtimeDocument, list []*Document) error {
	var b pgx.Batch
	b.Queue("BEGIN")
	var crcs []string
	ids := make([]URLID, len(docs))
	for i := range docs {
		crcs = append(crcs, docs[i].Groups.locks()...)
		ids[i] = docs[i].ID
	}
	slices.Sort(crcs)
	for _, crc := range slices.Compact(crcs) {
		b.Queue(cloneLockSQL, crc)
	}
	b.Queue(lockURLsSQL, ids)
	locks := b.Len()
	for i, d := range list {
		d.ask(&b, docs[i].Groups)
	}
	r := conn.SendBatch(ctx, &b)
	defer func() { _ = r.Close() }()
	for range locks {
		if _, err := r.Exec(); err != nil {
			return err
		}
	}
	for i, d := range list {
		if err := d.hear(r, docs[i].Groups); err != nil {
			return err
		}
	}
	return r.Close()
}

// decideRealtime lets a document's caller decide, unless what it knows of the words is no longer so.
func (d *Document) decideRealtime(decide func(*Document) error) error {
	r := d.realtime
	if r.waiting != 0 && (r.Kept == nil || r.Kept.Seq != r.waiting) {
		return ErrKeptChanged
	}
	if err := decide(d); err != nil {
		return err
	}
	return r.fault
}

// realtime is the part of a document transaction that concerns wordurl1.
type realtime struct {
	Realtime
	waiting int64 // journal row of an unchanged document that waits; 0 = none does
	docs    []shown
	fault   error
}

// shown is a document as searches are to see it.
type shown struct {
	url   URLID
	site  SiteID   // 0 = to be looked up
	words *Indexed // nil = it has none any more
}

// show says what searches are to find of a document. packed are the words that went to the journal: those of x.
func (d *Document) show(url URLID, site SiteID, packed []byte, x *Indexed) {
	if d.realtime == nil || packed == nil {
		return
	}
	if x == nil || len(packed) == 0 || len(packed) != len(x.packed) || &packed[0] != &x.packed[0] {
		d.realtime.fault = fmt.Errorf("the words of url %d have no ids", url)
		return
	}
	d.realtime.set(shown{url, site, x})
}

// showWaiting shows an unchanged document that no merge has taken over yet (rules.md 7.3).
func (d *Document) showWaiting() {
	if d.realtime != nil && d.realtime.waiting != 0 {
		d.realtime.set(shown{d.ID, d.Prev.Site, d.realtime.Kept.Words})
	}
}

// hide says that searches are to find nothing of a document any more.
func (d *Document) hide(url URLID) {
	if d.realtime != nil {
		d.realtime.set(shown{url: url})
	}
}

// set notes a document.
func (r *realtime) set(doc shown) { r.docs = setShown(r.docs, doc) }

// setShown adds a document to a list; what was said of it before is void.
func setShown(list []shown, doc shown) []shown {
	return append(slices.DeleteFunc(list, func(x shown) bool { return x.url == doc.url }), doc)
}

const sitesOfSQL = `SELECT /* store.Realtime */ url_id, site_id FROM urlword WHERE url_id = ANY($1)`

const shownBeforeSQL = `SELECT /* store.Realtime */ url_id, words FROM rt_urls WHERE url_id = ANY($1)`

const insertRealtimeSQL = `
	INSERT /* store.Realtime */ INTO wordurl1 (word, word_id, urls, urlcount, totalcount)
	SELECT word, word_id, urls, urlcount, totalcount
	FROM unnest($1::text[], $2::integer[], $3::bytea[], $4::integer[], $5::integer[]) AS i (word, word_id, urls, urlcount, totalcount)`

// putShownSQL: the newest fact about a document's words is the one that was written just now, or that was found waiting.
const putShownSQL = `
	INSERT /* store.Realtime */ INTO rt_urls (url_id, seq, words)
	SELECT i.url_id, GREATEST((SELECT max(j.seq) FROM journal j WHERE j.url_id = i.url_id AND j.words IS NOT NULL),
		(SELECT m.seq FROM markdel m WHERE m.url_id = i.url_id)), i.words
	FROM unnest($1::integer[], $2::bytea[]) AS i (url_id, words)
	ON CONFLICT (url_id) DO UPDATE SET seq = EXCLUDED.seq, words = EXCLUDED.words`

// realtimeWriter carries out what was decided of some documents.
type realtimeWriter struct {
	batch pgx.Batch
	docs  []shown
}

// take takes over what a document has queued. What was said of a document by an earlier one is void.
func (w *realtimeWriter) take(d *Document) {
	w.batch.QueuedQueries = append(w.batch.QueuedQueries, d.batch.QueuedQueries...)
	for _, doc := range d.realtime.docs {
		w.docs = setShown(w.docs, doc)
	}
}

// commit makes the other two round trips: what was queued, with the rows of wordurl1 that change; then these rows, and the
// commit. There is one more between them when documents lost words.
func (w *realtimeWriter) commit(ctx context.Context, conn *pgxpool.Conn) error {
	if len(w.docs) == 0 {
		w.batch.Queue("COMMIT")
		return conn.SendBatch(ctx, &w.batch).Close()
	}
	f := &folding{docs: w.docs, gone: make(map[URLID]bool, len(w.docs))}
	f.gather()
	urls := make([]URLID, len(w.docs))
	for i, doc := range w.docs {
		urls[i] = doc.url
	}
	if slices.ContainsFunc(w.docs, func(x shown) bool { return x.site == 0 && x.words != nil }) {
		w.batch.Queue(sitesOfSQL, urls).Query(f.readSites)
	}
	w.batch.Queue(lockRealtimeSQL, int32(lockClass), realtimeLock)
	w.batch.Queue(shownBeforeSQL, urls).Query(f.readBefore)
	w.batch.Queue(realtimeRowsSQL, f.words).Query(func(rows pgx.Rows) error {
		f.sort() // the sites are known now
		return f.readRows(rows)
	})
	if err := conn.SendBatch(ctx, &w.batch).Close(); err != nil {
		return err
	}
	if lost := f.lost(); len(lost) > 0 {
		rows, err := conn.Query(ctx, realtimeRowsSQL, lost)
		if err == nil {
			err = f.readRows(rows)
		}
		if err != nil {
			return err
		}
	}
	f.add()
	var b pgx.Batch
	if len(f.changed.ids) > 0 {
		b.Queue(updateRealtimeSQL, f.changed.ids, f.changed.blobs, f.changed.counts, f.changed.total)
	}
	if len(f.changed.empty) > 0 {
		b.Queue(deleteRealtimeSQL, f.changed.empty)
	}
	if n := &f.fresh; len(n.ids) > 0 {
		b.Queue(insertRealtimeSQL, f.texts, n.ids, n.blobs, n.counts, n.total)
	}
	b.Queue(putShownSQL, urls, f.docWords())
	b.Queue("COMMIT")
	return conn.SendBatch(ctx, &b).Close()
}
