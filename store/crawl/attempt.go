package crawl

import (
	"time"

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

const attemptSQL = `
	INSERT /* store.Attempt */ INTO urlstate AS s (url_id, attempts, events, last_attempt, error_class, error_count, seen_run,
		index_mode, links_hash, meta, marks, withdrawn_by, next_why, pace, step, unchanged, redirect, redirect_to, redirect_run,
		read_as, content_crc, converter)
	VALUES ($1, 1, 1, now(), $2, $3, $4, CASE WHEN $5 THEN $6 ELSE 3 END, $7, $8, $9, $10, $11, $12, $13, $14, $16, $17, $18,
		nullif($20::text, ''), nullif($21::text, ''), CASE WHEN $20 <> '' THEN $22 END)
	ON CONFLICT (url_id) DO UPDATE SET attempts = s.attempts + 1, events = s.events + 1, last_attempt = now(),
		error_class = $2, error_count = $3, seen_run = $4,
		index_mode = CASE WHEN $5 THEN $6 ELSE s.index_mode END,
		links_hash = coalesce($7, s.links_hash),
		meta = CASE WHEN $5 THEN $8 ELSE s.meta END,
		marks = CASE WHEN NOT $5 THEN s.marks WHEN NOT $15 THEN $9
			ELSE $9 || ARRAY(SELECT m FROM unnest(s.marks) m WHERE m IN ('noarchive', 'nosnippet') AND m <> ALL ($9)) END,
		withdrawn_by = $10, next_why = $11, pace = $12, step = $13, unchanged = $14, redirect = $16, redirect_to = $17, redirect_run = $18,
		read_as = CASE WHEN $19 THEN nullif($20::text, '') ELSE s.read_as END,
		content_crc = CASE WHEN $19 THEN nullif($21::text, '') ELSE s.content_crc END,
		converter = CASE WHEN NOT $19 THEN s.converter WHEN $20 <> '' THEN $22 END`

const settledSQL = `
	INSERT /* store.Settled */ INTO urlstate AS s (url_id, events, error_class, error_count, withdrawn_by, next_why)
	VALUES ($1, 1, $2, $3, $4, $5)
	ON CONFLICT (url_id) DO UPDATE SET events = s.events + 1, error_class = $2, error_count = $3, withdrawn_by = $4, next_why = $5,
		redirect = 0, redirect_to = 0, redirect_run = 0`

// historySQL uses the time under the lock of the URL: a transaction that began earlier may have got the lock
// later.
const historySQL = `
	INSERT /* store.Attempt */ INTO crawl_history (url_id, slot, run_id, at, rule, result, old_status, new_status, bytes, elapsed_ms, cause)
	VALUES ($1, $2, $3, clock_timestamp(), $4, $5, $6, $7, $8, $9, $10)
	ON CONFLICT (url_id, slot) DO UPDATE SET run_id = $3, at = clock_timestamp(), rule = $4, result = $5, old_status = $6, new_status = $7,
		bytes = $8, elapsed_ms = $9, cause = $10`

// Attempt records the attempt, whatever its result. Every document transaction ends with Attempt or Settled.
func (d *DocumentTx) Attempt(a Attempt) {
	if a.Redirect != 0 && a.RedirectRun == 0 {
		a.RedirectRun = d.held.Run
	}
	var converted Converted
	if d.stored != nil {
		converted = d.stored.Converted
	}
	d.batch.Queue(attemptSQL, d.ID, a.ErrorClass, a.ErrorCount, d.held.Run, a.Read, a.IndexMode, a.LinksHash, a.Meta, store.NotNil(a.Marks),
		a.WithdrawnBy, a.NextWhy, a.Pace, a.Step, a.Unchanged, a.MarksStay,
		a.Redirect, a.RedirectTo, a.RedirectRun, d.stored != nil, converted.ReadAs, converted.CRC, converted.By)
	d.history(a)
}

// Settled records a decision without an attempt: of a sweep or a purge. It writes an event of the URL's
// history; the number and time of attempts and the fields read from the content stay.
func (d *DocumentTx) Settled(a Attempt) {
	d.batch.Queue(settledSQL, d.ID, a.ErrorClass, a.ErrorCount, a.WithdrawnBy, a.NextWhy)
	d.history(a)
}

// history writes a row into the ring buffer of the URL's last events.
func (d *DocumentTx) history(a Attempt) {
	d.batch.Queue(historySQL, d.ID, d.Prev.Events%d.keep, d.held.Run, a.Rule, a.Result, d.Prev.Status, a.NewStatus,
		a.Bytes, min(a.Elapsed.Milliseconds(), 1<<31-1), a.Cause)
}
