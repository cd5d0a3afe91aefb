package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgseek/pgseek/store/posting"
)

// A real-time document transaction (index -T) is a document transaction that also brings the words to where a search finds them
// at once (D-11). It has three round trips in place of two: what it changes in wordurl1 it must read there first.

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

// ErrKeptChanged says that Realtime.Kept is no longer what the journal has: nothing was written.
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
	w.Words, err = s.IndexWords(ctx, packed)
	return w, err
}

// RecordRealtime is RecordDocument without a schedule, for index -T: when it returns nil, searches find what was decided. r is
// what is known of the words beforehand; ErrKeptChanged asks for that to be read anew.
func (s *Store) RecordRealtime(ctx context.Context, run RunID, id URLID, now int64, g Groups, r *Realtime, decide func(*Document) error) error {
	return s.recordDocument(ctx, Token{Run: run}, id, now, g, r, func(d *Document) error {
		if kept := d.realtime.waiting; kept != 0 && (r.Kept == nil || r.Kept.Seq != kept) {
			return ErrKeptChanged
		}
		return decide(d)
	})
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

// set notes a document; what was said of it before is void.
func (r *realtime) set(doc shown) {
	r.docs = slices.DeleteFunc(r.docs, func(x shown) bool { return x.url == doc.url })
	r.docs = append(r.docs, doc)
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

// commitRealtime commits with what concerns wordurl1: one more round trip to read the rows that change, and another one when a
// document lost words.
func (d *Document) commitRealtime(ctx context.Context, conn *pgxpool.Conn) error {
	r := d.realtime
	if r.fault != nil {
		return r.fault
	}
	f := &folding{docs: r.docs, gone: make(map[URLID]bool, len(r.docs)), text: make(map[WordID]string)}
	f.gather()
	urls := make([]URLID, len(r.docs))
	for i, doc := range r.docs {
		urls[i] = doc.url
	}
	if slices.ContainsFunc(r.docs, func(x shown) bool { return x.site == 0 && x.words != nil }) {
		d.batch.Queue(sitesOfSQL, urls).Query(f.readSites)
	}
	d.batch.Queue(lockRealtimeSQL, int32(lockClass), realtimeLock)
	d.batch.Queue(shownBeforeSQL, urls).Query(f.readBefore)
	d.batch.Queue(realtimeRowsSQL, f.words).Query(f.readRows)
	if err := conn.SendBatch(ctx, &d.batch).Close(); err != nil {
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
		texts := make([]string, len(n.ids))
		for i, id := range n.ids {
			texts[i] = f.text[id]
		}
		b.Queue(insertRealtimeSQL, texts, n.ids, n.blobs, n.counts, n.total)
	}
	b.Queue(putShownSQL, urls, f.docWords())
	b.Queue("COMMIT")
	return conn.SendBatch(ctx, &b).Close()
}

// folding brings documents into the rows of their words.
type folding struct {
	docs    []shown
	gone    map[URLID]bool // whose older postings go: all of docs
	words   []WordID       // of all of them, ascending
	text    map[WordID]string
	entries []realtimeEntry // by word, site and URL
	before  []WordID        // words that rows of rt_urls name
	read    map[WordID]bool // rows that were read
	changed realtimeRows
	fresh   realtimeRows
}

// realtimeEntry is a new posting.
type realtimeEntry struct {
	word      WordID
	doc       int // place in docs
	positions []uint16
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
	f.words, f.entries, f.read = make([]WordID, 0, n), make([]realtimeEntry, 0, n), make(map[WordID]bool, n)
	for i, doc := range f.docs {
		if doc.words == nil {
			continue
		}
		for k, id := range doc.words.ids {
			f.words = append(f.words, id)
			f.text[id] = doc.words.texts[k]
			f.entries = append(f.entries, realtimeEntry{id, i, doc.words.of(k)})
		}
	}
	f.words = ascending(f.words)
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
		x, y := &f.docs[a.doc], &f.docs[b.doc]
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(x.site, y.site), cmp.Compare(x.url, y.url))
	})
}

// of are the new postings of a word.
func (f *folding) of(id WordID) []realtimeEntry {
	begin, _ := slices.BinarySearchFunc(f.entries, id, func(e realtimeEntry, id WordID) int { return cmp.Compare(e.word, id) })
	end := begin
	for end < len(f.entries) && f.entries[end].word == id {
		end++
	}
	return f.entries[begin:end]
}

// readRows unites rows of wordurl1 with the new postings, which take the place of older ones of these documents.
func (f *folding) readRows(rows pgx.Rows) error {
	if len(f.read) == 0 {
		f.sort() // the sites are known now
	}
	var id WordID
	var blob pgtypeBytes
	_, err := pgx.ForEachRow(rows, []any{&id, &blob}, func() error {
		f.read[id] = true
		return f.unite(id, blob)
	})
	return err
}

// unite folds new postings of a word into its blob.
func (f *folding) unite(id WordID, blob []byte) error {
	list := f.of(id)
	if len(list) == 0 {
		return f.changed.without(id, blob, f.gone)
	}
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
		return fmt.Errorf("wordurl1.urls of word %d: %w", id, err)
	}
	for _, e := range list {
		f.addTo(&c.build, e)
	}
	c.put(id)
	return nil
}

func (f *folding) comesBefore(e realtimeEntry, it *posting.Iterator) bool {
	doc := &f.docs[e.doc]
	return cmp.Or(cmp.Compare(int32(doc.site), it.Site()), cmp.Compare(int32(doc.url), it.URL())) <= 0
}

func (f *folding) addTo(b *posting.Builder, e realtimeEntry) {
	b.Add(int32(f.docs[e.doc].site), int32(f.docs[e.doc].url), e.positions)
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
	for i := 0; i < len(f.entries); {
		id := f.entries[i].word
		list := f.of(id)
		i += len(list)
		if f.read[id] {
			continue
		}
		f.fresh.build.Reset()
		for _, e := range list {
			f.addTo(&f.fresh.build, e)
		}
		f.fresh.put(id)
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
			slices.SortFunc(list, func(a, b posting.DocWord) int { return cmp.Compare(a.ID, b.ID) })
		}
		packed[i] = posting.AppendDocWords(nil, list)
	}
	return packed
}
