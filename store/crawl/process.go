package crawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Several processes crawl one database as one run. Each has a row of table process and a session that holds
// the advisory lock of its number. However a process ends, its lock goes with it, so the others know that it
// is dead. They reap dead processes: what those held is free at once.

// restartGrace is how long after a start of the server no process is reaped for a missing lock. All locks
// ended with the old server, and their holders need time to take them again. It is longer than the longest
// pause between their attempts.
const restartGrace = 5 * time.Second

// Crawl describes the run that a process works for.
type Crawl struct {
	ID    store.RunID
	Start int64         // when it began by the clock of the database, epoch seconds
	Skew  time.Duration // by how much the clock of the database is ahead of ours
}

// CrawlRequest describes the crawl in which a process wants to take part.
type CrawlRequest struct {
	Program, Options string // for people
	Work             string // which URLs it visits, and how; equal for all processes of a run
	Config           []byte // hash of the rules; equal, too
	Limited          bool   // it does not visit everything
	Respider         bool
	Round            bool // of a crawl without end
}

// Process is this process in a crawl. EnterCrawl returns it. Its methods may be called concurrently, except
// Watch and Leave: Leave follows Watch.
type Process struct {
	Run   Crawl
	ID    store.ProcessID
	First bool // it opened the run: the others wait until BeginCrawl is done

	store *Store
	held  *store.SessionLocks // the lock of the crawl, shared, and that of the process's number
}

const livingSQL = `
	living AS MATERIALIZED (
		SELECT objid::bigint::integer AS id FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = $1::bigint::oid
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	)`

// reapDeadSQL reaps dead processes. The locks that it sees are never older than the rows, so a process that has
// just entered is not taken for dead. A schedule without a process (made by a version without them) belongs
// to nobody. The calling process counts as alive, also while it takes its lock again.
const reapDeadSQL = `
	WITH ` + livingSQL + `, alive AS MATERIALIZED (
		SELECT id FROM living UNION ALL SELECT $3
	), settled AS MATERIALIZED (
		SELECT pg_postmaster_start_time() < now() - $2::interval AS long
	), late AS (
		UPDATE /* store.ReapDead */ schedule SET deadline = schedule_time + interval '1 microsecond'
		WHERE status = 's' AND deadline > now() AND process_id NOT IN (SELECT id FROM alive) AND (SELECT long FROM settled)
	), gone AS (
		DELETE FROM fetcher WHERE process_id NOT IN (SELECT id FROM alive) AND (SELECT long FROM settled)
	), dead AS (
		UPDATE process SET left_at = now()
		WHERE left_at IS NULL AND process_id NOT IN (SELECT id FROM alive) AND (SELECT long FROM settled)
		RETURNING name
	)
	SELECT ARRAY(SELECT name FROM dead),
		NOT (SELECT long FROM settled) AND EXISTS (SELECT 1 FROM process WHERE left_at IS NULL AND process_id NOT IN (SELECT id FROM alive))`

// reapDead reaps dead processes. unclear says that some have no lock, possibly because the server restarted.
func (p *Process) reapDead(ctx context.Context, tx pgx.Tx) (unclear bool, err error) {
	var dead []string
	err = tx.QueryRow(ctx, reapDeadSQL, int64(store.ProcessClass), restartGrace, p.ID).Scan(&dead, &unclear)
	for _, name := range dead {
		slog.WarnContext(ctx, "a crawling process died; its schedules are issued again", "process", name)
	}
	return unclear, err
}

// ReapDead frees what dead processes held.
func (p *Process) ReapDead(ctx context.Context) error {
	return p.store.InTx(ctx, "bury", func(tx pgx.Tx) error {
		_, err := p.reapDead(ctx, tx)
		return err
	})
}

const drawProcessSQL = `SELECT /* store.EnterCrawl */ nextval('process_process_id_seq')`

const clockSQL = `SELECT /* store.EnterCrawl */ extract(epoch FROM clock_timestamp())::float8`

// beginLooks is the interval at which a process that waits for another one to begin the run checks whether it
// has begun it or is dead.
const beginLooks = restartGrace / 20

// EnterCrawl takes part in the running crawl, or opens one when there is none. Then First is set, and the
// caller prepares the frontier of the run with BeginCrawl. EnterCrawl waits while another process does that;
// when that process dies first, its run ends as stopped. When the running crawl differs from the requested
// one, or another program has the database exclusively, the error is a *HeldError.
func (s *Store) EnterCrawl(ctx context.Context, r CrawlRequest) (*Process, error) {
	p := &Process{store: s}
	if err := p.enter(ctx, r); err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}

