package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const equalsSQL = `
	SELECT /* store.Equals */ count(*) FROM (
		SELECT 1 FROM urlword                                        -- urlword_crc
		WHERE crc = $1 AND crc <> '' AND deleted = 0 AND (status & 65535) = 200 AND url_id <> $2
		LIMIT $3
	) e`

// Equals returns how many live documents have a digest, one URL aside, counted up to limit. Nothing is locked: a document
// transaction, which counts again (Groups.Equals), has the last word.
func (s *Store) Equals(ctx context.Context, crc string, except store.URLID, limit int) (n int, err error) {
	err = s.Retry(ctx, "equal documents", func() error {
		return s.Pool.QueryRow(ctx, equalsSQL, crc, except, limit).Scan(&n)
	})
	return n, err
}

// EqualsOfEach is Equals for several URLs, each with its digest.
func (s *Store) EqualsOfEach(ctx context.Context, ids []store.URLID, crcs []string, limit int) (equals map[store.URLID]int, err error) {
	limits := make([]int32, len(ids))
	for i := range limits {
		limits[i] = int32(limit)
	}
	err = s.Retry(ctx, "equal documents", func() error {
		rows, err := s.Pool.Query(ctx, groupsSQL, ids, crcs, limits)
		if err != nil {
			return err
		}
		equals = make(map[store.URLID]int, len(ids))
		var id, twin store.URLID
		var n int
		_, err = pgx.ForEachRow(rows, []any{&id, &twin, &n}, func() error { equals[id] = n; return nil })
		return err
	})
	return equals, err
}
