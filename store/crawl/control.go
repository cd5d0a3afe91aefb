package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// controlChannel notifies the processes of a running crawl that crawl_control has changed, or that there is
// work (newsOfWork).
const controlChannel = "pgseek_control"

const newsOfWork = "work"

// The reasons for which a run is asked to end, as in reindexing.end_reason.
const (
	StopWish     = "stopped"  // -E
	StopTakeover = "continue" // --takeover: another run begins
	StopRound    = "round"    // MergeInterval is over: merge, then the next round
	StopWindow   = "time"     // the window of CrawlSchedule is over
	StopPause    = "paused"   // --pause
)

const askStopSQL = `UPDATE /* store.AskStop */ crawl_control SET stop_asked = now(), stop_reason = $1`

// AskStop asks all processes of the running crawl to stop, for one of the reasons of an operator.
func (s *Store) AskStop(ctx context.Context, reason string) error {
	return s.InTx(ctx, "ask to stop", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, askStopSQL, reason); err != nil {
			return err
		}
		return notifyStop(ctx, tx)
	})
}

func notifyStop(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT /* store.AskStop */ pg_notify($1, 'stop')`, controlChannel)
	return err
}

// endRoundSQL leaves the run alone when it is over, or was asked to stop for another reason.
const endRoundSQL = `
	UPDATE /* store.EndRound */ crawl_control SET stop_asked = now(), stop_reason = $2
	WHERE EXISTS (
		SELECT 1 FROM reindexing r
		WHERE r.run_id = $1 AND r.ended_at IS NULL AND (crawl_control.stop_asked >= r.started_at) IS NOT TRUE)`

// EndRound asks all processes of a run to end it: the first process that asks decides for all.
func (s *Store) EndRound(ctx context.Context, run store.RunID, reason string) error {
	return s.InTx(ctx, "end round", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, endRoundSQL, run, reason); err != nil {
			return err
		}
		return notifyStop(ctx, tx)
	})
}

const stopAskedSQL = `
	SELECT /* store.StopAsked */ coalesce(stop_reason, 'stopped')
	FROM crawl_control
	WHERE stop_asked >= (SELECT started_at FROM reindexing WHERE run_id = $1)`

// StopAsked returns the reason for which this run was asked to stop, empty when it was not.
func (s *Store) StopAsked(ctx context.Context, run store.RunID) (reason string, err error) {
	err = s.InTx(ctx, "stop asked", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, stopAskedSQL, run).Scan(&reason)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return reason, err
}

const crawlingSQL = `
	SELECT /* store.Crawling */ coalesce(max(run_id), 0) FROM reindexing WHERE kind = 'crawl' AND ended_at IS NULL`

// Crawling returns the open crawl, 0 when there is none. Only the locks show whether a process of it lives.
func (s *Store) Crawling(ctx context.Context) (run store.RunID, err error) {
	err = s.InTx(ctx, "running crawl", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, crawlingSQL).Scan(&run)
	})
	return run, err
}
