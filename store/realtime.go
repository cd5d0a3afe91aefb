package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store/posting"
)

// The real-time index: wordurl1 has the words of the documents in rt_urls, each word as one blob. Who writes it holds
// realtimeLock (lock.go), which goes after all other locks: common words stand in every document, so writers would wait for each other's
// rows anyway, and in one place they cannot wait in a circle.

const lockRealtimeSQL = `SELECT /* store.Realtime */ pg_advisory_xact_lock($1, $2)`

const anyRealtimeSQL = `
	SELECT /* store.Realtime */ EXISTS (SELECT FROM rt_urls WHERE url_id = ANY($1))`

const dropRealtimeSQL = `
	DELETE /* store.Realtime */ FROM rt_urls r
	USING unnest($1::integer[], $2::bigint[]) AS i (url_id, seq)
	WHERE r.url_id = i.url_id AND r.seq <= i.seq
	RETURNING r.url_id, r.words`

const realtimeRowsSQL = `
	SELECT /* store.Realtime */ word_id, urls
	FROM wordurl1                                                                -- wordurl1_word_id_key
	WHERE word_id = ANY($1)`

const updateRealtimeSQL = `
	UPDATE /* store.Realtime */ wordurl1 w
	SET urls = i.urls, urlcount = i.urlcount, totalcount = i.totalcount
	FROM unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[]) AS i (word_id, urls, urlcount, totalcount)
	WHERE w.word_id = i.word_id`

const deleteRealtimeSQL = `
	DELETE /* store.Realtime */ FROM wordurl1 WHERE word_id = ANY($1)`

// realtimeRows are rows of wordurl1 that change.
type realtimeRows struct {
	ids           []WordID // that stay
	blobs         [][]byte
	counts, total []int32
	empty         []WordID // that go
	it            posting.Iterator
	build         posting.Builder
}

// without takes the postings of documents out of a word's row.
func (r *realtimeRows) without(id WordID, blob []byte, gone map[URLID]bool) error {
	found := false
	r.build.Reset()
	r.it.Reset(blob)
	for r.it.Next() {
		if gone[URLID(r.it.URL())] {
			found = true
		} else {
			r.build.AddRaw(r.it.Site(), r.it.URL(), r.it.Raw())
		}
	}
	if err := r.it.Err(); err != nil {
		return &Damaged{"wordurl1", fmt.Errorf("wordurl1.urls of word %d: %w", id, err)}
	}
	if found {
		r.put(id)
	}
	return nil
}

// put notes what has been built as a word's row.
func (r *realtimeRows) put(id WordID) {
	if r.build.Len() == 0 {
		r.empty = append(r.empty, id)
		return
	}
	t := r.build.Totals()
	r.ids, r.blobs = append(r.ids, id), append(r.blobs, r.build.AppendTo(make([]byte, 0, r.build.Len())))
	r.counts, r.total = append(r.counts, int32(t.URLs)), append(r.total, posting.TotalCount(int64(t.Total)))
}

// wordsOfDocument appends the ids of the words that a row of rt_urls names.
func wordsOfDocument(dst []WordID, url URLID, packed []byte) ([]WordID, error) {
	words, err := posting.NewDocWordsReader(packed)
	if err == nil {
		dst = slices.Grow(dst, words.Len())
		for words.Next() {
			dst = append(dst, WordID(words.Word().ID))
		}
		err = words.Err()
	}
	if err != nil {
		return nil, &Damaged{"rt_urls", fmt.Errorf("rt_urls.words of url %d: %w", url, err)}
	}
	return dst, nil
}

// TakeOverRealtime removes documents from the real-time index whose version there is not newer than the merged fact:
// seqs[i] is that of urls[i]. Only the rows of their words are touched. It is the last step of a batch: it comes when the journal
// rows of the batch are removed, so that an index -T that has just shown one of them is seen, and the next finds it merged.
func (b *MergeBatch) TakeOverRealtime(ctx context.Context, urls []URLID, seqs []int64) error {
	var some bool
	if err := b.tx.QueryRow(ctx, anyRealtimeSQL, urls).Scan(&some); err != nil || !some {
		return err
	}
	if _, err := b.tx.Exec(ctx, lockRealtimeSQL, int32(lockClass), realtimeLock); err != nil {
		return err
	}
	rows, err := b.tx.Query(ctx, dropRealtimeSQL, urls, seqs)
	if err != nil {
		return err
	}
	gone := make(map[URLID]bool)
	var words []WordID
	var url URLID
	var packed pgtypeBytes
	_, err = pgx.ForEachRow(rows, []any{&url, &packed}, func() (err error) {
		gone[url] = true
		if words, err = wordsOfDocument(words, url, packed); err != nil {
			return err
		}
		if len(words) > 1<<20 { // a batch of many documents: most words are those of others, too
			words = ascending(words)
		}
		return nil
	})
	if err != nil {
		return err
	}
	words = ascending(words)
	for lo := 0; lo < len(words); lo += setSize {
		if err := b.leaveRealtime(ctx, words[lo:min(lo+setSize, len(words))], gone); err != nil {
			return err
		}
	}
	return nil
}

// leaveRealtime takes documents out of the rows of some words.
func (b *MergeBatch) leaveRealtime(ctx context.Context, words []WordID, gone map[URLID]bool) error {
	rows, err := b.tx.Query(ctx, realtimeRowsSQL, words)
	if err != nil {
		return err
	}
	var changed realtimeRows
	var id WordID
	var blob pgtypeBytes
	_, err = pgx.ForEachRow(rows, []any{&id, &blob}, func() error { return changed.without(id, blob, gone) })
	if err != nil {
		return err
	}
	if _, err := b.tx.Exec(ctx, updateRealtimeSQL, changed.ids, changed.blobs, changed.counts, changed.total); err != nil {
		return err
	}
	_, err = b.tx.Exec(ctx, deleteRealtimeSQL, changed.empty)
	return err
}

// ascending sorts a list and drops what stands twice.
func ascending(words []WordID) []WordID {
	slices.Sort(words)
	return slices.Compact(words)
}
