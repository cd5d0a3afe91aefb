package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// LeaseRequest asks for work.
type LeaseRequest struct {
	Run       RunID
	Process   ProcessID
	Fetcher   string        // name in table fetcher
	Batch     int           // URLs at most
	TimeOut   time.Duration // until the lease may be taken away
	Due       int64         // the run's work is what has at most this next_index_time
	HopsFirst bool          // -o
	Limits    Limits
	Hosts     Hosts // that may be asked now
}

// Lease is a schedule in the hands of a fetcher: URLs of one host that nobody else touches until the deadline.
type Lease struct {
	Seq     int64
	Attempt int
	Run     RunID
	Host    string
	Sites   []SiteID
	URLs    []Due // in the order of the batch; what an earlier holder recorded is left out

	due int64 // the run's threshold
}

// Idle says why there is no lease.
type Idle struct {
	Over  string        // the run's end: "complete", "time" (what is left may not be asked now), "ended" by somebody else; "" = it goes on
	Open  int           // open schedules, of all processes
	Until time.Duration // until a host's pause is over, 0 = nobody knows
}

// How a lease finds a run to be over.
const (
	OverComplete = "complete"
	OverTime     = "time"
	OverEnded    = "ended"
)

// Due is a URL to be fetched, with what the request needs to know of it.
type Due struct {
	ID            URLID
	Place         int // in the batch, from 0
	Site          SiteID
	URL           string
	Deleted       bool // taken out by a rule, which is looked at again
	Status        Status
	CRC           string
	ETag          string
	LastModified  string
	LastIndexTime int64
	Hops          int
	Tag           int
	Origin        URLID
	HasContent    bool // conditions may be sent: 200, or 406 with a content row
	IndexMode     int  // of the last success
	LinksHash     []byte
	Events        int // rows ever written to crawl_history
	Step          int // of the adaptive schedule
	Unchanged     int // results in a row on that step
}

// runStateSQL comes before the search for work: when no schedule is open now and no work is found after it, nobody is left
// who could find any. A fetcher without a heartbeat for half a minute does not count (rules.md 5, 1).
const runStateSQL = `
	SELECT /* store.Lease */ EXISTS (SELECT FROM reindexing WHERE run_id = $1 AND ended_at IS NOT NULL),
		(SELECT count(*) FROM schedule WHERE status = 's'),                     -- schedule_open
		(SELECT count(*) FROM fetcher WHERE heartbeat > now() - interval '30 seconds')`

const lateScheduleSQL = `
	SELECT /* store.Lease */ s.seq, s.attempt + 1, s.site_ids, s.url_ids,  -- schedule_open
		ARRAY(SELECT u.url_id FROM urlstate u WHERE u.url_id = ANY(s.url_ids) AND u.last_attempt >= s.schedule_time)
	FROM schedule s
	WHERE s.status = 's' AND s.deadline < now()
	ORDER BY s.seq
	LIMIT 1
	FOR UPDATE SKIP LOCKED`

const reissueSQL = `
	UPDATE /* store.Lease */ schedule
	SET run_id = $2, process_id = $3, fetcher = $4, attempt = attempt + 1, reschedule_count = reschedule_count + 1,
		schedule_time = now(), deadline = now() + $5, url_ids = $6
	WHERE seq = $1`

const newScheduleSQL = `
	INSERT /* store.Lease */ INTO schedule (run_id, process_id, fetcher, deadline, site_ids, url_ids)
	VALUES ($1, $2, $3, now() + $4, $5, $6)
	RETURNING seq`

const holdSitesSQL = `
	UPDATE /* store.Lease */ sitestate SET lease_seq = $2, leased_at = now()
	WHERE site_id = ANY($1)`

const dueDetailsSQL = `
	SELECT /* store.Lease */ w.url_id, w.site_id, w.url, w.deleted = 1, w.status, w.crc, w.etag, w.last_modified, w.last_index_time,
		w.hops, w.tag, w.origin, w.status & 65535 = 200, coalesce(s.index_mode, 3), s.links_hash,
		coalesce(s.events, 0), coalesce(s.step, 0), coalesce(s.unchanged, 0)
	FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id
	WHERE w.url_id = ANY($1)`

const haveRowsSQL = `
	SELECT /* store.Lease */ url_id FROM urlwords
	WHERE url_id = ANY($1) AND words IS NOT NULL`

