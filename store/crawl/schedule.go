package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
)

// querier can query one row: a transaction or a connection.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// LeaseRequest describes the work that a fetcher asks for.
type LeaseRequest struct {
	Run       store.RunID
	Process   store.ProcessID
	Fetcher   string        // name in table fetcher; it has no other lease
	Batch     int           // URLs at most
	TimeOut   time.Duration // until the lease may be taken away
	Due       int64         // URLs with at most this next_index_time are the run's work
	HopsFirst bool          // -o
	Limits    Limits
	Hosts     Hosts // that may be asked now
	PerSite   RunLimit
}

// Lease is a schedule that a fetcher holds: URLs of one host that nobody else fetches until the deadline.
type Lease struct {
	Seq     int64
	Attempt int
	Run     store.RunID
	Host    string
	Sites   []store.SiteID
	Pace    Pace  // of the host
	URLs    []Due // in the order of the batch, without those that an earlier holder recorded

	due int64 // the run's threshold

	// Asked are URLs of the schedule that were requested, and count for the limit of a run (RunLimit).
	Asked []store.URLID
}

// Idle says why there is no lease.
type Idle struct {
	Over  string        // end of the run, one of the Over constants; "" = it continues
	Open  int           // open schedules, of all processes
	Until time.Duration // until the pause of a host is over, 0 = unknown
}

// Ends of a run as a lease finds them.
const (
	OverComplete = "complete"
	OverTime     = "time"   // what is left may not be fetched at this time of day
	OverPaused   = "paused" // what is left is on hosts that asked for a pause longer than LongestWait
	OverLimit    = "limit"  // what is left is of sites of which the run may request no more (RunLimit)
	OverEnded    = "ended"  // by another process
)

// Due is a URL to be fetched, with the stored state that the request needs.
type Due struct {
	ID            store.URLID
	Place         int // in the batch, from 0
	Site          store.SiteID
	URL           string
	Deleted       bool // withdrawn by a rule, which is tested again
	Status        store.Status
	CRC           string
	ETag          string
	LastModified  string
	LastIndexTime int64
	Hops          int
	Start         bool // a start URL of this run
	Tag           int
	Origin        store.URLID
	HasContent    bool        // conditions may be sent: 200, or 406 with a content row
	IndexMode     int         // of the last success
	Unavailable   int64       // when the document is treated like one with noindex, epoch seconds; 0 = never
	Canonical     store.URLID // that the stored version names: 0 = none or itself, -1 = one that is not followed
	LinksHash     []byte
	Events        int  // rows ever written to crawl_history
	Attempts      int  // visits ever recorded
	Step          int  // of the adaptive schedule
	Unchanged     int  // results in a row on that step
	Reconvert     bool // another converter made its stored content
}

// runStateSQL runs before the search for work: when it finds no open schedule and the search finds no work,
// no process is left that could register any. A fetcher without a heartbeat for half a minute does not count.
const runStateSQL = `
	SELECT /* store.Lease */ EXISTS (SELECT 1 FROM reindexing WHERE run_id = $1 AND ended_at IS NOT NULL),
		(SELECT count(*) FROM schedule WHERE status = 's'),                     -- schedule_open
		(SELECT count(*) FROM fetcher WHERE heartbeat > now() - interval '30 seconds')`

// lateScheduleSQL finds the timed-out schedule with the lowest number, or one of the asking fetcher itself.
// That fetcher works on none, so the answer to an earlier request of it was lost with the connection (P6).
const lateScheduleSQL = `
	SELECT /* store.Lease */ s.seq, s.attempt + 1, s.site_ids, s.url_ids,  -- schedule_open
		ARRAY(SELECT u.url_id FROM urlstate u WHERE u.url_id = ANY(s.url_ids) AND u.last_attempt >= s.schedule_time),
		s.run_id = $3
	FROM schedule s
	WHERE s.status = 's' AND (s.deadline < now() OR s.process_id = $1 AND s.fetcher = $2)
	ORDER BY s.seq
	LIMIT 1
	FOR UPDATE SKIP LOCKED`

const reissueSQL = `
	UPDATE /* store.Lease */ schedule
	SET run_id = $2, process_id = $3, fetcher = $4, attempt = attempt + 1, reschedule_count = reschedule_count + 1,
		schedule_time = now(), deadline = now() + $5, url_ids = $6
	WHERE seq = $1`

