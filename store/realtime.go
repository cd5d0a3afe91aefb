package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const anyRealtimeSQL = `
	SELECT /* store.Realtime */ EXISTS (SELECT FROM rt_urls WHERE url_id = ANY($1))`

// Writers of wordurl1 wait for the batch from here on; readers do not.
const lockRealtimeSQL = `LOCK /* store.Realtime */ TABLE wordurl1 IN SHARE ROW EXCLUSIVE MODE`

const dropRealtimeSQL = `
	DELETE /* store.Realtime */ FROM rt_urls r
	USING unnest($1::integer[], $2::bigint[]) AS i (url_id, seq)
	WHERE r.url_id = i.url_id AND r.seq <= i.seq
	RETURNING r.url_id`

const realtimeWordsSQL = `
	SELECT /* store.Realtime */ word_id, urls FROM wordurl1 ORDER BY word_id`

const updateRealtimeSQL = `
	UPDATE /* store.Realtime */ wordurl1 w
	SET urls = i.urls, urlcount = i.urlcount, totalcount = i.totalcount
	FROM unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[]) AS i (word_id, urls, urlcount, totalcount)
	WHERE w.word_id = i.word_id`

const deleteRealtimeSQL = `
	DELETE /* store.Realtime */ FROM wordurl1 WHERE word_id = ANY($1)`

// TakeOverRealtime removes documents from the real-time index whose version there is not newer than the merged fact:
// seqs[i] is that of urls[i]. without returns a blob without the postings of those documents and its counts, or false
// when it has none of them. The whole of wordurl1 is read, which is small by its purpose (about 1000 documents), and
// only when one of the documents is in it.
func (b *MergeBatch) TakeOverRealtime(ctx context.Context, urls []URLID, seqs []int64,
	without func(gone map[URLID]bool, blob []byte) (WordRow, bool, error),
) error {
	var some bool
	if err := b.tx.QueryRow(ctx, anyRealtimeSQL, urls).Scan(&some); err != nil || !some {
		return err
	}
	if _, err := b.tx.Exec(ctx, lockRealtimeSQL); err != nil {
		return err
	}
	rows, err := b.tx.Query(ctx, dropRealtimeSQL, urls, seqs)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[URLID])
	if err != nil || len(ids) == 0 {
		return err
	}
	gone := make(map[URLID]bool, len(ids))
	for _, u := range ids {
		gone[u] = true
	}
	var (
		empty         []WordID
		changed       []WordID
		blobs         [][]byte
		counts, total []int32
	)
	rows, err = b.tx.Query(ctx, realtimeWordsSQL)
	if err != nil {
		return err
	}
	var id WordID
	var blob pgtypeBytes
	_, err = pgx.ForEachRow(rows, []any{&id, &blob}, func() error {
		row, ok, err := without(gone, blob)
		switch {
		case err != nil || !ok:
			return err
		case len(row.URLs) == 0:
			empty = append(empty, id)
		default:
			changed, blobs = append(changed, id), append(blobs, row.URLs)
			counts, total = append(counts, row.URLCount), append(total, row.TotalCount)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for lo := 0; lo < len(changed); lo += setSize {
		hi := min(lo+setSize, len(changed))
		if _, err := b.tx.Exec(ctx, updateRealtimeSQL, changed[lo:hi], blobs[lo:hi], counts[lo:hi], total[lo:hi]); err != nil {
			return err
		}
	}
	_, err = b.tx.Exec(ctx, deleteRealtimeSQL, empty)
	return err
}
