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
	ContentType string // as it was fetched
	ReadAs      string // the type by which the content is parsed: ContentType, unless it was converted
	CRC         string // of the content, when it was converted; else empty
	By          string // the converter, as Converted has it
	Size        int64  // docsize
}

// scan reads a row of storedColumns.
func (c *Stored) scan(row pgx.Row) error {
	return row.Scan(&c.Packed, &c.ContentType, &c.Size, &c.ReadAs, &c.CRC, &c.By)
}

// storedColumns are the columns of a content row c with a row s of urlstate, or none, as Stored.scan reads them.
const storedColumns = `c.words, c.content_type, c.docsize, coalesce(s.read_as, c.content_type), coalesce(s.content_crc, ''), coalesce(s.converter, '')`

// contentSQL finds in one snapshot the row that has the content: the document's own, else that of its
// original.
const contentSQL = `
	SELECT /* store.StoredContent */ ` + storedColumns + `
	FROM (
		SELECT url_id FROM urlword WHERE url_id = $1 AND crc = $2 AND origin = 0
		UNION ALL
		SELECT url_id FROM urlword                                   -- urlword_crc
		WHERE crc = $2 AND crc <> '' AND deleted = 0 AND (status & 65535) = 200 AND origin = 0 AND url_id <> $1
	) w CROSS JOIN LATERAL (
		SELECT words, content_type, docsize FROM urlwords u WHERE u.url_id = w.url_id AND u.words IS NOT NULL
	) c LEFT JOIN urlstate s ON s.url_id = w.url_id
	LIMIT 1`

// StoredContent returns the content of a document, or for a clone that of its original, when it has the
// digest crc; otherwise nil.
func (s *Store) StoredContent(ctx context.Context, id store.URLID, crc string) (c *Stored, err error) {
	err = s.Retry(ctx, "stored content", func() error {
		c = &Stored{}
		err := c.scan(s.Pool.QueryRow(ctx, contentSQL, id, crc))
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
	err = s.Retry(ctx, "stored size", func() error {
		err := s.Pool.QueryRow(ctx, sizeSQL[id%16], id).Scan(&size)
		if errors.Is(err, pgx.ErrNoRows) {
			size, err = -1, nil
		}
		return err
	})
	return size, err
}
