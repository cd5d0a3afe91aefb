package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Totals holds sizes of the inverted index without the real-time index, or differences of them.
type Totals struct {
	Documents int64 // with words in the index
	Words     int64 // with documents
	Postings  int64 // pairs of word and document
	Positions int64 // occurrences of words
}

const addTotalsSQL = `
	UPDATE /* store.AddTotals */ totals
	SET documents = documents + $1, words = words + $2, postings = postings + $3, positions = positions + $4`

// AddTotals adds the changes of the batch.
func (b *MergeBatch) AddTotals(ctx context.Context, d Totals) error {
	if d == (Totals{}) {
		return nil
	}
	_, err := b.tx.Exec(ctx, addTotalsSQL, d.Documents, d.Words, d.Postings, d.Positions)
	return err
}

const readTotalsSQL = `SELECT /* store.CountTotals */ documents, words, postings, positions FROM totals FOR UPDATE`

// A row of docwords of 2 bytes is one without words. Sizes are known without reading values that are stored
// out of line.
const countDocumentsSQL = `SELECT /* store.CountTotals */ count(*) FROM docwords WHERE octet_length(words) > 2`

const countTotalsSQL = `
	SELECT /* store.CountTotals */ count(*) FILTER (WHERE urlcount > 0), coalesce(sum(urlcount), 0)::bigint,
		coalesce(sum(totalcount), 0)::bigint
	FROM wordurl`

const putTotalsSQL = `
	UPDATE /* store.CountTotals */ totals SET documents = $1, words = $2, postings = $3, positions = $4`

// CountTotals recounts the index (-U), writes the differences, and returns the totals before and after. The
// caller holds the merge lock: a batch in between would be counted twice or not at all.
func (s *Store) CountTotals(ctx context.Context) (was, is Totals, err error) {
	err = s.InTx(ctx, "count totals", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, readTotalsSQL).Scan(&was.Documents, &was.Words, &was.Postings, &was.Positions); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, countDocumentsSQL).Scan(&is.Documents); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, countTotalsSQL).Scan(&is.Words, &is.Postings, &is.Positions); err != nil {
			return err
		}
		if is == was {
			return nil
		}
		_, err := tx.Exec(ctx, putTotalsSQL, is.Documents, is.Words, is.Postings, is.Positions)
		return err
	})
	return was, is, err
}