func (p *Process) enter(ctx context.Context, r CrawlRequest) error {
	s := p.store
	err := s.InTx(ctx, "enter crawl", func(tx pgx.Tx) error {
		before := time.Now()
		var clock float64
		if err := tx.QueryRow(ctx, clockSQL).Scan(&clock); err != nil {
			return err
		}
		ours := before.Add(time.Since(before) / 2)
		p.Run.Skew = time.UnixMicro(int64(clock * 1e6)).Sub(ours)
		return tx.QueryRow(ctx, drawProcessSQL).Scan(&p.ID)
	})
	if err != nil {
		return err
	}
	alive := store.SessionLock{Name: "process", Class: store.ProcessClass, Key: int32(p.ID)}
	if p.held, err = s.HoldLocks(ctx, store.NamedLock("crawl", true), alive); err != nil {
		return err
	}
	for {
		entered := false
		err := s.InTx(ctx, "enter crawl", func(tx pgx.Tx) error {
			entered = false
			if _, err := tx.Exec(ctx, enterLockSQL, store.LockClass, store.LockKeys["crawl start"]); err != nil {
				return err
			}
			unclear, err := p.reapDead(ctx, tx)
			if err != nil || unclear {
				return err
			}
			entered, err = p.joinOrOpen(ctx, tx, r)
			return err
		})
		if err != nil || entered {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(beginLooks):
		}
		if err := p.held.Keep(ctx); err != nil { // no Watch runs yet
			return err
		}
	}
}

// enterLockSQL serializes the processes that enter.
const enterLockSQL = `SELECT /* store.EnterCrawl */ pg_advisory_xact_lock($1, $2)`

// openRunSQL finds the run that a living process works for, and whether it may be entered: its frontier is
// ready, or we opened it ourselves in an attempt with an unknown commit.
const openRunSQL = `
	SELECT /* store.EnterCrawl */ r.run_id, r.program, r.started_at, r.config_hash IS NOT DISTINCT FROM $1 AND r.work = $2,
		r.begun_at IS NOT NULL OR EXISTS (SELECT 1 FROM process o WHERE o.run_id = r.run_id AND o.process_id = $3)
	FROM reindexing r
	WHERE r.kind = 'crawl' AND r.ended_at IS NULL
		AND EXISTS (SELECT 1 FROM process p WHERE p.run_id = r.run_id AND p.left_at IS NULL)
	ORDER BY r.run_id DESC LIMIT 1
	FOR UPDATE OF r`

const openCrawlSQL = `
	INSERT /* store.EnterCrawl */ INTO reindexing (kind, program, options, limited, config_hash, work, respider, round)
	VALUES ('crawl', $1, $2, $3, $4, $5, $6, $7)
	RETURNING run_id`

const forgetProcessesSQL = `
	DELETE /* store.EnterCrawl */ FROM process WHERE left_at IS NOT NULL`

// forgetStopSQL removes a stop request that was meant for an earlier run.
const forgetStopSQL = `
	UPDATE /* store.EnterCrawl */ crawl_control SET stop_asked = NULL, stop_reason = NULL
	WHERE stop_asked IS NOT NULL`

// enterProcessSQL may be repeated when its commit is unknown.
const enterProcessSQL = `
	INSERT /* store.EnterCrawl */ INTO process (process_id, run_id, name) VALUES ($1, $2, $3)
	ON CONFLICT (process_id) DO UPDATE SET run_id = $2`

const enteredSQL = `
	SELECT /* store.EnterCrawl */ floor(extract(epoch FROM r.started_at))::bigint, r.begun_at IS NULL
	FROM reindexing r WHERE r.run_id = $1`

// joinOrOpen enters the run that has a living process; otherwise it ends what is left of an earlier run and
// opens a new one. entered is false when another process has not finished beginning the run.
func (p *Process) joinOrOpen(ctx context.Context, tx pgx.Tx, r CrawlRequest) (entered bool, err error) {
	var program string
	var since time.Time
	var same, ready bool
	err = tx.QueryRow(ctx, openRunSQL, r.Config, r.Work, p.ID).Scan(&p.Run.ID, &program, &since, &same, &ready)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if err := refuseWhilePaused(ctx, tx); err != nil {
			return false, err
		}
		if _, err := tx.Exec(ctx, store.EndLostRunsSQL, "crawl"); err != nil {
			return false, err
		}
		if _, err := tx.Exec(ctx, forgetProcessesSQL); err != nil {
			return false, err
		}
		if _, err := tx.Exec(ctx, forgetStopSQL); err != nil {
			return false, err
		}
		err := tx.QueryRow(ctx, openCrawlSQL, r.Program, r.Options, r.Limited, r.Config, r.Work, r.Respider, r.Round).Scan(&p.Run.ID)
		if err != nil {
			return false, err
		}
	case err != nil:
		return false, err
	case !same:
		return false, &store.HeldError{What: "crawl", Who: fmt.Sprintf("run %d of %s, with other rules or options,", p.Run.ID, program), Since: since}
	case !ready:
		return false, nil
	}
	if _, err := tx.Exec(ctx, enterProcessSQL, p.ID, p.Run.ID, r.Program); err != nil {
		return false, err
	}
	err = tx.QueryRow(ctx, enteredSQL, p.Run.ID).Scan(&p.Run.Start, &p.First)
	return err == nil, err
}

// release releases all locks.
func (p *Process) release() {
	if p.held != nil {
		p.held.Release()
	}
}

const beatSQL = `
	INSERT /* store.Heartbeat */ INTO fetcher (name, run_id, process_id, heartbeat) SELECT unnest($1::text[]), $2, $3, now()
	ON CONFLICT (name) DO UPDATE SET heartbeat = EXCLUDED.heartbeat, run_id = EXCLUDED.run_id, process_id = EXCLUDED.process_id`

