package crawl

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
)

// A lease is one transaction of three round trips: it looks for late schedules and for hosts, it chooses URLs, and it writes the
// schedules.
//
// Leases run side by side. Each holds LeaseLock, shared. It locks the rows of sitestate that it needs, and passes over hosts and
// schedules of which another transaction has locked a row (SKIP LOCKED). So a lease waits for no row, and no transaction that waits for
// a lease can be one that the lease waits for.
//
// The lock of a host is the row of its lowest site. A lease that has it locks all sites of the host and reads them again, in a statement
// of its own: it sees what the leases before it committed. A site that was registered just now may be lower, and the lock of another
// lease; then each of the two finds a row that the other has locked, and leaves the host alone.
//
// Whether the run is over is decided with LeaseLock held exclusively, by a second transaction. Then no lease is under way: a schedule is
// committed, or it does not exist. That transaction waits for rows, in the order of site_id, because it may not miss a host.

const shareLeasesSQL = `SELECT /* store.Lease */ pg_advisory_xact_lock_shared($1)`

const lockLeasesSQL = `SELECT /* store.Lease */ pg_advisory_xact_lock($1)`

// runStateSQL runs before the search for work: when it finds no open schedule and the search finds no work,
// no process is left that could register any. A fetcher without a heartbeat for half a minute does not count.
// It returns how many new schedules there may be. No more fetchers are counted than matters.
const runStateSQL = `
	SELECT /* store.Lease */ EXISTS (SELECT 1 FROM reindexing WHERE run_id = $1 AND ended_at IS NOT NULL), o.open,
		(SELECT count(*) FROM (SELECT 1 FROM fetcher WHERE heartbeat > now() - interval '30 seconds' LIMIT o.open + $2::integer) f) - o.open
	FROM (SELECT count(*) AS open FROM schedule WHERE status = 's') o          -- schedule_open`

// Lease gives a schedule to each of some fetchers, as far as there are any: the timed-out ones with the
// lowest numbers first; then, while fewer schedules are open than fetchers live, new ones of due URLs of the
// hosts whose turn it is, one of each host. When not all fetchers get one it returns the reason.
func (s *Store) Lease(ctx context.Context, r LeaseRequest) (leases []*Lease, idle Idle, err error) {
	r.Fetchers = slices.Clone(r.Fetchers)
	for alone := false; ; {
		var t leasing
		err := s.OnConn(ctx, "lease", func(conn *pgxpool.Conn) error {
			t = leasing{ctx: ctx, conn: conn, r: &r, alone: alone}
			return t.lease()
		})
		if err != nil {
			return nil, Idle{}, err
		}
		leases = append(leases, t.given...)
		r.Fetchers = slices.DeleteFunc(r.Fetchers, func(name string) bool {
			return slices.ContainsFunc(t.given, func(l *Lease) bool { return l.Fetcher == name })
		})
		switch {
		case len(r.Fetchers) == 0:
			return leases, Idle{}, nil
		case t.again:
			alone = false
		case t.mayBeOver:
			alone = true
		default:
			return leases, t.idle, nil
		}
	}
}

// leasing is the transaction of a lease.
type leasing struct {
	ctx   context.Context
	conn  *pgxpool.Conn
	r     *LeaseRequest
	alone bool // no other lease is under way

	late    []*lateSchedule
	turns   []*turn // of hosts
	wanted  int     // new schedules
	waiting waitingHosts
	room    *int // for documents that are new; nil = any number

	given     []*Lease
	idle      Idle
	again     bool // a host or schedule that it looked at had no work, and the next one may have
	mayBeOver bool // nothing is left as far as one of several leases can know
}

// lease is one attempt.
func (t *leasing) lease() error {
	ended, err := t.look()
	if err != nil {
		return err
	}
	if ended {
		t.idle.Over = OverEnded
		return t.end("ROLLBACK")
	}
	if err := t.choose(); err != nil {
		return err
	}
	wrote, err := t.write()
	if err != nil || wrote {
		return err
	}
	if t.wanted > 0 && !t.again {
		if err := t.nothing(); err != nil {
			return err
		}
	}
	return t.end("ROLLBACK")
}

