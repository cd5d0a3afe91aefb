package realtime

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// TakeOver removes documents from the real-time index whose version there is not newer than the merged entry:
// seqs[i] is the entry of urls[i]. It touches only the rows of their words. It is the last step of a batch,
// after the journal rows of the batch are removed: so it sees a document that an index -T has just shown, and
// a later index -T finds the document merged.
func TakeOver(ctx context.Context, tx pgx.Tx, urls []store.URLID, seqs []int64) error {
	var some bool
	if err := tx.QueryRow(ctx, anyRealtimeSQL, urls).Scan(&some); err != nil || !some {
		return err
	}
	if _, err := tx.Exec(ctx, lockRealtimeSQL, int32(store.LockClass), store.RealtimeLock); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, dropRealtimeSQL, urls, seqs)
	if err != nil {
		return err
	}
	gone := make(map[store.URLID]bool)
	var words []store.WordID
	var url store.URLID
	var packed store.Bytes
	_, err = pgx.ForEachRow(rows, []any{&url, &packed}, func() (err error) {
		gone[url] = true
		if words, err = wordsOfDocument(words, url, packed); err != nil {
			return err
		}
		if len(words) > 1<<20 { // in a batch of many documents nearly every row has to be read
			words = ascending(words)
		}
		return nil
	})
	if err != nil {
		return err
	}
	words = ascending(words)
	for lo := 0; lo < len(words); lo += store.SetSize {
		if err := leaveRealtime(ctx, tx, words[lo:min(lo+store.SetSize, len(words))], gone); err != nil {
			return err
		}
	}
	return nil
}

// leaveRealtime removes documents from the rows of some words.
func leaveRealtime(ctx context.Context, tx pgx.Tx, words []store.WordID, gone map[store.URLID]bool) error {
	rows, err := tx.Query(ctx, realtimeRowsSQL, words)
	if err != nil {
		return err
	}
	var changed realtimeRows
	var id store.WordID
	var blob store.Bytes
	_, err = pgx.ForEachRow(rows, []any{&id, &blob}, func() error { return changed.without(id, blob, gone) })
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, updateRealtimeSQL, changed.ids, changed.blobs, changed.counts, changed.total); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, deleteRealtimeSQL, changed.empty)
	return err
}