// newScheduleSQL inserts a schedule and holds its sites for it.
const newScheduleSQL = `
	WITH made AS (
		INSERT /* store.Lease */ INTO schedule (run_id, process_id, fetcher, deadline, site_ids, url_ids)
		VALUES ($1, $2, $3, now() + $4, $5, $6)
		RETURNING seq
	), held AS (
		UPDATE sitestate s SET lease_seq = made.seq, leased_at = now() FROM made WHERE s.site_id = ANY($5)
	)
	SELECT seq FROM made`

// dueDetailsSQL reads the state that the requests need. A 406 may be requested conditionally only when it has
// a content row.
const dueDetailsSQL = `
	SELECT /* store.Lease */ w.url_id, w.site_id, w.url, w.deleted = 1, w.status, w.crc, w.etag, w.last_modified, w.last_index_time,
		w.hops, w.next_index_time = 0, w.tag, w.origin,
		w.status & 65535 = 200 OR w.status & 65535 = 406 AND EXISTS (SELECT 1 FROM urlwords c WHERE c.url_id = w.url_id AND c.words IS NOT NULL),
		coalesce(s.index_mode, 3), s.links_hash, coalesce(s.events, 0), coalesce(s.attempts, 0), coalesce(s.step, 0), coalesce(s.unchanged, 0),
		coalesce(extract(epoch FROM s.unavailable_after)::bigint, 0), coalesce(s.canonical, 0), coalesce(s.converter = '', false)
	FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id
	WHERE w.url_id = ANY($1)`

// scanDue reads a row of dueDetailsSQL.
func scanDue(row interface{ Scan(...any) error }) (d Due, err error) {
	err = row.Scan(&d.ID, &d.Site, &d.URL, &d.Deleted, &d.Status, &d.CRC, &d.ETag, &d.LastModified, &d.LastIndexTime,
		&d.Hops, &d.Start, &d.Tag, &d.Origin, &d.HasContent, &d.IndexMode, &d.LinksHash, &d.Events, &d.Attempts, &d.Step, &d.Unchanged,
		&d.Unavailable, &d.Canonical, &d.Reconvert)
	return d, err
}

const hostOfSQL = `
	SELECT /* store.Lease */ s.host, coalesce(l.delay_ms, 0), coalesce(l.refusals, 0)
	FROM sitestate s LEFT JOIN host_limit l ON l.host = s.host
	WHERE s.site_id = $1`

// Lease returns the next schedule of a fetcher: the timed-out one with the lowest number; otherwise, while
// fewer schedules are open than fetchers live, a new one of due URLs of the host whose turn it is. Without a
// lease it returns the reason.
func (s *Store) Lease(ctx context.Context, r LeaseRequest) (lease *Lease, idle Idle, err error) {
	for {
		again := false
		err := s.OnConn(ctx, "lease", func(conn *pgxpool.Conn) (err error) {
			t := leasing{ctx: ctx, conn: conn, r: &r}
			if again, err = t.lease(); err == nil && conn.Conn().PgConn().TxStatus() != 'I' {
				_, err = conn.Exec(ctx, "COMMIT")
			}
			lease, idle = t.given, t.idle
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

// leasing is the transaction of a lease: three round trips when there is work.
type leasing struct {
	ctx  context.Context
	conn *pgxpool.Conn
	r    *LeaseRequest

	given *Lease // nil when there is none
	idle  Idle   // why
}

// lease is one attempt. again says that the host or schedule that it looked at had no work, and the next one
// may have.
func (t *leasing) lease() (again bool, err error) {
	var b pgx.Batch
	b.Queue("BEGIN")
	b.Queue(`SELECT /* store.Lease */ pg_advisory_xact_lock($1)`, int64(store.LeaseLock))
	var ended bool
	var live int
	b.Queue(runStateSQL, t.r.Run).QueryRow(func(row pgx.Row) error { return row.Scan(&ended, &t.idle.Open, &live) })
	late := Lease{Run: t.r.Run, due: t.r.Due}
	var urls, recorded []store.URLID
	var same bool // it is of this run
	b.Queue(lateScheduleSQL, t.r.Process, t.r.Fetcher, t.r.Run).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&late.Seq, &late.Attempt, &late.Sites, &urls, &recorded, &same}, func() error { return nil })
		return err
	})
	var host string // of files it is empty
	var group int
	picked := false
	b.Queue(pickHostSQL, t.r.Hosts.Only, t.r.Hosts.except(), t.r.Run, t.r.PerSite.Outside).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&host, &group}, func() error { picked = true; return nil })
		return err
	})
	if err := t.conn.SendBatch(t.ctx, &b).Close(); err != nil {
		return false, err
	}
	switch {
	case ended:
		t.idle.Over = OverEnded
		return false, nil
	case late.Seq != 0:
		if same && t.r.PerSite.Counts {
			late.Asked = recorded
		}
		return t.reissue(&late, urls, recorded)
	case t.idle.Open >= live:
		return false, nil
	case picked:
		return t.issue(host, group)
	}
	w, err := waiting(t.ctx, t.conn, t.r)
	switch {
	case err != nil:
	case w.pause > 0:
		t.idle.Until = w.pause
	case t.idle.Open > 0:
	case w.closed:
		t.idle.Over = OverTime
	case w.paused:
		t.idle.Over = OverPaused
	default:
		if again, err = t.overlooked(); again {
			break
		}
		if t.idle.Over = OverComplete; w.full {
			t.idle.Over = OverLimit
		}
	}
	return again, err
}

