package index

import (
	"context"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/realtime"
)

// TakeOverRealtime removes documents from the real-time index whose version there is not newer than the
// merged one: seqs[i] is the journal row of urls[i]. It is the last step of a batch, after the batch has
// removed its journal rows.
func (b *MergeBatch) TakeOverRealtime(ctx context.Context, urls []store.URLID, seqs []int64) error {
	return realtime.TakeOver(ctx, b.tx, urls, seqs)
}
