package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const retagsSQL = `
	SELECT /* store.RefreshTags */ c.retags, c.retags <> t.retags FROM crawl_control c, totals t`

const refreshTagsSQL = `
	UPDATE /* store.RefreshTags */ docdates d SET tag = w.tag
	FROM urlword w
	WHERE w.url_id = d.url_id AND d.tag <> w.tag`

const tagsRefreshedSQL = `UPDATE /* store.RefreshTags */ totals SET retags = $1`

// RefreshTags writes the tags that a crawl has changed since the last call to docdates, and returns the number of documents. It reads
// all documents when there were changes, else two rows. The number of changes is read before the tags: those that a crawl makes
// meanwhile are left to the next merge. The caller holds the merge lock.
func (s *Store) RefreshTags(ctx context.Context) (changed int64, err error) {
	err = s.InTx(ctx, "refresh tags", func(tx pgx.Tx) error {
		changed = 0
		var retags int64
		var differ bool
		if err := tx.QueryRow(ctx, retagsSQL).Scan(&retags, &differ); err != nil || !differ {
			return err
		}
		if _, err := tx.Exec(ctx, store.LockIndexSQL, int32(store.LockClass), store.MergeBatchLock); err != nil {
			return err
		}
		if _, err := store.CountChange(ctx, tx); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, refreshTagsSQL)
		if err != nil {
			return err
		}
		changed = done.RowsAffected()
		if _, err := tx.Exec(ctx, tagsRefreshedSQL, retags); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, notifyIndexSQL, "merge")
		return err
	})
	return changed, err
}
