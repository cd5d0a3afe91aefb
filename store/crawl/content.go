package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Stored is the stored content of a document.
type Stored struct {
	Packed      []byte // unpacked by UnpackContent
	ContentType string
	Size        int64 // docsize
}

// contentSQL finds in one snapshot the row that has the content: the document's own, else that of its
// original.
const contentSQL = `
	SELECT /* store.StoredContent */ c.words, c.content_type, c.docsize
	FROM (
		SELECT url_id FROM urlword WHERE url_id = $1 AND crc = $2 AND origin = 0
		UNION ALL
		SELECT url_id FROM urlword                                   -- urlword_crc
		WHERE crc = $2 AND crc <> '' AND deleted = 0 AND (status & 65535) = 200 AND origin = 0 AND url_id <> $1
	) w CROSS JOIN LATERAL (
		SELECT words, content_type, docsize FROM urlwords u WHERE u.url_id = w.url_id AND u.words IS NOT NULL
	) c
	LIMIT 1`

// StoredContent returns the content of a document, or for a clone that of its original, when it has the
// digest crc; otherwise nil.
func (s *Store) StoredContent(ctx context.Context, id store.URLID, crc string) (c *Stored, err error) {
	err = s.InTx(ctx, "stored content", func(tx pgx.Tx) error {
		c = &Stored{}
		err := tx.QueryRow(ctx, contentSQL, id, crc).Scan(&c.Packed, &c.ContentType, &c.Size)
		if errors.Is(err, pgx.ErrNoRows) {
			c, err = nil, nil
		}
		return err
	})
	return c, err
}

var sizeSQL = store.PerTable(`SELECT /* store.StoredSize */ docsize FROM urlwordsNN WHERE url_id = $1`)

// StoredSize returns the docsize of a document, -1 when it has no content row. HeadFirst compares it.
func (s *Store) StoredSize(ctx context.Context, id store.URLID) (size int64, err error) {
	err = s.InTx(ctx, "stored size", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, sizeSQL[id%16], id).Scan(&size)
		if errors.Is(err, pgx.ErrNoRows) {
			size, err = -1, nil
		}
		return err
	})
	return size, err
}
