package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// DocumentLimit: a run adds documents up to a number of live ones, and removes none. They are counted once, when the run begins; then
// reindexing.room says how many more may come. A schedule is taken for as many new documents as it has URLs until it is acknowledged,
// and leases are made one after the other, so that several processes do not exceed the number together. At the limit URLs that were
// never fetched stay registered and are not leased.

const setRoomSQL = `
	UPDATE /* store.SetRoom */ reindexing
	SET room = $2 - (SELECT count(*) FROM urlword WHERE deleted = 0 AND status & 65535 = 200)
	WHERE run_id = $1`

// setRoom counts the documents at the beginning of a run with a limit.
func (c CrawlStart) setRoom(ctx context.Context, tx pgx.Tx) error {
	if c.DocumentLimit == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, setRoomSQL, c.Run, c.DocumentLimit)
	return err
}

const roomSQL = `
	SELECT /* store.Lease */ r.room - (SELECT coalesce(sum(cardinality(c.url_ids)), 0) FROM schedule c WHERE c.status = 's') -- schedule_open
	FROM reindexing r
	WHERE r.run_id = $1`

// lookForRoom asks how many new documents this lease may bring.
func (t *leasing) lookForRoom(b *pgx.Batch) {
	if !t.r.DocumentLimit {
		return
	}
	b.Queue(roomSQL, t.r.Run).QueryRow(func(row pgx.Row) error { return row.Scan(&t.room) })
}

// full reports whether no URL may be leased that was never fetched.
func (t *leasing) full() bool { return t.room != nil && *t.room <= 0 }

// newWaitSQL reports whether the run has left URLs that were never fetched.
const newWaitSQL = `
	SELECT /* store.Lease */ EXISTS (SELECT 1 FROM urlword w              -- urlword_next_index_time
		WHERE w.next_index_time <= $5 AND ` + newRows + ` AND ` + workSQL + `)`

// newWait reports whether the limit keeps URLs from being fetched.
func (t *leasing) newWait() (waits bool, err error) {
	if !t.full() {
		return false, nil
	}
	err = t.conn.QueryRow(t.ctx, newWaitSQL, t.r.Limits.with(t.r.Due)...).Scan(&waits)
	return waits, err
}

// takeRoomSQL is acknowledgeSQL for a run with a limit: it counts which of the new URLs have become documents.
const takeRoomSQL = `
	WITH done AS (
		UPDATE /* store.Acknowledge */ schedule s SET status = 'a'
		FROM unnest($1::bigint[], $2::integer[]) h (seq, attempt)
		WHERE s.seq = h.seq AND s.attempt = h.attempt AND s.status = 's'
		RETURNING s.seq, s.attempt
	), taken AS (
		UPDATE reindexing SET room = room - (
			SELECT count(*) FROM urlword w                                 -- urlword_pkey
			WHERE w.url_id = ANY(ARRAY(SELECT f.url_id FROM unnest($3::bigint[], $4::integer[]) f (seq, url_id) JOIN done ON done.seq = f.seq))
				AND w.deleted = 0 AND w.status & 65535 = 200)
		WHERE run_id = $5 AND room IS NOT NULL
	)
	SELECT seq, attempt FROM done`

const roomLeftSQL = `
	SELECT /* store.DocumentRoom */ count(*) FILTER (WHERE deleted = 0 AND status & 65535 = 200), count(*) FILTER (WHERE deleted = 0 AND status = 0)
	FROM urlword`

// Documents returns the number of live documents, and that of URLs that were never fetched.
func (s *Store) Documents(ctx context.Context) (live, waiting int64, err error) {
	err = s.InTx(ctx, "documents", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRow(ctx, roomLeftSQL).Scan(&live, &waiting)
	})
	return live, waiting, err
}
