package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const WordIDsSQL = `
	SELECT /* store.WordIDs */ word, word_id
	FROM wordurl                                                                 -- wordurl_word_key
	WHERE word = ANY($1)`

// drawWordIDsSQL draws n numbers in one step. A call of nextval for each word cost a fortieth of a build.
const drawWordIDsSQL = `
	WITH next AS MATERIALIZED (SELECT nextval('wordurl_word_id_seq') AS id)
	SELECT /* store.DrawWordIDs */ id, setval('wordurl_word_id_seq', id + $1::bigint - 1) FROM next`

const lockWordIDsSQL = `SELECT /* store.DrawWordIDs */ pg_advisory_xact_lock($1, $2)`

// DrawWordIDs draws n ids of words. A lock keeps other programs from drawing between its two steps. Numbers
// drawn by hand without the lock would violate the primary key.
func (s *DB) DrawWordIDs(ctx context.Context, n int) ([]WordID, error) {
	if n == 0 {
		return nil, nil
	}
	var first, last int64
	err := s.Retry(ctx, "draw word ids", func() error {
		var b pgx.Batch // without BEGIN it is one transaction
		b.Queue(lockWordIDsSQL, int32(LockClass), wordIDsLock)
		b.Queue(drawWordIDsSQL, n).QueryRow(func(row pgx.Row) error { return row.Scan(&first, &last) })
		return s.Pool.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		return nil, err
	}
	ids := make([]WordID, n)
	for i := range ids {
		ids[i] = WordID(first) + WordID(i)
	}
	return ids, nil
}
