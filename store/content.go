package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

var contentSQL = perTable(`
	SELECT /* store.StoredContent */ words, content_type FROM urlwordsNN
	WHERE url_id = $1 AND words IS NOT NULL`)

// StoredContent returns the packed content of a document and its type as stored; nil when it has none of its own.
func (s *Store) StoredContent(ctx context.Context, id URLID) (packed []byte, contentType string, err error) {
	err = s.inTx(ctx, "stored content", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, contentSQL[id%16], id).Scan(&packed, &contentType)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return packed, contentType, err
}

var sizeSQL = perTable(`SELECT /* store.StoredSize */ docsize FROM urlwordsNN WHERE url_id = $1`)

// StoredSize returns the docsize of a document, -1 when it has no content row. HeadFirst compares it (RS-50).
func (s *Store) StoredSize(ctx context.Context, id URLID) (size int64, err error) {
	err = s.inTx(ctx, "stored size", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, sizeSQL[id%16], id).Scan(&size)
		if errors.Is(err, pgx.ErrNoRows) {
			size, err = -1, nil
		}
		return err
	})
	return size, err
}
