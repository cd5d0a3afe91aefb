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

// Several processes crawl one database as one run. Each has a row of table process and a session that holds the advisory
// lock of its number: the lock is gone when the process is, however it ended, and that is how the others know. The
// rows of dead processes are buried: what they held is free at once.

// restartGrace is how long after a start of the server nobody is buried for want of a lock: with the old server's life all
// locks ended, and their holders need a moment to take them again. It is above the longest pause between their attempts.
const restartGrace = 5 * time.Second

// Crawl is what a process must know of the run it works for.
type Crawl struct {
	ID    store.RunID
	Start int64         // when it began by the clock of the database, epoch seconds
	Skew  time.Duration // what the clock of the database is ahead of ours
}

// CrawlRequest describes the crawl that a process wants to take part in.
type CrawlRequest struct {
	Program, Options string // for people
	Work             string // which URLs it visits, and how; equal for all processes of a run
	Config           []byte // hash of the rules; equal, too
	Limited          bool   // it does not visit everything
	Respider         bool
}

// Process is this process in a crawl. Enter it with EnterCrawl. Its methods may be called concurrently, but for Watch and
// Leave, which follow one another.
type Process struct {
	Run   Crawl
	ID    store.ProcessID
	First bool // it opened the run: the others wait until BeginCrawl is done

	store *Store
	held  *store.SessionLocks // the crawl's lock, shared, and that of its number
}

const livingSQL = `
	living AS MATERIALIZED (
		SELECT objid::bigint::integer AS id FROM pg_locks
		WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = $1::bigint::oid
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	)`

// burySQL: a lock that is seen here is never older than the rows are, so a process that just came is not taken for dead.
// A schedule of nobody (a version without processes made it) is nobody's. The process that asks lives, also while it takes its lock anew.
const burySQL = `
	WITH ` + livingSQL + `, alive AS MATERIALIZED (
		SELECT id FROM living UNION ALL SELECT $3
	), settled AS MATERIALIZED (
		SELECT pg_postmaster_start_time() < now() - $2::interval AS long
	), late AS (
		UPDATE /* store.Bury */ schedule SET deadline = schedule_time + interval '1 microsecond'
		WHERE status = 's' AND deadline > now() AND process_id NOT IN (SELECT id FROM alive) AND (SELECT long FROM settled)
	), gone AS (
		DELETE FROM fetcher WHERE process_id NOT IN (SELECT id FROM alive) AND (SELECT long FROM settled)
	), dead AS (
		UPDATE process SET left_at = now()
		WHERE left_at IS NULL AND process_id NOT IN (SELECT id FROM alive) AND (SELECT long FROM settled)
		RETURNING name
	)
	SELECT ARRAY(SELECT name FROM dead),
		NOT (SELECT long FROM settled) AND EXISTS (SELECT FROM process WHERE left_at IS NULL AND process_id NOT IN (SELECT id FROM alive))`

// reapDead buries dead processes. unclear says that some have no lock, which may be the server's doing.
func (p *Process) reapDead(ctx context.Context, tx pgx.Tx) (unclear bool, err error) {
	var dead []string
	err = tx.QueryRow(ctx, burySQL, int64(store.ProcessClass), restartGrace, p.ID).Scan(&dead, &unclear)
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

// beginLooks is how often a process that waits for another one to begin the run looks whether it has, or is dead.
const beginLooks = restartGrace / 20

// EnterCrawl takes part in the crawl that runs, or opens one when none does: then First is set, and the
// caller makes the run's frontier ready with BeginCrawl. It waits while another process does that; when that one dies before,
// its run ends as stopped. When the run that goes on is another than what is asked for, or somebody wants the database for
// himself, the error is a *HeldError.
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
		if err := p.held.Keep(ctx); err != nil { // nobody else looks after the locks yet
			return err
		}
	}
}

// enterLockSQL lets processes enter one after the other.
const enterLockSQL = `SELECT /* store.EnterCrawl */ pg_advisory_xact_lock($1, $2)`

// openRunSQL finds the run that somebody works for, and whether it may be entered: its frontier is ready, or we opened it
// ourselves, by an attempt of which nobody knew whether it was committed.
const openRunSQL = `
	SELECT /* store.EnterCrawl */ r.run_id, r.program, r.started_at, r.config_hash IS NOT DISTINCT FROM $1 AND r.work = $2,
		r.begun_at IS NOT NULL OR EXISTS (SELECT FROM process o WHERE o.run_id = r.run_id AND o.process_id = $3)
	FROM reindexing r
	WHERE r.kind = 'crawl' AND r.ended_at IS NULL
		AND EXISTS (SELECT FROM process p WHERE p.run_id = r.run_id AND p.left_at IS NULL)
	ORDER BY r.run_id DESC LIMIT 1
	FOR UPDATE OF r`

const openCrawlSQL = `
	INSERT /* store.EnterCrawl */ INTO reindexing (kind, program, options, limited, config_hash, work, respider)
	VALUES ('crawl', $1, $2, $3, $4, $5, $6)
	RETURNING run_id`

