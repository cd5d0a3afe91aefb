package realtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/posting"
)

// A damaged real-time index is rebuilt from journal and markdel in one transaction: searches see either the
// old one or the new one. So a document that an index -T has reported as OK is always found, whether that
// command has ended before or still runs.

// shownURLsSQL finds the documents of the real-time index: those that either of its tables names, as far as
// it can be read, and those that an index -T has written, with the newest entry about the words of each.
// Merged documents do not belong to it.
const shownURLsSQL = `
	WITH named AS (
		SELECT url_id FROM rt_urls
		UNION SELECT url_id FROM unnest($1::integer[]) AS i (url_id)
		UNION SELECT j.url_id FROM journal j JOIN reindexing r USING (run_id) WHERE r.kind = 'realtime' AND j.words IS NOT NULL
		UNION SELECT m.url_id FROM markdel m JOIN reindexing r USING (run_id) WHERE r.kind = 'realtime'
	)
	SELECT /* store.RemakeRealtime */ w.url_id, w.site_id, greatest(f.version, f.mark), j.words
	FROM named n JOIN urlword w USING (url_id)
	CROSS JOIN LATERAL (
		SELECT (SELECT max(seq) FROM journal j WHERE j.url_id = n.url_id AND j.words IS NOT NULL) AS version, -- journal_pkey
			(SELECT seq FROM markdel m WHERE m.url_id = n.url_id) AS mark
	) f
	LEFT JOIN journal j ON j.url_id = n.url_id AND j.seq = f.version AND f.version > coalesce(f.mark, 0)
	WHERE greatest(f.version, f.mark) > coalesce((SELECT seq FROM docwords d WHERE d.url_id = n.url_id), 0)
	ORDER BY w.url_id`

const namedByBlobsSQL = `SELECT /* store.RemakeRealtime */ urls FROM wordurl1`

var dropRealtimeIndexSQL = []string{
	`DELETE /* store.RemakeRealtime */ FROM rt_urls`,
	`DELETE /* store.RemakeRealtime */ FROM wordurl1`,
}

// unknownWords is the error that words of documents have no rows in wordurl.
type unknownWords []string

// Error implements error.
func (w unknownWords) Error() string { return fmt.Sprintf("%d words have no row in wordurl", len(w)) }

// RemakeRealtime rebuilds wordurl1 and rt_urls, and returns how many documents they have now, with words or
// as removed. The words of each document are those of its newest version in the journal. A document whose
// version cannot be read is left out.
//
// It takes the locks of index -T, in their order. So what an index -T decides to show is written before or
// after it, and what an index -T found to be shown already stays shown. A batch of the merge that is about to
// end waits for it, too.
func (s *Store) RemakeRealtime(ctx context.Context) (documents int64, err error) {
	for try := 0; ; try++ {
		err := s.InTx(ctx, "rebuild the real-time index", func(tx pgx.Tx) (err error) {
			documents, err = remakeRealtime(ctx, tx)
			return err
		})
		// Words of a crawl have no rows before a merge. They are created first, in a transaction of their
		// own: a merge that creates the same words blocks them, and would wait for us.
		var unknown unknownWords
		if !errors.As(err, &unknown) || try == 10 {
			return documents, err
		}
		if err := s.makeWords(ctx, unknown, make(map[string]store.WordID, len(unknown))); err != nil {
			return 0, err
		}
	}
}

// remakeRealtime is the transaction of RemakeRealtime.
func remakeRealtime(ctx context.Context, tx pgx.Tx) (documents int64, err error) {
	if err := store.ReadAll(ctx, tx); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, ShareJournalSQL, int32(store.LockClass), store.JournalLock); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, lockRealtimeSQL, int32(store.LockClass), store.RealtimeLock); err != nil {
		return 0, err
	}
	named, err := namedByBlobs(ctx, tx)
	if err != nil {
		return 0, err
	}
	f := &realtimeMerge{gone: make(map[store.URLID]bool)}
	if err := f.readFacts(ctx, tx, named); err != nil {
		return 0, err
	}
	if err := f.identify(ctx, tx); err != nil {
		return 0, err
	}
	f.collect()
	f.sort()
	f.add()
	for _, sql := range dropRealtimeIndexSQL {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return 0, err
		}
	}
	if a := &f.inserted; len(a.ids) > 0 {
		if _, err := tx.Exec(ctx, insertRealtimeSQL, f.texts, a.ids, a.blobs, a.counts, a.total); err != nil {
			return 0, err
		}
	}
	urls, seqs := make([]store.URLID, len(f.docs)), make([]int64, len(f.docs))
	for i, doc := range f.docs {
		urls[i], seqs[i] = doc.URL, doc.Seq
	}
	if _, err := tx.Exec(ctx, putShownSQL, urls, f.docWords(), seqs); err != nil {
		return 0, err
	}
	return int64(len(f.docs)), failpoint.Hit("realtime.before-commit")
}

// namedByBlobs returns the documents that have postings in readable blobs of wordurl1.
func namedByBlobs(ctx context.Context, tx pgx.Tx) ([]store.URLID, error) {
	rows, err := tx.Query(ctx, namedByBlobsSQL)
	if err != nil {
		return nil, err
	}
	named := map[store.URLID]bool{}
	var blob store.Bytes
	_, err = pgx.ForEachRow(rows, []any{&blob}, func() error {
		if _, err := posting.Check(blob, false); err == nil {
			for it := posting.NewIterator(blob); it.Next(); {
				named[store.URLID(it.URL())] = true
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(named)), err
}

// readFacts reads the versions to be shown.
func (f *realtimeMerge) readFacts(ctx context.Context, tx pgx.Tx, named []store.URLID) error {
	rows, err := tx.Query(ctx, shownURLsSQL, named)
	if err != nil {
		return err
	}
	var doc Doc
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&doc.URL, &doc.Site, &doc.Seq, &packed}, func() error {
		doc.Words = nil
		if packed != nil {
			words, err := readIndexed(packed)
			if err != nil {
				return nil // the check reports the row
			}
			words.Packed = nil
			doc.Words = words
		}
		f.docs = append(f.docs, doc)
		return nil
	})
	return err
}

// identify looks up the ids of the words of all documents. The error is an unknownWords when some have none.
func (f *realtimeMerge) identify(ctx context.Context, tx pgx.Tx) error {
	found := map[string]store.WordID{}
	for _, doc := range f.docs {
		if doc.Words != nil {
			for _, text := range doc.Words.texts {
				found[text] = 0
			}
		}
	}
	asked := slices.Sorted(maps.Keys(found))
	for set := range slices.Chunk(asked, store.SetSize) {
		rows, err := tx.Query(ctx, store.WordIDsSQL, set)
		if err != nil {
			return err
		}
		if err := collectWords(rows, found); err != nil {
			return err
		}
	}
	if unknown := unfound(asked, found); len(unknown) > 0 {
		return unknownWords(unknown)
	}
	for _, doc := range f.docs {
		if doc.Words != nil {
			for i, text := range doc.Words.texts {
				doc.Words.ids[i] = found[text]
			}
		}
	}
	return nil
}
