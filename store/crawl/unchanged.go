package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Unchanged is the outcome for a live document that has not changed (T-02, T-03) and whose
// links need not be read.
type Unchanged struct {
	Held    Token
	Due     *Due  // as it was leased
	Now     int64 // time of the answer, epoch seconds
	Inet    Inet
	Attempt Attempt
}

// unchangedSQL records unchanged documents in one statement: it checks the fencing tokens and that the state
// of each document is that of its lease, and writes times, validators, the attempt and its history. A
// document that it does not return was not changed. Its row is locked first, and the number of its events,
// which every transaction counts, is compared in its newest version.
const unchangedSQL = `
	WITH held AS MATERIALIZED (
		SELECT /* store.RecordUnchanged */ seq, attempt, ` + laterOnDisk + ` FROM schedule
		WHERE seq = ANY($1) AND status = 's'
		ORDER BY seq
		FOR SHARE
	), input AS MATERIALIZED (
		SELECT * FROM unnest($1::bigint[], $2::integer[], $5::integer[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::integer[], $11::text[],
				$12::integer[], $13::integer[], $14::integer[], $15::text[], $16::smallint[], $17::smallint[], $18::smallint[], $19::text[],
				$20::smallint[], $21::bigint[], $22::integer[])
			AS i (seq, attempt, url_id, now, next, etag, last_modified, status, crc, origin, events, mode, why, pace, step, unchanged, rule,
				result, bytes, elapsed)
	), locked AS MATERIALIZED (
		SELECT w.url_id
		FROM held h JOIN input i ON i.seq = h.seq AND i.attempt = h.attempt JOIN urlword w ON w.url_id = i.url_id
		WHERE w.deleted = 0 AND w.status = i.status AND w.crc = i.crc AND w.origin = i.origin
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
		ON CONFLICT (url_id, slot) DO UPDATE SET run_id = EXCLUDED.run_id, at = EXCLUDED.at, rule = EXCLUDED.rule, result = EXCLUDED.result,
			old_status = EXCLUDED.old_status, new_status = EXCLUDED.new_status,
			bytes = EXCLUDED.bytes, elapsed_ms = EXCLUDED.elapsed_ms, cause = EXCLUDED.cause
	)
	SELECT url_id FROM tried`

const wereUnchangedSQL = `
	SELECT /* store.RecordUnchanged */ s.url_id
	FROM unnest($1::integer[], $2::integer[]) i (url_id, events) JOIN urlstate s ON s.url_id = i.url_id
	WHERE s.events = i.events + 1 AND s.seen_run = $3`

// RecordUnchanged is RecordDocuments for the most frequent case of a recrawl. Each document is recorded completely or not at all. It
// returns those that it recorded. For the others the state has changed since the lease, or the fetcher has lost the schedule;
// RecordDocument shows which.
func (s *Store) RecordUnchanged(ctx context.Context, run store.RunID, list []Unchanged) (recorded map[store.URLID]bool, err error) {
	number := func(value func(*Unchanged) int) []int32 {
		return column(list, func(u *Unchanged) int32 { return int32(value(u)) })
	}
	small := func(value func(*Unchanged) int) []int16 {
		return column(list, func(u *Unchanged) int16 { return int16(value(u)) })
	}
	long := func(value func(*Unchanged) int64) []int64 { return column(list, value) }
	text := func(value func(*Unchanged) string) []string { return column(list, value) }
	ids := number(func(u *Unchanged) int { return int(u.Due.ID) })
	events := number(func(u *Unchanged) int { return u.Due.Events })
	rows := []any{
		long(func(u *Unchanged) int64 { return u.Held.Seq }),
		number(func(u *Unchanged) int { return u.Held.Attempt }),
		run, s.Options.HistoryKeep, ids,
		long(func(u *Unchanged) int64 { return u.Now }),
		long(func(u *Unchanged) int64 { return u.Inet.Next }),
		text(func(u *Unchanged) string { return u.Inet.ETag }),
		text(func(u *Unchanged) string { return u.Inet.LastModified }),
		number(func(u *Unchanged) int { return int(u.Due.Status) }),
		text(func(u *Unchanged) string { return u.Due.CRC }),
		number(func(u *Unchanged) int { return int(u.Due.Origin) }),
		events,
		number(func(u *Unchanged) int { return u.Due.IndexMode }),
		text(func(u *Unchanged) string { return u.Attempt.NextWhy }),
		small(func(u *Unchanged) int { return u.Attempt.Pace }),
		small(func(u *Unchanged) int { return u.Attempt.Step }),
		small(func(u *Unchanged) int { return u.Attempt.Unchanged }),
		text(func(u *Unchanged) string { return u.Attempt.Rule }),
		small(func(u *Unchanged) int { return u.Attempt.Result }),
		long(func(u *Unchanged) int64 { return u.Attempt.Bytes }),
		number(func(u *Unchanged) int { return int(min(u.Attempt.Elapsed.Milliseconds(), 1<<31-1)) }),
	}
	unknown := false // whether an attempt was committed: its connection broke
	err = s.Retry(ctx, "record unchanged documents", func() (err error) {
		if unknown { // the number of events shows what it did (P6); after a conflict others may have recorded something
			recorded, err = s.urlSet(ctx, wereUnchangedSQL, ids, events, run)
			if err != nil || len(recorded) > 0 {
				return err
			}
		}
		recorded, err = s.urlSet(ctx, unchangedSQL, rows...)
		unknown = unknown || err != nil && store.Classify(err) == store.ConnectionLost
		return err
	})
	return recorded, err
}

// urlSet returns the URLs that a statement returns.
func (s *Store) urlSet(ctx context.Context, sql string, args ...any) (map[store.URLID]bool, error) {
	rows, err := s.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	set := make(map[store.URLID]bool)
	var id store.URLID
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error { set[id] = true; return nil })
	return set, err
}