const forgetProcessesSQL = `
	DELETE /* store.EnterCrawl */ FROM process WHERE left_at IS NOT NULL`

// forgetStopSQL: a wish that was meant for an earlier run.
const forgetStopSQL = `
	UPDATE /* store.EnterCrawl */ crawl_control SET stop_asked = NULL, stop_reason = NULL
	WHERE stop_asked IS NOT NULL`

// enterProcessSQL may be repeated, when nobody knows whether it was committed.
const enterProcessSQL = `
	INSERT /* store.EnterCrawl */ INTO process (process_id, run_id, name) VALUES ($1, $2, $3)
	ON CONFLICT (process_id) DO UPDATE SET run_id = $2`

const enteredSQL = `
	SELECT /* store.EnterCrawl */ floor(extract(epoch FROM r.started_at))::bigint, r.begun_at IS NULL
	FROM reindexing r WHERE r.run_id = $1`

// joinOrOpen enters the run that has a living process, else ends what is left of an earlier one and opens a new run. It has not
// entered when the run is one that another process still begins.
func (p *Process) joinOrOpen(ctx context.Context, tx pgx.Tx, r CrawlRequest) (entered bool, err error) {
	var program string
	var since time.Time
	var same, ready bool
	err = tx.QueryRow(ctx, openRunSQL, r.Config, r.Work, p.ID).Scan(&p.Run.ID, &program, &since, &same, &ready)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if _, err := tx.Exec(ctx, store.EndLostRunsSQL, "crawl"); err != nil {
			return false, err
		}
		if _, err := tx.Exec(ctx, forgetProcessesSQL); err != nil {
			return false, err
		}
		if _, err := tx.Exec(ctx, forgetStopSQL); err != nil {
			return false, err
		}
		err := tx.QueryRow(ctx, openCrawlSQL, r.Program, r.Options, r.Limited, r.Config, r.Work, r.Respider).Scan(&p.Run.ID)
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

// release gives up all locks.
func (p *Process) release() {
	if p.held != nil {
		p.held.Release()
	}
}

const beatSQL = `
	INSERT /* store.Beat */ INTO fetcher (name, run_id, process_id) SELECT unnest($1::text[]), $2, $3
	ON CONFLICT (name) DO UPDATE SET heartbeat = now(), run_id = $2, process_id = $3`

// countProcessSQL: a process that was buried by mistake lives.
const countProcessSQL = `
	UPDATE /* store.Beat */ process SET left_at = CASE WHEN $11 THEN now() END,
		documents = $2, created = $3, changed = $4, unchanged = $5, lost = $6, failed = $7, deferred = $8, words = $9, bytes = $10
	WHERE process_id = $1`

const sumRunSQL = `
	UPDATE /* store.Beat */ reindexing r
	SET documents = s.documents, created = s.created, changed = s.changed, unchanged = s.unchanged, lost = s.lost,
		failed = s.failed, deferred = s.deferred, words = s.words, bytes = s.bytes
	FROM (SELECT sum(documents) AS documents, sum(created) AS created, sum(changed) AS changed, sum(unchanged) AS unchanged,
			sum(lost) AS lost, sum(failed) AS failed, sum(deferred) AS deferred, sum(words) AS words, sum(bytes) AS bytes
		FROM process WHERE run_id = $1) s                                      -- process_run
	WHERE r.run_id = $1 AND r.ended_at IS NULL AND s.documents IS NOT NULL`

// Heartbeat is the sign of life of this process and its fetchers, with what it has done so far.
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

// Watch keeps this process's locks, through restarts of the server, until ctx ends. It calls asked when somebody asked the
// run to stop, with the reason for its end, and news when there may be work again. The error says that the locks are
// lost for good: then this process must not go on.
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
		told, err := p.held.Conn().WaitForNotification(waiting) // the end of the time leaves the connection usable
		cancel()
		if err == nil && told.Payload == newsOfWork {
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

// othersSQL: a process that lives but has stopped to show it leaves the run to those that end it. One that has just
// entered shows it soon.
const othersSQL = `
	WITH ` + livingSQL + `
	SELECT /* store.Leave */ EXISTS (
		SELECT FROM process p
		WHERE p.run_id = $2 AND p.process_id <> $3 AND p.left_at IS NULL AND p.process_id IN (SELECT id FROM living)
			AND (p.started_at > now() - interval '30 seconds'
				OR EXISTS (SELECT FROM fetcher f WHERE f.process_id = p.process_id AND f.heartbeat > now() - interval '30 seconds')))`

// Leave ends this process's part of the run. The last one to leave ends the run, with its reason, and gets
// true; it calls ArmGates.
func (p *Process) Leave(ctx context.Context, reason string, c store.Counts) (ended bool, err error) {
	defer p.release()
	closed := false // by an attempt of which nobody knows whether it was committed
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
