package crawl

import (
	"time"

	"github.com/pgseek/pgseek/store"
)

// Attempt is what urlstate and crawl_history keep of one attempt, or of a decision that no attempt is behind.
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
	NextWhy     string // why next_index_time is what it is
	Pace        int    // 1 = CrawlFrequently, -1 = CrawlInfrequently, 0 = neither
	Step        int    // of the adaptive schedule
	Unchanged   int    // results in a row on that step

	LinksHash []byte // of the rules under which the links were read just now; nil keeps the stored one

	// Of a version whose content was read; otherwise the stored ones stay.
	Read      bool
	IndexMode int
	Meta      []byte // JSON, nil for none
	Marks     []string
	// MarksStay says that it was read from its stored content, on an answer without headers of its own: NoArchive and NoSnippet
	// stay, since the headers may have asked for them.
	MarksStay bool
}

const attemptSQL = `
	INSERT /* store.Attempt */ INTO urlstate AS s (url_id, attempts, events, last_attempt, error_class, error_count, seen_run,
		index_mode, links_hash, meta, marks, withdrawn_by, next_why, pace, step, unchanged)
	VALUES ($1, 1, 1, now(), $2, $3, $4, CASE WHEN $5 THEN $6 ELSE 3 END, $7, $8, $9, $10, $11, $12, $13, $14)
	ON CONFLICT (url_id) DO UPDATE SET attempts = s.attempts + 1, events = s.events + 1, last_attempt = now(),
		error_class = $2, error_count = $3, seen_run = $4,
		index_mode = CASE WHEN $5 THEN $6 ELSE s.index_mode END,
		links_hash = coalesce($7, s.links_hash),
		meta = CASE WHEN $5 THEN $8 ELSE s.meta END,
		marks = CASE WHEN NOT $5 THEN s.marks WHEN NOT $15 THEN $9
			ELSE $9 || ARRAY(SELECT m FROM unnest(s.marks) m WHERE m IN ('noarchive', 'nosnippet') AND m <> ALL ($9)) END,
		withdrawn_by = $10, next_why = $11, pace = $12, step = $13, unchanged = $14`

const settledSQL = `
	INSERT /* store.Settled */ INTO urlstate AS s (url_id, events, error_class, error_count, withdrawn_by, next_why)
	VALUES ($1, 1, $2, $3, $4, $5)
	ON CONFLICT (url_id) DO UPDATE SET events = s.events + 1, error_class = $2, error_count = $3, withdrawn_by = $4, next_why = $5`

// historySQL takes the time under the URL's lock: a transaction that began earlier may have got it later.
const historySQL = `
	INSERT /* store.Attempt */ INTO crawl_history (url_id, slot, run_id, at, rule, result, old_status, new_status, bytes, elapsed_ms, cause)
	VALUES ($1, $2, $3, clock_timestamp(), $4, $5, $6, $7, $8, $9, $10)
	ON CONFLICT (url_id, slot) DO UPDATE SET run_id = $3, at = clock_timestamp(), rule = $4, result = $5, old_status = $6, new_status = $7,
		bytes = $8, elapsed_ms = $9, cause = $10`

// Attempt records the attempt itself, whatever came of it. Every document transaction ends with it, or with Settled.
func (d *DocumentTx) Attempt(a Attempt) {
	d.batch.Queue(attemptSQL, d.ID, a.ErrorClass, a.ErrorCount, d.held.Run, a.Read, a.IndexMode, a.LinksHash, a.Meta, store.NotNil(a.Marks),
		a.WithdrawnBy, a.NextWhy, a.Pace, a.Step, a.Unchanged, a.MarksStay)
	d.history(a)
}

// Settled records a decision that no attempt is behind: a sweep, a purge. It is an event of the URL's history; when and
// how often it was tried, and what was read, stays.
func (d *DocumentTx) Settled(a Attempt) {
	d.batch.Queue(settledSQL, d.ID, a.ErrorClass, a.ErrorCount, a.WithdrawnBy, a.NextWhy)
	d.history(a)
}

// history writes a row into the ring of the URL's last events.
func (d *DocumentTx) history(a Attempt) {
	d.batch.Queue(historySQL, d.ID, d.Prev.Events%d.keep, d.held.Run, a.Rule, a.Result, d.Prev.Status, a.NewStatus,
		a.Bytes, min(a.Elapsed.Milliseconds(), 1<<31-1), a.Cause)
}