// overlooked asks urlword itself for work when no site has any and no schedule is open: a process that
// registered or reached a URL may have died before it could wake the site. It wakes the sites that it finds.
func (t *leasing) overlooked() (bool, error) {
	rows, err := t.conn.Query(t.ctx, overlookedSQL, t.r.Limits.with(t.r.Due, t.r.Run, t.r.PerSite.Outside)...)
	if err != nil {
		return false, err
	}
	sites, err := pgx.CollectRows(rows, pgx.RowTo[store.SiteID])
	if err != nil || len(sites) == 0 {
		return false, err
	}
	var b pgx.Batch
	b.Queue(lockWokenSQL, sites)
	b.Queue(lookAgainSQL, sites, neverDue, t.r.Due)
	return true, t.conn.SendBatch(t.ctx, &b).Close()
}

// reissue takes over a timed-out schedule. When all its URLs are recorded, it acknowledges the schedule
// instead.
func (t *leasing) reissue(l *Lease, urls, recorded []store.URLID) (again bool, err error) {
	done := make(map[store.URLID]bool, len(recorded))
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
	var b pgx.Batch
	if left == 0 {
		late := *l
		late.Attempt--
		late.free(&b, 0)
		return true, t.conn.SendBatch(t.ctx, &b).Close()
	}
	b.Queue(reissueSQL, l.Seq, t.r.Run, t.r.Process, t.r.Fetcher, t.r.TimeOut, urls)
	var ms int64
	b.Queue(hostOfSQL, l.Sites[0]).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&l.Host, &ms, &l.Pace.Refusals)
		l.Pace.Delay = time.Duration(ms) * time.Millisecond
		return err
	})
	return false, t.take(&b, l, urls)
}

// issue makes a schedule of a host's URLs of one group, if there are any within the limits.
func (t *leasing) issue(host string, group int) (again bool, err error) {
	l := &Lease{Run: t.r.Run, Attempt: 1, Host: host, due: t.r.Due}
	var urls []store.URLID
	var b pgx.Batch
	left := make(map[store.SiteID]int) // of the sites that have a limit
	b.Queue(lockSitesSQL, host, t.r.Run, t.r.PerSite.Outside).Query(func(rows pgx.Rows) error {
		var site store.SiteID
		var limit *int
		var ms int64
		_, err := pgx.ForEachRow(rows, []any{&site, &limit, &ms, &l.Pace.Refusals}, func() error {
			l.Sites, l.Pace.Delay = append(l.Sites, site), time.Duration(ms)*time.Millisecond
			if limit != nil {
				left[site] = *limit
			}
			return nil
		})
		return err
	})
	b.Queue(choiceSQL(t.r, group), choice(t.r, host, group)...).Query(func(rows pgx.Rows) error {
		var url store.URLID
		var site store.SiteID
		_, err := pgx.ForEachRow(rows, []any{&url, &site}, func() error {
			n, limited := left[site]
			if limited && n <= 0 {
				return nil
			}
			if limited {
				left[site] = n - 1
			}
			urls = append(urls, url)
			return nil
		})
		return err
	})
	if err := t.conn.SendBatch(t.ctx, &b).Close(); err != nil {
		return false, err
	}
	if len(urls) == 0 {
		_, err := t.conn.Exec(t.ctx, lessUrgentSQL, l.Sites, group, lessUrgent[group])
		return true, err
	}
	var last pgx.Batch
	last.Queue(newScheduleSQL, t.r.Run, t.r.Process, t.r.Fetcher, t.r.TimeOut, l.Sites, urls).
		QueryRow(func(row pgx.Row) error { return row.Scan(&l.Seq) })
	return false, t.take(&last, l, urls)
}

