package store

import (
	"context"
	"fmt"
)

// unchangedSQL is the document transaction of an unchanged document in one statement: the fence, the state that must be
// the one of the lease, the times and validators, the attempt and its history. Without a row nothing was written.
const unchangedSQL = `
	WITH held AS MATERIALIZED (
		SELECT /* store.RecordUnchanged */ set_config('synchronous_commit', 'off', true) FROM schedule
		WHERE seq = $1 AND attempt = $2 AND status = 's'
		FOR SHARE
	), renewed AS (
		UPDATE urlword w
		SET status = 200, last_index_time = $4, next_index_time = $5,
			etag = CASE WHEN $6 = '' THEN w.etag ELSE $6 END,
			last_modified = CASE WHEN $7 = '' THEN w.last_modified ELSE $7 END
		FROM urlstate s
		WHERE w.url_id = $3 AND s.url_id = $3 AND EXISTS (SELECT FROM held)
			AND w.deleted = 0 AND w.status = $8 AND w.crc = $9 AND w.origin = $10 AND s.events = $11 AND s.index_mode = $12
		RETURNING w.url_id
	), tried AS (
		UPDATE urlstate s
		SET attempts = s.attempts + 1, events = s.events + 1, last_attempt = now(), error_class = '', error_count = 0,
			seen_run = $13, withdrawn_by = '', next_why = $14, pace = $15, step = $16, unchanged = $17
		FROM renewed r WHERE s.url_id = r.url_id
		RETURNING s.url_id
	)
	INSERT INTO crawl_history (url_id, slot, run_id, rule, result, old_status, new_status, bytes, elapsed_ms, cause)
	SELECT t.url_id, $18, $13, $19, $20, $8, 200, $21, $22, ''
	FROM tried t
	ON CONFLICT (url_id, slot) DO UPDATE SET run_id = EXCLUDED.run_id, at = now(), rule = EXCLUDED.rule, result = EXCLUDED.result,
		old_status = EXCLUDED.old_status, new_status = EXCLUDED.new_status,
		bytes = EXCLUDED.bytes, elapsed_ms = EXCLUDED.elapsed_ms, cause = EXCLUDED.cause`

// RecordUnchanged is RecordDocument for what a recrawl meets most: a live document of a schedule that has not changed
// (T-02, T-03), whose links need no look, and which nobody touched since it was leased. It returns false, having
// written nothing, when that is not so, or when the schedule is no longer the fetcher's: RecordDocument tells.
func (s *Store) RecordUnchanged(ctx context.Context, h Token, d *Due, now int64, i Inet, a Attempt) (done bool, err error) {
	err = s.retry(ctx, fmt.Sprintf("record url %d", d.ID), func() error {
		wrote, err := s.pool.Exec(ctx, unchangedSQL, h.Seq, h.Attempt, d.ID, now, i.Next, i.ETag, i.LastModified,
			d.Status, d.CRC, d.Origin, d.Events, d.IndexMode, h.Run, a.NextWhy, a.Pace, a.Step, a.Unchanged,
			d.Events%s.o.HistoryKeep, a.Rule, a.Result, a.Bytes, min(a.Elapsed.Milliseconds(), 1<<31-1))
		done = wrote.RowsAffected() == 1
		return err
	})
	return done, err
}
