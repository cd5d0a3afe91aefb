package crawl

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// lateSchedule is an open schedule whose holder is gone, or has not received it.
type lateSchedule struct {
	lease    Lease // to be issued
	urls     []store.URLID
	since    time.Time // when it was issued last
	lost     string    // fetcher that asks and holds it already
	same     bool      // it is of this run
	recorded []store.URLID
	locked   int // sites
}

// lateSchedulesSQL finds the timed-out schedules with the lowest numbers, and those of the asking fetchers themselves.
// Such a fetcher works on none, so the answer to an earlier request of it was lost with the connection (P6).
const lateSchedulesSQL = `
	SELECT /* store.Lease */ s.seq, s.attempt + 1, s.site_ids, s.url_ids, s.schedule_time,  -- schedule_open
		CASE WHEN s.process_id = $1 AND s.fetcher = ANY($2) THEN s.fetcher ELSE '' END, s.run_id = $3
	FROM schedule s
	WHERE s.status = 's' AND (s.deadline < now() OR s.process_id = $1 AND s.fetcher = ANY($2))
	ORDER BY s.seq
	LIMIT $4
	FOR UPDATE SKIP LOCKED`

func (t *leasing) lookForLate(b *pgx.Batch, n int) {
	b.Queue(lateSchedulesSQL, t.r.Process, t.r.Fetchers, t.r.Run, n).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			l := &lateSchedule{lease: Lease{Run: t.r.Run, due: t.r.Due}}
			if err := rows.Scan(&l.lease.Seq, &l.lease.Attempt, &l.lease.Sites, &l.urls, &l.since, &l.lost, &l.same); err != nil {
				return err
			}
			t.late = append(t.late, l)
		}
		return rows.Err()
	})
}

const lateAttemptsSQL = `
	SELECT /* store.Lease */ url_id, last_attempt, attempts = 1 FROM urlstate WHERE url_id = ANY($1) AND last_attempt >= $2`

const lateHostsSQL = `
	SELECT /* store.Lease */ s.site_id, s.host, coalesce(l.delay_ms, 0), coalesce(l.refusals, 0)
	FROM sitestate s LEFT JOIN host_limit l ON l.host = s.host
	WHERE s.site_id = ANY($1)`

const lockLateSitesSQL = `
	SELECT /* store.Lease */ site_id FROM sitestate
	WHERE site_id = ANY($1)
	ORDER BY site_id
	FOR UPDATE SKIP LOCKED`

// readLate reads which URLs of the late schedules are recorded.
func (t *leasing) readLate(b *pgx.Batch) {
	if len(t.late) == 0 {
		return
	}
	var urls []store.URLID
	var sites []store.SiteID
	since := t.late[0].since
	for _, l := range t.late {
		urls, sites = append(urls, l.urls...), append(sites, l.lease.Sites...)
		if l.since.Before(since) {
			since = l.since
		}
	}
	b.Queue(lateAttemptsSQL, urls, since).Query(func(rows pgx.Rows) error {
		var url store.URLID
		var last time.Time
		var first bool
		_, err := pgx.ForEachRow(rows, []any{&url, &last, &first}, func() error {
			for _, l := range t.late {
				if !last.Before(l.since) && slices.Contains(l.urls, url) {
					l.recorded = append(l.recorded, url)
					if first && t.room != nil {
						l.lease.fresh = append(l.lease.fresh, url)
					}
				}
			}
			return nil
		})
		return err
	})
	b.Queue(lateHostsSQL, sites).Query(func(rows pgx.Rows) error {
		var site store.SiteID
		var host string
		var ms int64
		var refusals int
		_, err := pgx.ForEachRow(rows, []any{&site, &host, &ms, &refusals}, func() error {
			for _, l := range t.late {
				if l.lease.Sites[0] == site {
					l.lease.Host, l.lease.Pace = host, Pace{Delay: time.Duration(ms) * time.Millisecond, Refusals: refusals}
				}
			}
			return nil
		})
		return err
	})
	b.Queue(lockLateSitesSQL, sites).Query(func(rows pgx.Rows) error {
		var site store.SiteID
		_, err := pgx.ForEachRow(rows, []any{&site}, func() error {
			for _, l := range t.late {
				if slices.Contains(l.lease.Sites, site) {
					l.locked++
				}
			}
			return nil
		})
		return err
	})
}

const reissueSQL = `
	UPDATE /* store.Lease */ schedule
	SET run_id = $2, process_id = $3, fetcher = $4, attempt = attempt + 1, reschedule_count = reschedule_count + 1,
		schedule_time = now(), deadline = now() + $5, url_ids = $6
	WHERE seq = $1`

// late takes over the late schedules. One whose URLs are all recorded is acknowledged instead.
func (w *leaseWriter) late() {
	t := w.t
	for _, l := range t.late { // a fetcher gets what it has lost, if it can be one lease only
		if i := slices.Index(w.free, l.lost); i >= 0 {
			l.lease.Fetcher, w.free = l.lost, slices.Delete(w.free, i, i+1)
		}
	}
	var done []Finished
	for _, l := range t.late {
		left := 0
		for i, id := range l.urls {
			if slices.Contains(l.recorded, id) {
				l.urls[i] = 0
			} else if id != 0 {
				left++
			}
		}
		switch {
		case left == 0 && l.locked == len(l.lease.Sites):
			finished := l.lease
			finished.Attempt--
			done = append(done, Finished{Lease: &finished})
			t.again = true
		case left == 0: // next time
			t.waiting.ready = true
		default:
			if l.lease.Fetcher == "" {
				l.lease.Fetcher = w.take()
			}
			if l.same && t.r.PerSite.Counts {
				l.lease.Asked = l.recorded
			}
			w.batch.Queue(reissueSQL, l.lease.Seq, t.r.Run, t.r.Process, l.lease.Fetcher, t.r.TimeOut, l.urls)
			w.give(&l.lease, l.urls)
		}
	}
	if len(done) > 0 {
		acknowledge(w.batch, done)
		freeSites(w.batch, done)
	}
}