// end ends the transaction if that has not been done.
func (t *leasing) end(how string) error {
	if t.conn.Conn().PgConn().TxStatus() == 'I' {
		return nil
	}
	_, err := t.conn.Exec(t.ctx, how)
	return err
}

// look is the first round trip: what there is.
func (t *leasing) look() (ended bool, err error) {
	var b pgx.Batch
	b.Queue("BEGIN")
	lock := shareLeasesSQL
	if t.alone || t.r.DocumentLimit { // of two leases side by side each would see room for its URLs
		lock = lockLeasesSQL
	}
	b.Queue(lock, int64(store.LeaseLock))
	n := len(t.r.Fetchers)
	var room int // for new schedules
	b.Queue(runStateSQL, t.r.Run, n).QueryRow(func(row pgx.Row) error { return row.Scan(&ended, &t.idle.Open, &room) })
	t.lookForRoom(&b)
	t.lookForLate(&b, n)
	t.lookForHosts(&b, n)
	if err := t.conn.SendBatch(t.ctx, &b).Close(); err != nil {
		return false, err
	}
	t.wanted = max(0, min(n-len(t.late), room))
	t.turns = t.turns[:min(len(t.turns), t.wanted)]
	return ended, nil
}

// choose is the second round trip: it reads the state of late schedules, and the URLs of new ones.
func (t *leasing) choose() error {
	var b pgx.Batch
	t.chooseURLs(&b)
	t.readLate(&b)
	if len(t.turns) < t.wanted {
		t.askWaiting(&b)
	}
	if b.Len() == 0 {
		return nil
	}
	return t.conn.SendBatch(t.ctx, &b).Close()
}

// write is the third round trip: the schedules, the state that their requests need, and the commit.
func (t *leasing) write() (wrote bool, err error) {
	var b pgx.Batch
	w := leaseWriter{t: t, batch: &b, free: slices.Clone(t.r.Fetchers), places: make(map[store.URLID]leasePlace)}
	w.late()
	w.fresh()
	if b.Len() == 0 {
		return false, nil
	}
	w.details()
	b.Queue("COMMIT")
	if err := t.conn.SendBatch(t.ctx, &b).Close(); err != nil {
		return false, err
	}
	t.given = w.finish()
	t.idle.Until = t.waiting.until()
	return true, nil
}

// nothing says why there is no work, and decides whether the run is over.
func (t *leasing) nothing() error {
	w := &t.waiting
	t.idle.Until = w.until()
	switch {
	case w.ready:
		t.again = t.alone
	case w.pause > 0, t.idle.Open > 0:
	case !t.alone:
		t.mayBeOver = true
	case w.closed:
		t.idle.Over = OverTime
	case w.paused:
		t.idle.Over = OverPaused
	default:
		woken, err := t.overlooked()
		if t.again = woken; woken || err != nil {
			return err
		}
		if t.idle.Full, err = t.newWait(); err != nil {
			return err
		}
		if t.idle.Over = OverComplete; w.full || t.idle.Full {
			t.idle.Over = OverLimit
		}
	}
	return nil
}

// overlooked asks urlword itself for work when no site has any and no schedule is open: a process that
// registered or reached a URL may have died before it could wake the site. It wakes the sites that it finds.
func (t *leasing) overlooked() (bool, error) {
	rows, err := t.conn.Query(t.ctx, overlookedSQL, t.r.Limits.with(t.r.Due, t.r.Run, t.r.PerSite.Outside, !t.full())...)
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
	b.Queue("COMMIT")
	return true, t.conn.SendBatch(t.ctx, &b).Close()
}

// lockedAgain is when a host that was passed over because one of its rows was locked is worth another look.
const lockedAgain = 50 * time.Millisecond

// until returns when it is worth looking again, 0 = unknown.
func (w *waitingHosts) until() time.Duration {
	if w.ready && (w.pause == 0 || w.pause > lockedAgain) {
		return lockedAgain
	}
	return w.pause
}
