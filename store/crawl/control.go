package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// controlChannel tells the processes of a running crawl that crawl_control changed, or that there is work (newsOfWork).
const controlChannel = "pgseek_control"

const newsOfWork = "work"

// Why a run is asked to end, as reindexing.end_reason has it.
const (
	StopWish     = "stopped"  // -E
	StopTakeover = "continue" // --takeover: another run begins
)

const askStopSQL = `UPDATE /* store.AskStop */ crawl_control SET stop_asked = now(), stop_reason = $1`

// AskStop asks the running crawl to stop, all its processes, for one of the two reasons.
func (s *Store) AskStop(ctx context.Context, reason string) error {
	return s.InTx(ctx, "ask to stop", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, askStopSQL, reason); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT /* store.AskStop */ pg_notify($1, 'stop')`, controlChannel)
		return err
	})
}

const stopAskedSQL = `
	SELECT /* store.StopAsked */ coalesce(stop_reason, 'stopped')
	FROM crawl_control
	WHERE stop_asked >= (SELECT started_at FROM reindexing WHERE run_id = $1)`

// StopAsked returns why somebody asked this run to stop, empty when nobody did.
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

// Crawling returns the crawl that is open, 0 when there is none. Whether a process of it lives only its locks tell.
func (s *Store) Crawling(ctx context.Context) (run store.RunID, err error) {
	err = s.InTx(ctx, "running crawl", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, crawlingSQL).Scan(&run)
	})
	return run, err
}
