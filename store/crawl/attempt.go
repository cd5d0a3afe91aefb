package crawl

import (
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Attempt is the part of urlstate and crawl_history that one attempt, or one decision without an attempt,
// writes.
type Attempt struct {
	Rule       string       // T-id
	Result     int          // extended status of the answer
	NewStatus  store.Status // urlword.status after
	Bytes      int64
	Elapsed    time.Duration
	Cause      string
	ErrorClass string // empty after a success
	ErrorCount int

	WithdrawnBy string // the rule behind urlword.deleted = 1 after it, empty when it is 0
	NextWhy     string // which rule chose next_index_time
	Pace        int    // 1 = CrawlFrequently, -1 = CrawlInfrequently, 0 = neither
	Step        int    // of the adaptive schedule
	Unchanged   int    // results in a row on that step

	// Redirect is the status of a redirect of a live document that is not carried out yet, 0 for none; RedirectTo its target.
	// RedirectRun is the last run that met it, 0 for this one.
	Redirect    int
	RedirectTo  store.URLID
	RedirectRun store.RunID

	LinksHash []byte // of the rules under which the links were read in this attempt; nil keeps the stored hash

	// Read says that the content was read. The fields below are stored only then.
	Read      bool
	IndexMode int
	Meta      []byte // JSON, nil for none
	Marks     []string
	// MarksStay says that the content was read from the database, for an answer without headers. NoArchive
	// and NoSnippet stay as they are stored, because earlier headers may have set them.
	MarksStay bool
}

// attemptRow is a row of urlstate after an attempt.
type attemptRow struct {
	id        store.URLID
	run       store.RunID
	a         *Attempt
	stored    bool // the content row is written
	converted Converted
}

// attemptInput is the rows of an attempt as parameters.
const attemptInput = `unnest($1::integer[], $2::text[], $3::integer[], $4::integer[], $5::boolean[], $6::integer[], $7::bytea[], $8::text[], $9::text[],
			$10::text[], $11::text[], $12::smallint[], $13::smallint[], $14::smallint[], $15::boolean[], $16::integer[], $17::integer[], $18::integer[],
			$19::boolean[], $20::text[], $21::text[], $22::text[])
		AS i (url_id, error_class, error_count, run, read, index_mode, links_hash, meta, marks, withdrawn_by, next_why, pace, step, unchanged,
			marks_stay, redirect, redirect_to, redirect_run, stored, read_as, content_crc, converter)`

// newStatesSQL records the first attempt or decision of URLs.
const newStatesSQL = `
	INSERT /* store.Attempt */ INTO urlstate (url_id, attempts, events, last_attempt, error_class, error_count, seen_run,
		index_mode, links_hash, meta, marks, withdrawn_by, next_why, pace, step, unchanged, redirect, redirect_to, redirect_run,
		read_as, content_crc, converter)
	SELECT i.url_id, 1, 1, now(), i.error_class, i.error_count, i.run, CASE WHEN i.read THEN i.index_mode ELSE 3 END, i.links_hash, i.meta::jsonb,
		string_to_array(i.marks, ' '), i.withdrawn_by, i.next_why, i.pace, i.step, i.unchanged, i.redirect, i.redirect_to, i.redirect_run,
		nullif(i.read_as, ''), nullif(i.content_crc, ''), CASE WHEN i.read_as <> '' THEN i.converter END
	FROM ` + attemptInput

const statesSQL = `
	UPDATE /* store.Attempt */ urlstate s SET attempts = s.attempts + 1, events = s.events + 1, last_attempt = now(),
		error_class = i.error_class, error_count = i.error_count, seen_run = i.run,
		index_mode = CASE WHEN i.read THEN i.index_mode ELSE s.index_mode END,
		links_hash = coalesce(i.links_hash, s.links_hash),
		meta = CASE WHEN i.read THEN i.meta::jsonb ELSE s.meta END,
		marks = CASE WHEN NOT i.read THEN s.marks WHEN NOT i.marks_stay THEN string_to_array(i.marks, ' ')
			ELSE string_to_array(i.marks, ' ')
				|| ARRAY(SELECT m FROM unnest(s.marks) m WHERE m IN ('noarchive', 'nosnippet') AND m <> ALL (string_to_array(i.marks, ' '))) END,
		withdrawn_by = i.withdrawn_by, next_why = i.next_why, pace = i.pace, step = i.step, unchanged = i.unchanged, redirect = i.redirect,
		redirect_to = i.redirect_to, redirect_run = i.redirect_run,
		read_as = CASE WHEN i.stored THEN nullif(i.read_as, '') ELSE s.read_as END,
		content_crc = CASE WHEN i.stored THEN nullif(i.content_crc, '') ELSE s.content_crc END,
		converter = CASE WHEN NOT i.stored THEN s.converter WHEN i.read_as <> '' THEN i.converter END
	FROM ` + attemptInput + `
	WHERE s.url_id = i.url_id`

func writeAttempts(b *pgx.Batch, sql string, rows []attemptRow) {
	if len(rows) == 0 {
		return
	}
	text := func(value func(*attemptRow) string) []string { return column(rows, value) }
	number := func(value func(*attemptRow) int) []int32 {
		return column(rows, func(r *attemptRow) int32 { return int32(value(r)) })
	}
	small := func(value func(*attemptRow) int) []int16 {
		return column(rows, func(r *attemptRow) int16 { return int16(value(r)) })
	}
	flag := func(value func(*attemptRow) bool) []bool { return column(rows, value) }
	b.Queue(sql, column(rows, func(r *attemptRow) int32 { return int32(r.id) }),
		text(func(r *attemptRow) string { return r.a.ErrorClass }),
		number(func(r *attemptRow) int { return r.a.ErrorCount }),
		number(func(r *attemptRow) int { return int(r.run) }),
		flag(func(r *attemptRow) bool { return r.a.Read }),
		number(func(r *attemptRow) int { return r.a.IndexMode }),
		column(rows, func(r *attemptRow) []byte { return r.a.LinksHash }),
		column(rows, func(r *attemptRow) *string { return textOrNull(r.a.Meta) }),
		text(func(r *attemptRow) string { return strings.Join(r.a.Marks, " ") }),
		text(func(r *attemptRow) string { return r.a.WithdrawnBy }),
		text(func(r *attemptRow) string { return r.a.NextWhy }),
		small(func(r *attemptRow) int { return r.a.Pace }),
		small(func(r *attemptRow) int { return r.a.Step }),
		small(func(r *attemptRow) int { return r.a.Unchanged }),
		flag(func(r *attemptRow) bool { return r.a.MarksStay }),
		number(func(r *attemptRow) int { return r.a.Redirect }),
		number(func(r *attemptRow) int { return int(r.a.RedirectTo) }),
		number(func(r *attemptRow) int { return int(r.a.RedirectRun) }),
		flag(func(r *attemptRow) bool { return r.stored }),
		text(func(r *attemptRow) string { return r.converted.ReadAs }),
		text(func(r *attemptRow) string { return r.converted.CRC }),
		text(func(r *attemptRow) string { return r.converted.By }))
}

// textOrNull returns NULL for no text.
func textOrNull(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}

const settledSQL = `
	INSERT /* store.Settled */ INTO urlstate AS s (url_id, events, error_class, error_count, withdrawn_by, next_why)
	VALUES ($1, 1, $2, $3, $4, $5)
	ON CONFLICT (url_id) DO UPDATE SET events = s.events + 1, error_class = EXCLUDED.error_class, error_count = EXCLUDED.error_count,
		withdrawn_by = EXCLUDED.withdrawn_by, next_why = EXCLUDED.next_why, redirect = 0, redirect_to = 0, redirect_run = 0`

// eventRow is a row of crawl_history.
type eventRow struct {
	id     store.URLID
	slot   int
	run    store.RunID
	before store.Status
	a      *Attempt
}

// eventsSQL uses the time under the lock of the URLs: a transaction that began earlier may have got the lock
// later.
const eventsSQL = `
	INSERT /* store.Attempt */ INTO crawl_history (url_id, slot, run_id, at, rule, result, old_status, new_status, bytes, elapsed_ms, cause)
	SELECT i.url_id, i.slot, i.run_id, clock_timestamp(), i.rule, i.result, i.old_status, i.new_status, i.bytes, i.elapsed_ms, i.cause
	FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::text[], $5::integer[], $6::integer[], $7::integer[], $8::bigint[], $9::integer[], $10::text[])
		AS i (url_id, slot, run_id, rule, result, old_status, new_status, bytes, elapsed_ms, cause)
	ON CONFLICT (url_id, slot) DO UPDATE SET run_id = EXCLUDED.run_id, at = EXCLUDED.at, rule = EXCLUDED.rule, result = EXCLUDED.result,
		old_status = EXCLUDED.old_status, new_status = EXCLUDED.new_status, bytes = EXCLUDED.bytes, elapsed_ms = EXCLUDED.elapsed_ms,
		cause = EXCLUDED.cause`

func writeEvents(b *pgx.Batch, rows []eventRow) {
	if len(rows) == 0 {
		return
	}
	number := func(value func(*eventRow) int) []int32 {
		return column(rows, func(r *eventRow) int32 { return int32(value(r)) })
	}
	b.Queue(eventsSQL, number(func(r *eventRow) int { return int(r.id) }),
		number(func(r *eventRow) int { return r.slot }),
		number(func(r *eventRow) int { return int(r.run) }),
		column(rows, func(r *eventRow) string { return r.a.Rule }),
		number(func(r *eventRow) int { return r.a.Result }),
		number(func(r *eventRow) int { return int(r.before) }),
		number(func(r *eventRow) int { return int(r.a.NewStatus) }),
		column(rows, func(r *eventRow) int64 { return r.a.Bytes }),
		number(func(r *eventRow) int { return int(min(r.a.Elapsed.Milliseconds(), 1<<31-1)) }),
		column(rows, func(r *eventRow) string { return r.a.Cause }))
}

// Attempt records the attempt, whatever its result. Every document transaction ends with Attempt or Settled.
func (d *DocumentTx) Attempt(a Attempt) {
	if a.Redirect != 0 && a.RedirectRun == 0 {
		a.RedirectRun = d.held.Run
	}
	d.attempt = &attemptRow{id: d.ID, run: d.held.Run, a: &a}
	if d.content != nil {
		d.attempt.stored, d.attempt.converted = true, d.content.c.Converted
	}
	d.history(&a)
}

// Settled records a decision without an attempt: of a sweep or a purge. It writes an event of the URL's
// history; the number and time of attempts and the fields read from the content stay.
func (d *DocumentTx) Settled(a Attempt) {
	d.after.Queue(settledSQL, d.ID, a.ErrorClass, a.ErrorCount, a.WithdrawnBy, a.NextWhy)
	d.history(&a)
}

// history notes a row of the ring buffer of the URL's last events.
func (d *DocumentTx) history(a *Attempt) {
	d.event = &eventRow{d.ID, d.Prev.Events % d.keep, d.held.Run, d.Prev.Status, a}
}
