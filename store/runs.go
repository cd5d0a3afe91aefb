package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Counts holds the counts of a run: columns of reindexing.
type Counts struct {
	Documents, Created, Changed, Unchanged, Lost, Failed, Deferred, Words, Bytes int64
}

const EndLostRunsSQL = `
	UPDATE /* store.StartRun */ reindexing
	SET ended_at = now(), end_reason = 'stopped'
	WHERE kind = $1 AND ended_at IS NULL`

const startRunSQL = `
	INSERT /* store.StartRun */ INTO reindexing (kind, program, options, limited, config_hash)
	VALUES ($1, $2, $3, $4, $5)
	RETURNING run_id`

// StartRun opens a row of reindexing. The caller holds the lock of that kind of run, so a row of the kind
// that is still open belongs to a dead process: it ends as stopped. EnterCrawl opens the runs of crawls.
func (s *DB) StartRun(ctx context.Context, kind, program, options string, limited bool, config []byte) (id RunID, err error) {
	err = s.InTx(ctx, "start run", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, EndLostRunsSQL, kind); err != nil {
			return err
		}
		return tx.QueryRow(ctx, startRunSQL, kind, program, options, limited, config).Scan(&id)
	})
	return id, err
}

const countRunSQL = `
	UPDATE /* store.EndRun */ reindexing
	SET documents = $2, created = $3, changed = $4, unchanged = $5, lost = $6, failed = $7, deferred = $8, words = $9, bytes = $10
	WHERE run_id = $1`

func countRun(ctx context.Context, tx pgx.Tx, id RunID, c Counts) error {
	_, err := tx.Exec(ctx, countRunSQL, id,
		c.Documents, c.Created, c.Changed, c.Unchanged, c.Lost, c.Failed, c.Deferred, c.Words, c.Bytes)
	return err
}

const EndRunSQL = `
	UPDATE /* store.EndRun */ reindexing
	SET ended_at = now(), end_reason = $2, live = (SELECT documents FROM totals)
	WHERE run_id = $1 AND ended_at IS NULL`

// EndRun closes a row of reindexing with its final counts. docs/reference/behavior.md, End of a run, lists
// the reasons.
func (s *DB) EndRun(ctx context.Context, id RunID, reason string, c Counts) error {
	return s.InTx(ctx, "end run", func(tx pgx.Tx) error {
		if err := countRun(ctx, tx, id, c); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, EndRunSQL, id, reason)
		return err
	})
}