// take ends the transaction and fills the lease with the state that the requests need. URLs that are 0 are
// left out; places are kept.
func (t *leasing) take(b *pgx.Batch, l *Lease, urls []store.URLID) error {
	place := make(map[store.URLID]int, len(urls))
	for i, id := range urls {
		if id != 0 {
			place[id] = i
		}
	}
	found := make([]*Due, len(urls))
	b.Queue(dueDetailsSQL, urls).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			d, err := scanDue(rows)
			if err != nil {
				return err
			}
			d.Place = place[d.ID]
			found[d.Place] = &d
		}
		return rows.Err()
	})
	b.Queue("COMMIT")
	if err := t.conn.SendBatch(t.ctx, b).Close(); err != nil {
		return err
	}
	for _, d := range found {
		if d != nil {
			l.URLs = append(l.URLs, *d)
		}
	}
	t.given = l
	return nil
}

// laterOnDisk, selected by a statement, lets the commit of its transaction return before it is on disk. It is
// for changes whose loss in a power failure an open schedule repairs: documents, because the next holder gets
// those that are missing, and the acknowledgement, because the next holder makes it again when it finds all
// recorded. The commit of the next lease flushes everything. Leases, registrations of URLs and the merge wait
// for the disk.
const laterOnDisk = `set_config('synchronous_commit', 'off', true)`

const acknowledgeSQL = `
	UPDATE /* store.Acknowledge */ schedule SET status = 'a'
	WHERE seq = $1 AND attempt = $2 AND status = 's'`

const lockHeldSitesSQL = `
	SELECT /* store.Acknowledge */ site_id, ` + laterOnDisk + ` FROM sitestate
	WHERE site_id = ANY($1) AND lease_seq = $2
	ORDER BY site_id
	FOR UPDATE`

// freeSitesSQL is a statement of its own after the lock, so that it sees the URLs that were registered while
// the lock was awaited (see WakeSites). It frees nothing unless the acknowledgement before it was the
// holder's.
const freeSitesSQL = `
	WITH ` + siteDueSQL + `
	UPDATE /* store.Acknowledge */ sitestate t
	SET lease_seq = 0, next_due = due.time, next_class = due.class,
		ready_at = CASE WHEN $4::interval > '0' THEN now() + $4 ELSE t.ready_at END,
		counted = CASE WHEN $7::integer[] = '{}' THEN t.counted
			ELSE CASE WHEN t.counted_run = $8 THEN t.counted ELSE 0 END + (SELECT count(*) FROM urlword w WHERE w.url_id = ANY($7) AND w.site_id = t.site_id) END,
		counted_run = CASE WHEN $7 = '{}' THEN t.counted_run ELSE $8 END
	FROM due WHERE t.site_id = due.site_id AND t.lease_seq = $5
		AND EXISTS (SELECT 1 FROM schedule WHERE seq = $5 AND attempt = $6 AND status = 'a')`

// free queues the acknowledgement, which frees the sites.
func (l *Lease) free(b *pgx.Batch, pause time.Duration) *pgx.QueuedQuery {
	done := b.Queue(acknowledgeSQL, l.Seq, l.Attempt)
	b.Queue(lockHeldSitesSQL, l.Sites, l.Seq)
	b.Queue(freeSitesSQL, l.Sites, neverDue, l.due, pause, l.Seq, l.Attempt, store.NotNil(l.Asked), l.Run)
	return done
}

// Acknowledge records that all results of a schedule are recorded, and frees its sites. No request goes to
// their host before the pause is over. It returns ErrScheduleLost, and has changed nothing, when the schedule
// is no longer the caller's.
func (s *Store) Acknowledge(ctx context.Context, l *Lease, pause time.Duration) error {
	return s.OnConn(ctx, "acknowledge", func(conn *pgxpool.Conn) error {
		var b pgx.Batch
		b.Queue("BEGIN")
		var lost error
		l.free(&b, pause).Exec(func(done pgconn.CommandTag) error {
			if done.RowsAffected() == 0 {
				lost = store.ErrScheduleLost
			}
			return nil
		})
		b.Queue("COMMIT")
		if err := conn.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		return lost
	})
}
