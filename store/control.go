package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// controlChannel tells a running crawl that crawl_control changed.
const controlChannel = "pgseek_control"

const askStopSQL = `UPDATE /* store.AskStop */ crawl_control SET stop_asked = now()`

// AskStop asks the running crawl to stop (-E).
func (s *Store) AskStop(ctx context.Context) error {
	return s.inTx(ctx, "ask to stop", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, askStopSQL); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT /* store.AskStop */ pg_notify($1, 'stop')`, controlChannel)
		return err
	})
}

const stopAskedSQL = `
	SELECT /* store.StopAsked */ stop_asked IS NOT NULL AND stop_asked >= (SELECT started_at FROM reindexing WHERE run_id = $1)
	FROM crawl_control`

// StopAsked reports whether somebody asked this run to stop.
func (s *Store) StopAsked(ctx context.Context, run RunID) (asked bool, err error) {
	err = s.inTx(ctx, "stop asked", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, stopAskedSQL, run).Scan(&asked)
	})
	return asked, err
}

// WatchStop returns when somebody asked this run to stop, or ctx ends. It holds a connection of its own; while that is
// broken it asks once a second.
func (s *Store) WatchStop(ctx context.Context, run RunID) bool {
	for ctx.Err() == nil {
		if asked, err := s.StopAsked(ctx, run); err == nil && asked {
			return true
		}
		s.waitNotification(ctx)
	}
	return false
}

// waitNotification returns at a notification, after ten seconds, or a second after an error.
func (s *Store) waitNotification(ctx context.Context) {
	pause, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.ConnectConfig(pause, s.pool.Config().ConnConfig)
	if err == nil {
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		if _, err = conn.Exec(pause, "LISTEN "+controlChannel); err == nil {
			if asked, _ := conn.WaitForNotification(pause); asked != nil {
				return
			}
		}
	}
	if err != nil {
		select {
		case <-pause.Done():
		case <-time.After(time.Second):
		}
	}
}
