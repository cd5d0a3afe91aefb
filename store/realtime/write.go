package realtime

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
)

// Doc is a document as searches will see it.
type Doc struct {
	URL   store.URLID
	Site  store.SiteID // 0 = to be looked up
	Words *Indexed     // nil = no words any more
	Seq   int64        // the journal row of words; 0 = the newest entry about the document
}

const sitesOfSQL = `SELECT /* store.Realtime */ url_id, site_id FROM urlword WHERE url_id = ANY($1)`

const shownBeforeSQL = `SELECT /* store.Realtime */ url_id, words FROM rt_urls WHERE url_id = ANY($1)`

const insertRealtimeSQL = `
	INSERT /* store.Realtime */ INTO wordurl1 (word, word_id, urls, urlcount, totalcount)
	SELECT word, word_id, urls, urlcount, totalcount
	FROM unnest($1::text[], $2::integer[], $3::bytea[], $4::integer[], $5::integer[]) AS i (word, word_id, urls, urlcount, totalcount)`

// putShownSQL takes the entry that was written just now for the newest one about a document's words, unless a
// waiting one is given.
const putShownSQL = `
	INSERT /* store.Realtime */ INTO rt_urls (url_id, seq, words)
	SELECT i.url_id, coalesce(NULLIF(i.seq, 0), GREATEST((SELECT max(j.seq) FROM journal j WHERE j.url_id = i.url_id AND j.words IS NOT NULL),
		(SELECT m.seq FROM markdel m WHERE m.url_id = i.url_id))), i.words
	FROM unnest($1::integer[], $2::bytea[], $3::bigint[]) AS i (url_id, words, seq)
	ON CONFLICT (url_id) DO UPDATE SET seq = EXCLUDED.seq, words = EXCLUDED.words`

// ShareJournalSQL shares the lock that a batch of the merge takes before it removes journal rows. So the
// batch sees the versions that index -T shows, or index -T sees that they are merged. It precedes the locks
// of rows of urlword: while it waits for a batch, it holds no row for which a crawl waits.
const ShareJournalSQL = `SELECT /* store.Document */ pg_advisory_xact_lock_shared($1, $2)`

// Write sends the queued statements, replaces the rows of wordurl1 and rt_urls that the documents change, and
// commits. It makes two round trips: the queued statements with the reads, then the changed rows with the
// commit. When documents lost words, there is a third one in between.
func Write(ctx context.Context, conn *pgxpool.Conn, batch *pgx.Batch, docs []Doc) error {
	f := &realtimeMerge{docs: docs, gone: make(map[store.URLID]bool, len(docs))}
	f.collect()
	urls, seqs := make([]store.URLID, len(docs)), make([]int64, len(docs))
	for i, doc := range docs {
		urls[i], seqs[i] = doc.URL, doc.Seq
	}
	if slices.ContainsFunc(docs, func(x Doc) bool { return x.Site == 0 && x.Words != nil }) {
		batch.Queue(sitesOfSQL, urls).Query(f.readSites)
	}
	batch.Queue(lockRealtimeSQL, int32(store.LockClass), store.RealtimeLock)
	batch.Queue(shownBeforeSQL, urls).Query(f.readBefore)
	batch.Queue(realtimeRowsSQL, f.words).Query(func(rows pgx.Rows) error {
		f.sort() // the sites are known now
		return f.readRows(rows)
	})
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
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
	if n := &f.inserted; len(n.ids) > 0 {
		b.Queue(insertRealtimeSQL, f.texts, n.ids, n.blobs, n.counts, n.total)
	}
	b.Queue(putShownSQL, urls, f.docWords(), seqs)
	b.Queue("COMMIT")
	return conn.SendBatch(ctx, &b).Close()
}