// leaseLock is the advisory lock under which leases take turns.
const leaseLock = 0x70677365_6c656173 // "pgselease", shortened

// Lease gives a fetcher its next schedule: the timed-out one with the lowest number, else, while fewer are open than
// fetchers live, a new one made of the due URLs of the host whose turn it is (rules.md 5, 1 and 3, and 3.6). Without one it
// says why.
func (s *Store) Lease(ctx context.Context, r LeaseRequest) (lease *Lease, idle Idle, err error) {
	for {
		again := false
		err := s.inTx(ctx, "lease", func(tx pgx.Tx) (err error) {
			lease, idle, again, err = s.lease(ctx, tx, &r)
			return err
		})
		if err != nil {
			return nil, Idle{}, err
		}
		if !again {
			return lease, idle, nil
		}
	}
}

// lease is one attempt. again says that what it looked at had nothing after all, and the next may have.
func (s *Store) lease(ctx context.Context, tx pgx.Tx, r *LeaseRequest) (l *Lease, idle Idle, again bool, err error) {
	var ended bool
	var live int
	late := lateSchedule{lease: Lease{Run: r.Run, due: r.Due}}
	var b pgx.Batch
	b.Queue(`SELECT /* store.Lease */ pg_advisory_xact_lock($1)`, int64(leaseLock))
	b.Queue(runStateSQL, r.Run)
	b.Queue(lateScheduleSQL)
	answers := tx.SendBatch(ctx, &b)
	_, err = answers.Exec()
	if err == nil {
		err = answers.QueryRow().Scan(&ended, &idle.Open, &live)
	}
	found := false
	if err == nil {
		found, err = late.scan(answers.QueryRow())
	}
	if closed := answers.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return nil, idle, false, err
	case ended:
		idle.Over = OverEnded
		return nil, idle, false, nil
	case found:
		l, err = s.reissue(ctx, tx, r, &late)
		return l, idle, l == nil, err
	case idle.Open >= live:
		return nil, idle, false, nil
	}
	host, group, err := turn(ctx, tx, r.Hosts)
	if err != nil {
		return nil, idle, false, err
	}
	if host != "" {
		l, err = s.leaseNew(ctx, tx, r, host, group)
		return l, idle, l == nil, err
	}
	pause, closed, err := waiting(ctx, tx, r.Hosts)
	switch {
	case pause > 0:
		idle.Until = pause
	case idle.Open > 0:
	case closed:
		idle.Over = OverTime
	default:
		idle.Over = OverComplete
	}
	return nil, idle, false, err
}

// lateSchedule is a schedule that timed out.
type lateSchedule struct {
	lease          Lease
	urls, recorded []URLID
}

func (l *lateSchedule) scan(row pgx.Row) (found bool, err error) {
	err = row.Scan(&l.lease.Seq, &l.lease.Attempt, &l.lease.Sites, &l.urls, &l.recorded)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// reissue takes over a timed-out schedule. One whose URLs are all recorded is acknowledged instead and gives no lease.
func (s *Store) reissue(ctx context.Context, tx pgx.Tx, r *LeaseRequest, late *lateSchedule) (*Lease, error) {
	l, urls := &late.lease, late.urls
	done := make(map[URLID]bool, len(late.recorded))
	for _, id := range late.recorded {
		done[id] = true
	}
	left := 0
	for i, id := range urls {
		if done[id] {
			urls[i] = 0
		} else if id != 0 {
			left++
		}
	}
	if left == 0 {
		late := *l
		late.Attempt--
		return nil, s.acknowledge(ctx, tx, &late, 0)
	}
	if _, err := tx.Exec(ctx, reissueSQL, l.Seq, r.Run, r.Process, r.Fetcher, r.TimeOut, urls); err != nil {
		return nil, err
	}
	return l, s.details(ctx, tx, l, urls)
}

// leaseNew makes a schedule of a host's URLs of one group, nil when it has none within the limits.
func (s *Store) leaseNew(ctx context.Context, tx pgx.Tx, r *LeaseRequest, host string, group int) (l *Lease, err error) {
	l = &Lease{Run: r.Run, Attempt: 1, Host: host, due: r.Due}
	if l.Sites, err = collect[SiteID](ctx, tx, lockSitesSQL, l.Host); err != nil {
		return nil, err
	}
	urls, err := choose(ctx, tx, r, group, l.Sites)
	if err != nil {
		return nil, err
	}
	if len(urls) == 0 {
		_, err := tx.Exec(ctx, lessUrgentSQL, l.Sites, group, lessUrgent[group])
		return nil, err
	}
	if err := tx.QueryRow(ctx, newScheduleSQL, r.Run, r.Process, r.Fetcher, r.TimeOut, l.Sites, urls).Scan(&l.Seq); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, holdSitesSQL, l.Sites, l.Seq); err != nil {
		return nil, err
	}
	return l, s.details(ctx, tx, l, urls)
}

