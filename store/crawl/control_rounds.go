package crawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// A crawl without end is a sequence of rounds. Each round is a run, which all programs with the same rules share. What a program
// waits for between the rounds is in crawl_control, so that several machines, operators and pages agree on it.

// newsOfControl notifies the programs that crawl without end that crawl_control has changed.
const newsOfControl = "control"

const pauseSQL = `
	UPDATE /* store.Pause */ crawl_control SET paused_at = now(), paused_by = $1 WHERE paused_at IS NULL`

// Pause ends the running crawl, and lets none begin until Resume. index -T goes on. paused is false when the crawl was paused already.
func (s *Store) Pause(ctx context.Context, who string) (paused bool, err error) {
	err = s.InTx(ctx, "pause", func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, pauseSQL, who)
		if err != nil {
			return err
		}
		paused = done.RowsAffected() > 0
		if _, err := tx.Exec(ctx, askStopSQL, StopPause); err != nil {
			return err
		}
		return notifyStop(ctx, tx)
	})
	return paused, err
}

const resumeSQL = `
	UPDATE /* store.Resume */ crawl_control SET paused_at = NULL, paused_by = NULL WHERE paused_at IS NOT NULL`

// Resume ends a pause. It returns false when there was none.
func (s *Store) Resume(ctx context.Context) (resumed bool, err error) {
	return s.control(ctx, "resume", resumeSQL)
}

const crawlNowSQL = `UPDATE /* store.CrawlNow */ crawl_control SET crawl_asked = now()`

// CrawlNow asks for a round that begins at once, within a window or not, and visits the start URLs. A round that is under way ends first.
func (s *Store) CrawlNow(ctx context.Context) error {
	_, err := s.control(ctx, "crawl now", crawlNowSQL)
	return err
}

// NotifyControl lets the programs that crawl without end look at crawl_control again.
func (s *Store) NotifyControl(ctx context.Context) error { return s.notify(ctx, newsOfControl) }

// control changes crawl_control and notifies the programs that crawl without end.
func (s *Store) control(ctx context.Context, what, sql string, args ...any) (changed bool, err error) {
	err = s.InTx(ctx, what, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, sql, args...)
		if err != nil {
			return err
		}
		changed = done.RowsAffected() > 0
		_, err = tx.Exec(ctx, `SELECT /* store.control */ pg_notify($1, $2)`, controlChannel, newsOfControl)
		return err
	})
	return changed, err
}

const pausedSQL = `
	SELECT /* store.EnterCrawl */ paused_at, coalesce(paused_by, '') FROM crawl_control WHERE paused_at IS NOT NULL`

// refuseWhilePaused returns a *PausedError when no crawl may begin.
func refuseWhilePaused(ctx context.Context, tx pgx.Tx) error {
	var e PausedError
	err := tx.QueryRow(ctx, pausedSQL).Scan(&e.Since, &e.Who)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return &e
}

// PausedError says that no crawl begins because an operator has paused it.
type PausedError struct {
	Who   string
	Since time.Time
}

func (e *PausedError) Error() string {
	return fmt.Sprintf("the crawl is paused since %s, by %s", e.Since.Local().Format(time.DateTime), e.Who)
}

// Rounds is the part of this program in a crawl without end: a session with a shared lock, as a sign of life also between
// the rounds.
type Rounds struct {
	store *Store
	held  *store.SessionLocks
	who   string
	began time.Time // by the clock of the database
}

const enterRoundsSQL = `
	UPDATE /* store.EnterRounds */ crawl_control SET mode = $1, next_round = NULL, window_ends = NULL, refused = NULL, refused_at = NULL
	RETURNING clock_timestamp()`

// EnterRounds announces that this program crawls without end, in a CrawlMode.
func (s *Store) EnterRounds(ctx context.Context, mode, who string) (*Rounds, error) {
	held, err := s.HoldLocks(ctx, store.NamedLock("rounds", true))
	if err != nil {
		return nil, err
	}
	r := &Rounds{store: s, held: held, who: who}
	err = s.InTx(ctx, "enter rounds", func(tx pgx.Tx) error { return tx.QueryRow(ctx, enterRoundsSQL, mode).Scan(&r.began) })
	if err != nil {
		held.Release()
		return nil, err
	}
	return r, nil
}

const leaveRoundsSQL = `UPDATE /* store.LeaveRounds */ crawl_control SET next_round = NULL, window_ends = NULL, refused = NULL, refused_at = NULL`

// Leave ends the part of this program. It follows Listen.
func (r *Rounds) Leave(ctx context.Context) error {
	defer r.held.Release()
	return r.store.InTx(ctx, "leave rounds", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, leaveRoundsSQL)
		return err
	})
}

// Listen calls news whenever crawl_control has changed or there may be work, until ctx ends. It keeps the lock through restarts of
// the server.
func (r *Rounds) Listen(ctx context.Context, news func()) error {
	for ctx.Err() == nil {
		err := r.held.Keep(ctx)
		if err == nil {
			_, err = r.held.Conn().Exec(ctx, "LISTEN "+controlChannel)
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
		news() // what came before the LISTEN
		for err == nil {
			waiting, cancel := context.WithTimeout(ctx, time.Minute)
			_, err = r.held.Conn().WaitForNotification(waiting)
			cancel()
			if err == nil {
				news()
			}
		}
	}
	return nil
}

const roundProgramsSQL = `
	SELECT /* store.RoundPrograms */ a.application_name
	FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
	WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = $1::bigint::oid AND l.objid = $2::bigint::oid
		AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	ORDER BY a.pid`

// RoundPrograms names the programs that crawl without end: program, host and process id.
func (s *Store) RoundPrograms(ctx context.Context) (names []string, err error) {
	err = s.InTx(ctx, "round programs", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, roundProgramsSQL, int64(store.LockClass), int64(store.LockKeys["rounds"]))
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return names, err
}
