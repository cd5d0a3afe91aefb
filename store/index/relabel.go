package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// LabelDiff counts the differences that Relabel found.
type LabelDiff struct {
	Labels                  int64 // rows of wordsite
	Missing, Wrong, Foreign int64 // labels that were missing, whose sites differed, that no site has
}

const makeFreshLabelsSQL = `CREATE TEMP TABLE fresh_labels (word text, sites integer[]) ON COMMIT DROP`

const freshLabelsSQL = `
	INSERT /* store.Relabel */ INTO fresh_labels (word, sites)
	SELECT l.label, array_agg(l.bits | s.site_id ORDER BY s.site_id)
	FROM sitestate t JOIN sites s ON s.site_id = t.site_id CROSS JOIN LATERAL site_labels(s.site) l
	WHERE t.labelled
	GROUP BY l.label`

const dropForeignSQL = `
	DELETE /* store.Relabel */ FROM wordsite w
	WHERE NOT EXISTS (SELECT 1 FROM fresh_labels f WHERE f.word = w.word)`

const fixLabelsSQL = `
	UPDATE /* store.Relabel */ wordsite w SET sites = f.sites
	FROM fresh_labels f WHERE f.word = w.word AND w.sites <> f.sites`

const putMissingSQL = `
	INSERT /* store.Relabel */ INTO wordsite (word, sites)
	SELECT f.word, f.sites FROM fresh_labels f
	WHERE NOT EXISTS (SELECT 1 FROM wordsite w WHERE w.word = f.word)`

const countLabelsSQL = `SELECT /* store.Relabel */ count(*) FROM wordsite`

// Relabel compares wordsite with the labels of all labelled sites and writes the differences, in one
// transaction. The server sorts on disk when work_mem is too small. The caller holds the merge lock.
func (s *Store) Relabel(ctx context.Context) (r LabelDiff, err error) {
	err = s.InTx(ctx, "relabel sites", func(tx pgx.Tx) error {
		r = LabelDiff{}
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, lockLabelsSQL, int32(store.LockClass), store.LabelLock); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, makeFreshLabelsSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, freshLabelsSQL); err != nil {
			return err
		}
		for _, step := range []struct {
			sql   string
			count *int64
		}{{dropForeignSQL, &r.Foreign}, {fixLabelsSQL, &r.Wrong}, {putMissingSQL, &r.Missing}} {
			done, err := tx.Exec(ctx, step.sql)
			if err != nil {
				return err
			}
			*step.count = done.RowsAffected()
		}
		return tx.QueryRow(ctx, countLabelsSQL).Scan(&r.Labels)
	})
	return r, err
}
