package crawl

import (
	"context"

	"github.com/pgseek/pgseek/store"
)

// Equals returns how many live documents have a digest, one URL aside, counted up to limit. Nothing is locked: a document
// transaction, which counts again (Groups.Equals), has the last word.
func (s *Store) Equals(ctx context.Context, crc string, except store.URLID, limit int) (n int, err error) {
	err = s.Retry(ctx, "equal documents", func() error {
		return s.Pool.QueryRow(ctx, equalsSQL, crc, except, limit).Scan(&n)
	})
	return n, err
}