// details fills the lease with what the requests need. URLs that are 0 are left out; places are kept.
func (s *Store) details(ctx context.Context, tx pgx.Tx, l *Lease, urls []URLID) error {
	place := make(map[URLID]int, len(urls))
	for i, id := range urls {
		if id != 0 {
			place[id] = i
		}
	}
	found := make([]*Due, len(urls))
	rows, err := tx.Query(ctx, dueDetailsSQL, urls)
	if err != nil {
		return err
	}
	defer rows.Close()
	var gates []URLID // 406: only those with a content row may be asked conditionally
	for rows.Next() {
		var d Due
		if err := rows.Scan(&d.ID, &d.Site, &d.URL, &d.Deleted, &d.Status, &d.CRC, &d.ETag, &d.LastModified, &d.LastIndexTime,
			&d.Hops, &d.Tag, &d.Origin, &d.HasContent, &d.IndexMode, &d.LinksHash,
			&d.Events, &d.Step, &d.Unchanged); err != nil {
			return err
		}
		d.Place = place[d.ID]
		found[d.Place] = &d
		if d.Status.Base() == 406 {
			gates = append(gates, d.ID)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if gates != nil {
		have, err := collect[URLID](ctx, tx, haveRowsSQL, gates)
		if err != nil {
			return err
		}
		for _, id := range have {
			found[place[id]].HasContent = true
		}
	}
	for _, d := range found {
		if d != nil {
			l.URLs = append(l.URLs, *d)
		}
	}
	if l.Host == "" {
		return tx.QueryRow(ctx, `SELECT /* store.Lease */ host FROM sitestate WHERE site_id = $1`, l.Sites[0]).Scan(&l.Host)
	}
	return nil
}

const acknowledgeSQL = `
	UPDATE /* store.Acknowledge */ schedule SET status = 'a'
	WHERE seq = $1 AND attempt = $2 AND status = 's'`

const lockHeldSitesSQL = `
	SELECT /* store.Acknowledge */ site_id FROM sitestate
	WHERE site_id = ANY($1) AND lease_seq = $2
	ORDER BY site_id
	FOR UPDATE`

// freeSitesSQL comes after the lock in a statement of its own: only then does it see what was registered while the lock
// was waited for (see WakeSites).
const freeSitesSQL = `
	WITH ` + siteDueSQL + `
	UPDATE /* store.Acknowledge */ sitestate t
	SET lease_seq = 0, next_due = due.time, next_class = due.class,
		ready_at = CASE WHEN $4::interval > '0' THEN now() + $4 ELSE t.ready_at END
	FROM due WHERE t.site_id = due.site_id`

// Acknowledge says that all results of a schedule are recorded, and frees its sites, whose host is not asked before the
// pause is over. It returns ErrScheduleLost, having changed nothing, when the schedule is no longer the caller's.
func (s *Store) Acknowledge(ctx context.Context, l *Lease, pause time.Duration) error {
	return s.inTx(ctx, "acknowledge", func(tx pgx.Tx) error {
		return s.acknowledge(ctx, tx, l, pause)
	})
}

func (s *Store) acknowledge(ctx context.Context, tx pgx.Tx, l *Lease, pause time.Duration) error {
	done, err := tx.Exec(ctx, acknowledgeSQL, l.Seq, l.Attempt)
	if err != nil {
		return err
	}
	if done.RowsAffected() == 0 {
		return ErrScheduleLost
	}
	held, err := collect[SiteID](ctx, tx, lockHeldSitesSQL, l.Sites, l.Seq)
	if err != nil || len(held) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, freeSitesSQL, held, neverDue, l.due, pause)
	return err
}

// collect runs a query of one column.
func collect[T any](ctx context.Context, tx pgx.Tx, query string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}
