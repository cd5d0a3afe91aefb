package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

const setReadingHashSQL = `
	UPDATE /* store.SetReadingHash */ crawl_control c
	SET reading_hash = $1
	FROM (SELECT reading_hash FROM crawl_control FOR UPDATE) was
	WHERE was.reading_hash IS DISTINCT FROM $1
	RETURNING was.reading_hash IS NOT NULL AND EXISTS (SELECT 1 FROM urlwords)`

// SetReadingHash records the lines by which documents are read (DateRule, KeepNavigation, LeaveOut). changed is false if they are the
// same as before, if there were none before, or if nothing is stored.
func (s *Store) SetReadingHash(ctx context.Context, hash []byte) (changed bool, err error) {
	err = s.InTx(ctx, "reading rules", func(tx pgx.Tx) error {
		changed = false
		err := tx.QueryRow(ctx, setReadingHashSQL, hash).Scan(&changed)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return changed, err
}
