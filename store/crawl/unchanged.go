package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Unchanged is the outcome for a live document of a schedule that has not changed (T-02, T-03) and whose
// links need not be read.
type Unchanged struct {
	Due     *Due  // as it was leased
	Now     int64 // time of the answer, epoch seconds
	Inet    Inet
	Attempt Attempt
}

// unchangedSQL records unchanged documents in one statement: it checks the fencing token and that the state
// of each document is that of its lease, and writes times, validators, the attempt and its history. A
// document that it does not return was not changed. Its row is locked first, and the number of its events,
// which every transaction counts, is compared in its newest version.
const unchangedSQL = `
	WITH held AS MATERIALIZED (
		SELECT /* store.RecordUnchanged */ ` + laterOnDisk + ` FROM schedule
		WHERE seq = $1 AND attempt = $2 AND status = 's'
		FOR SHARE
	), input AS MATERIALIZED (
		SELECT * FROM unnest($5::integer[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::integer[], $11::text[], $12::integer[],
				$13::integer[], $14::integer[], $15::text[], $16::smallint[], $17::smallint[], $18::smallint[], $19::text[],
				$20::smallint[], $21::bigint[], $22::integer[])
			AS i (url_id, now, next, etag, last_modified, status, crc, origin, events, mode, why, pace, step, unchanged, rule,
				result, bytes, elapsed)
	), locked AS MATERIALIZED (
		SELECT w.url_id
		FROM input i JOIN urlword w ON w.url_id = i.url_id
		WHERE EXISTS (SELECT 1 FROM held)
			AND w.deleted = 0 AND w.status = i.status AND w.crc = i.crc AND w.origin = i.origin
		ORDER BY w.url_id
		FOR UPDATE OF w
	), tried AS (
		UPDATE urlstate s
		SET attempts = s.attempts + 1, events = s.events + 1, last_attempt = now(), error_class = '', error_count = 0,
			seen_run = $3, withdrawn_by = '', next_why = i.why, pace = i.pace, step = i.step, unchanged = i.unchanged,
			redirect = 0, redirect_to = 0, redirect_run = 0
		FROM locked l JOIN input i ON i.url_id = l.url_id
		WHERE s.url_id = l.url_id AND s.events = i.events AND s.index_mode = i.mode
		RETURNING s.url_id
	), renewed AS (
		UPDATE urlword w
		SET status = 200, last_index_time = i.now, next_index_time = i.next,
			etag = CASE WHEN i.etag = '' THEN w.etag ELSE i.etag END,
			last_modified = CASE WHEN i.last_modified = '' THEN w.last_modified ELSE i.last_modified END
		FROM tried t JOIN input i ON i.url_id = t.url_id
		WHERE w.url_id = t.url_id
	), told AS (
		INSERT INTO crawl_history (url_id, slot, run_id, rule, result, old_status, new_status, bytes, elapsed_ms, cause)
		SELECT t.url_id, i.events % $4, $3, i.rule, i.result, i.status, 200, i.bytes, i.elapsed, ''
		FROM tried t JOIN input i ON i.url_id = t.url_id
		ON CONFLICT (url_id, slot) DO UPDATE SET run_id = EXCLUDED.run_id, at = now(), rule = EXCLUDED.rule, result = EXCLUDED.result,
			old_status = EXCLUDED.old_status, new_status = EXCLUDED.new_status,
			bytes = EXCLUDED.bytes, elapsed_ms = EXCLUDED.elapsed_ms, cause = EXCLUDED.cause
	)
	SELECT url_id FROM tried`

const wereUnchangedSQL = `
	SELECT /* store.RecordUnchanged */ s.url_id
	FROM unnest($1::integer[], $2::integer[]) i (url_id, events) JOIN urlstate s ON s.url_id = i.url_id
	WHERE s.events = i.events + 1 AND s.seen_run = $3`

// RecordUnchanged is RecordDocument for the most frequent case of a recrawl, for several documents of one
// schedule at once. Each is recorded completely or not at all. It returns those that it recorded. For the
// others the state has changed since the lease, or the fetcher has lost the schedule; RecordDocument shows
// which.
func (s *Store) RecordUnchanged(ctx context.Context, h Token, list []Unchanged) (recorded []store.URLID, err error) {
	n := len(list)
	var (
		ids, status, origin, events, elapsed = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
		now, next, bytes                     = make([]int64, n), make([]int64, n), make([]int64, n)
		etag, modified, crc, why, rule       = make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
		pace, step, unchanged, httpCodes     = make([]int16, n), make([]int16, n), make([]int16, n), make([]int16, n)
		mode                                 = make([]int32, n)
	)
	for i, u := range list {
		d, a := u.Due, &u.Attempt
		ids[i], status[i], origin[i], events[i] = int32(d.ID), int32(d.Status), int32(d.Origin), int32(d.Events)
		now[i], next[i], bytes[i] = u.Now, u.Inet.Next, a.Bytes
		etag[i], modified[i], crc[i], why[i], rule[i] = u.Inet.ETag, u.Inet.LastModified, d.CRC, a.NextWhy, a.Rule
		mode[i], pace[i], step[i], unchanged[i] = int32(d.IndexMode), int16(a.Pace), int16(a.Step), int16(a.Unchanged)
		httpCodes[i], elapsed[i] = int16(a.Result), int32(min(a.Elapsed.Milliseconds(), 1<<31-1))
	}
	unknown := false // whether an attempt was committed: its connection broke
	err = s.Retry(ctx, "record unchanged documents", func() error {
		if unknown { // the number of events shows what it did (P6); after a conflict others may have recorded something
			rows, err := s.Pool.Query(ctx, wereUnchangedSQL, ids, events, h.Run)
			if err == nil {
				recorded, err = pgx.CollectRows(rows, pgx.RowTo[store.URLID])
			}
			if err != nil || len(recorded) > 0 {
				return err
			}
		}
		rows, err := s.Pool.Query(ctx, unchangedSQL, h.Seq, h.Attempt, h.Run, s.Options.HistoryKeep, ids, now, next, etag, modified,
			status, crc, origin, events, mode, why, pace, step, unchanged, rule, httpCodes, bytes, elapsed)
		if err == nil {
			recorded, err = pgx.CollectRows(rows, pgx.RowTo[store.URLID])
		}
		unknown = unknown || err != nil && store.Classify(err) == store.ConnectionLost
		return err
	})
	return recorded, err
}
