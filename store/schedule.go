package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// Limits narrow a run to some URLs (-s, -t, -u): kinds are and-ed, values of a kind or-ed. Nil means any.
type Limits struct {
	Statuses []int32  // extended status, of the last good answer or of the loss
	Tags     []int32  // urlword.tag
	URLs     []string // LIKE patterns of the URL
}

// Any reports whether the limits let everything pass.
func (l Limits) Any() bool { return l.Statuses == nil && l.Tags == nil && l.URLs == nil }

// limitsSQL is the condition of Limits, on a row of urlword named w and the parameters $1 to $3.
const limitsSQL = `
	($1::integer[] IS NULL OR (w.status & 65535) = ANY($1) AND w.status < 65536 OR (w.status >> 16 & 2047) = ANY($1) AND w.status >= 65536)
	AND ($2::integer[] IS NULL OR w.tag = ANY($2))
	AND ($3::text[] IS NULL OR w.url LIKE ANY($3))`

// LeaseRequest asks for work.
type LeaseRequest struct {
	Run       RunID
	Fetcher   string        // name in table fetcher
	Batch     int           // URLs at most
	TimeOut   time.Duration // until the lease may be taken away
	Start     int64         // of the run, epoch seconds: what is due by then is the run's work
	HopsFirst bool          // -o
	Limits    Limits
}