// countProcessSQL also restores a process that was reaped by mistake.
const countProcessSQL = `
	UPDATE /* store.Heartbeat */ process SET left_at = CASE WHEN $11 THEN now() END,
		documents = $2, created = $3, changed = $4, unchanged = $5, lost = $6, failed = $7, deferred = $8, words = $9, bytes = $10
	WHERE process_id = $1`

const sumRunSQL = `
	UPDATE /* store.Heartbeat */ reindexing r
	SET documents = s.documents, created = s.created, changed = s.changed, unchanged = s.unchanged, lost = s.lost,
		failed = s.failed, deferred = s.deferred, words = s.words, bytes = s.bytes
	FROM (SELECT sum(documents) AS documents, sum(created) AS created, sum(changed) AS changed, sum(unchanged) AS unchanged,
			sum(lost) AS lost, sum(failed) AS failed, sum(deferred) AS deferred, sum(words) AS words, sum(bytes) AS bytes
		FROM process WHERE run_id = $1) s                                      -- process_run
	WHERE r.run_id = $1 AND r.ended_at IS NULL AND s.documents IS NOT NULL`

// Heartbeat records that this process and its fetchers live, and what the process has done so far.
func (p *Process) Heartbeat(ctx context.Context, fetchers []string, c store.Counts) error {
	return p.store.InTx(ctx, "heartbeat", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, beatSQL, fetchers, p.Run.ID, p.ID); err != nil {
			return err
		}
		return p.count(ctx, tx, c, false)
	})
}

func (p *Process) count(ctx context.Context, tx pgx.Tx, c store.Counts, left bool) error {
	_, err := tx.Exec(ctx, countProcessSQL, p.ID, c.Documents, c.Created, c.Changed, c.Unchanged, c.Lost, c.Failed, c.Deferred,
		c.Words, c.Bytes, left)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, sumRunSQL, p.Run.ID)
	return err
}

// Watch keeps the locks of this process, through restarts of the server, until ctx ends. It calls asked when
// the run was asked to stop, with the reason for its end, and news when there may be work again. An error
// means that the locks are lost for good: then this process must not continue.
func (p *Process) Watch(ctx context.Context, asked func(reason string), news func()) error {
	for ctx.Err() == nil {
		err := p.held.Keep(ctx)
		if err == nil {
			_, err = p.held.Conn().Exec(ctx, "LISTEN "+controlChannel)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			if store.Classify(err) == store.ConnectionLost {
				continue
			}
			return err
		}
		if reason, err := p.store.StopAsked(ctx, p.Run.ID); err == nil && reason != "" {
			asked(reason)
		}
		waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
		notification, err := p.held.Conn().WaitForNotification(waiting) // the end of the time leaves the connection usable
		cancel()
		if err == nil && notification.Payload == newsOfWork {
			news()
		}
	}
	return nil
}

const lockRunSQL = `
	SELECT /* store.Leave */ ended_at IS NULL FROM reindexing WHERE run_id = $1
	FOR UPDATE`

const leaveSQL = `
	WITH late AS (
		UPDATE /* store.Leave */ schedule SET deadline = schedule_time + interval '1 microsecond'
		WHERE status = 's' AND process_id = $1
	)
	DELETE FROM fetcher WHERE process_id = $1`

// othersSQL finds the other living processes of the run. A process that lives without heartbeats leaves the
// end of the run to the others. One that has just entered sends a heartbeat soon.
const othersSQL = `
	WITH ` + livingSQL + `
	SELECT /* store.Leave */ EXISTS (
		SELECT 1 FROM process p
		WHERE p.run_id = $2 AND p.process_id <> $3 AND p.left_at IS NULL AND p.process_id IN (SELECT id FROM living)
			AND (p.started_at > now() - interval '30 seconds'
				OR EXISTS (SELECT 1 FROM fetcher f WHERE f.process_id = p.process_id AND f.heartbeat > now() - interval '30 seconds')))`

// Leave ends the part of this process in the run. The last process to leave ends the run with its reason,
// gets true, and calls ArmGates.
func (p *Process) Leave(ctx context.Context, reason string, c store.Counts) (ended bool, err error) {
	defer p.release()
	closed := false // by an attempt with an unknown commit
	err = p.store.InTx(ctx, "leave crawl", func(tx pgx.Tx) error {
		ended = false
		var open, others bool
		if err := tx.QueryRow(ctx, lockRunSQL, p.Run.ID).Scan(&open); err != nil {
			return err
		}
		if err := p.count(ctx, tx, c, true); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, leaveSQL, p.ID); err != nil {
			return err
		}
		if !open {
			ended = closed
			return nil
		}
		if err := tx.QueryRow(ctx, othersSQL, int64(store.ProcessClass), p.Run.ID, p.ID).Scan(&others); err != nil || others {
			return err
		}
		if _, err := tx.Exec(ctx, store.EndRunSQL, p.Run.ID, reason); err != nil {
			return err
		}
		ended, closed = true, true
		return nil
	})
	return ended, err
}
