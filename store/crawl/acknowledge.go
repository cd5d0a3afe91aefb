package crawl

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
)

// laterOnDisk, selected by a statement, lets the commit of its transaction return before it is on disk. It is
// for changes whose loss in a power failure an open schedule repairs: documents, because the next holder gets
// those that are missing, and the acknowledgement, because the next holder makes it again when it finds all
// recorded. The commit of the next lease flushes everything. Leases, registrations of URLs and the merge wait
// for the disk.
const laterOnDisk = `set_config('synchronous_commit', 'off', true)`

// Finished is a lease whose results are all recorded.
type Finished struct {
	Lease *Lease
	Pause time.Duration // no request goes to its host before it is over
}

const acknowledgeSQL = `
	UPDATE /* store.Acknowledge */ schedule s SET status = 'a'
	FROM unnest($1::bigint[], $2::integer[]) h (seq, attempt)
	WHERE s.seq = h.seq AND s.attempt = h.attempt AND s.status = 's'
	RETURNING s.seq, s.attempt`

const lockHeldSitesSQL = `
	SELECT /* store.Acknowledge */ site_id, ` + laterOnDisk + ` FROM sitestate
	WHERE site_id = ANY($1) AND lease_seq = ANY($2)
	ORDER BY site_id
	FOR UPDATE`

// longestTurn bounds how much later than the end of a schedule the turn of a slow host may begin, so that it is never starved.
const longestTurn = 10 * time.Minute

// freeSitesSQL is a statement of its own after the lock, so that it sees the URLs that were registered while
// the lock was awaited (see WakeSites). It frees nothing unless the acknowledgement before it was the
// holder's. A lease is known by its place in the parameters. The wait of a host for its next turn begins at its last lease, and
// later by twice the time of its answers: it waits once for the time that it kept a fetcher, and as long again.
const freeSitesSQL = `
	WITH ` + siteDueSQL + `
	UPDATE /* store.Acknowledge */ sitestate t
	SET lease_seq = 0, next_due = due.time, next_class = due.class,
		ready_at = CASE WHEN h.pause > 0 THEN now() + h.pause * interval '1 microsecond' ELSE t.ready_at END,
		turn_at = least(t.turn_at + 2 * h.answers * interval '1 microsecond', greatest(t.turn_at, now() + $12::interval)),
		counted = CASE WHEN h.asked = '{}' THEN t.counted
			ELSE CASE WHEN t.counted_run = $4 THEN t.counted ELSE 0 END + (SELECT count(*) FROM urlword w WHERE w.url_id = ANY(h.asked) AND w.site_id = t.site_id) END,
		counted_run = CASE WHEN h.asked = '{}' THEN t.counted_run ELSE $4 END
	FROM due JOIN (
		SELECT c.seq, i.pause, i.answers, ($9::integer[])[i.asked_from:i.asked_to] AS asked, unnest(c.site_ids) AS site_id
		FROM unnest($5::bigint[], $6::integer[], $7::bigint[], $8::integer[], $10::integer[], $11::bigint[]) i (seq, attempt, pause, asked_from, asked_to, answers)
			JOIN schedule c ON c.seq = i.seq AND c.attempt = i.attempt AND c.status = 'a'
	) h ON h.site_id = due.site_id
	WHERE t.site_id = due.site_id AND t.lease_seq = h.seq`

// acknowledge queues the acknowledgement of leases, in the order of their numbers.
func acknowledge(b *pgx.Batch, done []Finished) *pgx.QueuedQuery {
	done = slices.SortedFunc(slices.Values(done), func(a, b Finished) int { return cmp.Compare(a.Lease.Seq, b.Lease.Seq) })
	seqs, attempts := make([]int64, len(done)), make([]int, len(done))
	for i, f := range done {
		seqs[i], attempts[i] = f.Lease.Seq, f.Lease.Attempt
	}
	var of []int64
	var fresh []store.URLID
	for _, f := range done {
		for _, id := range f.Lease.fresh {
			of, fresh = append(of, f.Lease.Seq), append(fresh, id)
		}
	}
	if len(fresh) > 0 {
		return b.Queue(takeRoomSQL, seqs, attempts, of, fresh, done[0].Lease.Run)
	}
	return b.Queue(acknowledgeSQL, seqs, attempts)
}

// freeSites queues the statement that frees the sites of acknowledged leases of one run. Their rows are locked.
func freeSites(b *pgx.Batch, done []Finished) {
	sites := sitesOf(done)
	seqs, attempts, pauses := make([]int64, len(done)), make([]int, len(done)), make([]int64, len(done))
	from, to, asked := make([]int, len(done)), make([]int, len(done)), []store.URLID{}
	answers := make([]int64, len(done))
	for i, f := range done {
		seqs[i], attempts[i], pauses[i] = f.Lease.Seq, f.Lease.Attempt, f.Pause.Microseconds()
		answers[i] = f.Lease.Answers.Microseconds()
		from[i], to[i] = len(asked)+1, len(asked)+len(f.Lease.Asked)
		asked = append(asked, f.Lease.Asked...)
	}
	b.Queue(freeSitesSQL, sites, neverDue, done[0].Lease.due, done[0].Lease.Run, seqs, attempts, pauses, from, asked, to, answers, longestTurn)
}

// sitesOf returns the sites of leases, ascending.
func sitesOf(done []Finished) (sites []store.SiteID) {
	for _, f := range done {
		sites = append(sites, f.Lease.Sites...)
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}

// Acknowledge records that all results of some schedules of one run are recorded, and frees their sites. For
// each it returns whether it was lost: it is no longer the caller's, and nothing of it has changed.
func (s *Store) Acknowledge(ctx context.Context, done ...Finished) (lost []bool, err error) {
	lost = make([]bool, len(done))
	seqs := make([]int64, len(done))
	for i, f := range done {
		seqs[i] = f.Lease.Seq
	}
	err = s.OnConn(ctx, "acknowledge", func(conn *pgxpool.Conn) error {
		for i := range lost {
			lost[i] = true
		}
		var b pgx.Batch
		b.Queue("BEGIN")
		acknowledge(&b, done).Query(func(rows pgx.Rows) error {
			var seq int64
			var attempt int
			_, err := pgx.ForEachRow(rows, []any{&seq, &attempt}, func() error {
				for i, f := range done {
					lost[i] = lost[i] && (f.Lease.Seq != seq || f.Lease.Attempt != attempt)
				}
				return nil
			})
			return err
		})
		b.Queue(lockHeldSitesSQL, sitesOf(done), seqs)
		freeSites(&b, done)
		b.Queue("COMMIT")
		return conn.SendBatch(ctx, &b).Close()
	})
	return lost, err
}
