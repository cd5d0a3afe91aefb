package store

import "context"

// TakeOverRealtime removes documents from the real-time index whose version there is not newer than the merged one: seqs[i]
// is the journal row of urls[i]. It is the last step of a batch, after the batch has removed its journal rows.
func (b *MergeBatch) TakeOverRealtime(ctx context.Context, urls []URLID, seqs []int64) error {
	return takeOverRealtime(ctx, b.tx, urls, seqs)
}