// Lease is a schedule in the hands of a fetcher: URLs of one host that nobody else touches until the deadline.
type Lease struct {
	Seq     int64
	Attempt int
	Run     RunID
	Host    string
	Sites   []SiteID
	URLs    []Due // in the order of the batch; what an earlier holder recorded is left out
}

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
	SET run_id = $2, fetcher = $3, attempt = attempt + 1, reschedule_count = reschedule_count + 1,
		schedule_time = now(), deadline = now() + $4, url_ids = $5
	WHERE seq = $1`

// pickHostSQL: an advisory lock makes leases take turns, so two of them never look at the same host.
const pickHostSQL = `
	SELECT /* store.Lease */ s.host                        -- sitestate_due
	FROM sitestate s
	WHERE s.lease_seq = 0 AND s.next_due <= $1
		AND NOT EXISTS (SELECT FROM sitestate o WHERE o.host = s.host AND o.lease_seq <> 0)
	ORDER BY s.leased_at, s.site_id
	LIMIT 1`

const lockSitesSQL = `
	SELECT /* store.Lease */ site_id FROM sitestate        -- sitestate_host
	WHERE host = $1 AND next_due <= $2
	ORDER BY site_id
	FOR UPDATE`

// dueURLsSQL takes the due URLs of some sites by class (rules.md 3.6): start URLs (their time is 0), then those never
// fetched, then the rest, last those that a rule took out (the rule is looked at again); inside a class by time. Each site is read in the order of its index and no further than the batch.
const dueURLsSQL = `
	SELECT /* store.Lease */ u.url_id
	FROM unnest($4::integer[]) s (site_id) CROSS JOIN LATERAL (
		(SELECT w.url_id, w.next_index_time, 1 AS class FROM urlword w     -- urlword_new
		WHERE w.site_id = s.site_id AND w.deleted = 0 AND w.status = 0 AND w.next_index_time <= $5 AND ` + limitsSQL + `
		ORDER BY w.next_index_time, w.url_id LIMIT $6)
		UNION ALL
		(SELECT w.url_id, w.next_index_time, 2 FROM urlword w              -- urlword_due
		WHERE w.site_id = s.site_id AND w.deleted = 0 AND w.status <> 0 AND w.next_index_time <= $5 AND ` + limitsSQL + `
		ORDER BY w.next_index_time, w.url_id LIMIT $6)
		UNION ALL
		(SELECT w.url_id, w.next_index_time, 3 FROM urlword w              -- urlword_withdrawn
		WHERE w.site_id = s.site_id AND w.deleted = 1 AND w.next_index_time <= $5 AND ` + limitsSQL + `
		ORDER BY w.next_index_time, w.url_id LIMIT $6)
	) u
	ORDER BY CASE WHEN u.next_index_time = 0 THEN 0 ELSE u.class END, u.next_index_time, u.url_id
	LIMIT $6`

// dueByHopsSQL is the same for -o: shallow URLs first, whatever their class.
const dueByHopsSQL = `
	SELECT /* store.Lease */ w.url_id
	FROM urlword w
	WHERE w.site_id = ANY($4::integer[]) AND w.next_index_time <= $5 AND ` + limitsSQL + `
	ORDER BY w.hops, w.next_index_time, w.url_id
	LIMIT $6`

const newScheduleSQL = `
	INSERT /* store.Lease */ INTO schedule (run_id, fetcher, deadline, site_ids, url_ids)
	VALUES ($1, $2, now() + $3, $4, $5)
	RETURNING seq`

const holdSitesSQL = `
	UPDATE /* store.Lease */ sitestate SET lease_seq = $2, leased_at = now()
	WHERE site_id = ANY($1)`

const idleSitesSQL = `
	UPDATE /* store.Lease */ sitestate SET next_due = $2
	WHERE site_id = ANY($1) AND lease_seq = 0`

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

// Lease gives a fetcher its next schedule: the timed-out one with the lowest number, else a new one made of the due
// URLs of the host that waited longest (rules.md 5, 3 and 3.6). It returns nil when there is nothing to do now.
func (s *Store) Lease(ctx context.Context, r LeaseRequest) (*Lease, error) {
	var lease *Lease
	for {
		again := false
		err := s.inTx(ctx, "lease", func(tx pgx.Tx) (err error) {
			lease, again = nil, false
			if _, err := tx.Exec(ctx, `SELECT /* store.Lease */ pg_advisory_xact_lock($1)`, int64(leaseLock)); err != nil {
				return err
			}
			if lease, err = s.reissue(ctx, tx, r); err != nil || lease != nil {
				again = lease != nil && len(lease.URLs) == 0
				return err
			}
			lease, again, err = s.leaseNew(ctx, tx, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		if !again {
			return lease, nil
		}
	}
}

// reissue takes over the timed-out schedule with the lowest number. One whose URLs are all recorded is acknowledged
// instead and comes back without URLs.
func (s *Store) reissue(ctx context.Context, tx pgx.Tx, r LeaseRequest) (*Lease, error) {
	l := &Lease{Run: r.Run}
	var urls, recorded []URLID
	err := tx.QueryRow(ctx, lateScheduleSQL).Scan(&l.Seq, &l.Attempt, &l.Sites, &urls, &recorded)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	done := make(map[URLID]bool, len(recorded))
	for _, id := range recorded {
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
		return l, s.acknowledge(ctx, tx, l.Seq, l.Attempt-1, l.Sites)
	}
	if _, err := tx.Exec(ctx, reissueSQL, l.Seq, r.Run, r.Fetcher, r.TimeOut, urls); err != nil {
		return nil, err
	}
	return l, s.details(ctx, tx, l, urls)
}

// leaseNew makes a schedule. again says that the host it looked at had nothing after all and another may have.
func (s *Store) leaseNew(ctx context.Context, tx pgx.Tx, r LeaseRequest) (l *Lease, again bool, err error) {
	l = &Lease{Run: r.Run, Attempt: 1}
	err = tx.QueryRow(ctx, pickHostSQL, r.Start).Scan(&l.Host)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if l.Sites, err = collect[SiteID](ctx, tx, lockSitesSQL, l.Host, r.Start); err != nil {
		return nil, false, err
	}
	query := dueURLsSQL
	if r.HopsFirst {
		query = dueByHopsSQL
	}
	urls, err := collect[URLID](ctx, tx, query, r.Limits.Statuses, r.Limits.Tags, r.Limits.URLs, l.Sites, r.Start, r.Batch)
	if err != nil {
		return nil, false, err
	}
	if len(urls) == 0 {
		_, err := tx.Exec(ctx, idleSitesSQL, l.Sites, neverDue)
		return nil, true, err
	}
	if err := tx.QueryRow(ctx, newScheduleSQL, r.Run, r.Fetcher, r.TimeOut, l.Sites, urls).Scan(&l.Seq); err != nil {
		return nil, false, err
	}
	if _, err := tx.Exec(ctx, holdSitesSQL, l.Sites, l.Seq); err != nil {
		return nil, false, err
	}
	return l, false, s.details(ctx, tx, l, urls)
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
	WITH due AS MATERIALIZED (
		SELECT s.site_id, LEAST(
			(SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND w.deleted = 0 AND w.status = 0),
			(SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND w.deleted = 0 AND w.status <> 0),
			(SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND w.deleted = 1)) AS time
		FROM unnest($1::integer[]) s (site_id)
	)
	UPDATE /* store.Acknowledge */ sitestate t
	SET lease_seq = 0, next_due = coalesce(due.time, $2)
	FROM due WHERE t.site_id = due.site_id`

// Acknowledge says that all results of a schedule are recorded, and frees its sites. It returns ErrScheduleLost, having
// changed nothing, when the schedule is no longer the caller's.
func (s *Store) Acknowledge(ctx context.Context, l *Lease) error {
	return s.inTx(ctx, "acknowledge", func(tx pgx.Tx) error {
		return s.acknowledge(ctx, tx, l.Seq, l.Attempt, l.Sites)
	})
}

func (s *Store) acknowledge(ctx context.Context, tx pgx.Tx, seq int64, attempt int, sites []SiteID) error {
	done, err := tx.Exec(ctx, acknowledgeSQL, seq, attempt)
	if err != nil {
		return err
	}
	if done.RowsAffected() == 0 {
		return ErrScheduleLost
	}
	held, err := collect[SiteID](ctx, tx, lockHeldSitesSQL, sites, seq)
	if err != nil || len(held) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, freeSitesSQL, held, neverDue)
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
