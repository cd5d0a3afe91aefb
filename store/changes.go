package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The merge's lock keeps other programs from beginning, but its connection may break. Then another program
// may merge and end before the lock is taken again. So every transaction that changes the index counts itself
// in totals.changes, under MergeBatchLock. Results computed from a state of the index are written by a
// transaction that finds the same number there.

// Changes is a number of changes of the index. It identifies a state of the index.
type Changes int64

// AnyChanges stands for any state, for callers that have read nothing before.
const AnyChanges Changes = -1

// ErrIndexChanged says that another program changed the index after it was read. Nothing was written.
var ErrIndexChanged = errors.New("another program changed the index meanwhile")

const ReadChangesSQL = `SELECT /* store.Changes */ changes FROM totals`

const countChangeSQL = `UPDATE /* store.Changes */ totals SET changes = changes + 1 RETURNING changes`

// triesSQL returns the number of this transaction, whether an earlier one was committed, and the state of the
// index. It runs under MergeBatchLock, which the earlier transaction held as well, so that one has ended.
const triesSQL = `
	SELECT /* store.Changes */ txid_current(), CASE WHEN $1::bigint > 0 AND $1 < txid_snapshot_xmax(txid_current_snapshot())
		THEN coalesce(txid_status($1) = 'committed', false) ELSE false END, coalesce((SELECT changes FROM totals), 0)`

// Attempts counts the attempts of one transaction.
type Attempts struct{ last int64 }

// Begin reports whether the last attempt was committed although its answer was lost. Otherwise it begins the
// next attempt: it returns the state of the index, and ErrIndexChanged when that is not since.
func (t *Attempts) Begin(ctx context.Context, tx pgx.Tx, since Changes) (now Changes, arrived bool, err error) {
	var id int64
	if err := tx.QueryRow(ctx, triesSQL, t.last).Scan(&id, &arrived, &now); err != nil || arrived {
		return now, arrived, err
	}
	t.last = id
	if since != AnyChanges && since != now {
		return now, false, ErrIndexChanged
	}
	return now, false, nil
}

// Check returns ErrIndexChanged unless the index is in state c.
func (c Changes) Check(ctx context.Context, tx pgx.Tx) error {
	var now Changes
	if err := tx.QueryRow(ctx, ReadChangesSQL).Scan(&now); err != nil {
		return fmt.Errorf("count the changes of the index: %w", err)
	}
	if now != c {
		return ErrIndexChanged
	}
	return nil
}

const LockIndexSQL = `SELECT /* store.Changes */ pg_advisory_xact_lock($1, $2)`

// ChangeIndex is InTx for changes of the index that were computed from the state since. f is not repeated
// after a commit that succeeded although its answer was lost.
func (s *DB) ChangeIndex(ctx context.Context, what string, since Changes, f func(pgx.Tx) error) error {
	var t Attempts
	return s.InTx(ctx, what, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, LockIndexSQL, int32(LockClass), MergeBatchLock); err != nil {
			return err
		}
		if _, arrived, err := t.Begin(ctx, tx, since); arrived || err != nil {
			return err
		}
		return f(tx)
	})
}

// BeginChange counts a change of the index that several transactions make, and returns the new state, which
// they name. States that other programs have read before become invalid. When the index is not in the state
// since, the error is ErrIndexChanged.
func (s *DB) BeginChange(ctx context.Context, since Changes) (now Changes, err error) {
	err = s.ChangeIndex(ctx, "begin to change the index", since, func(tx pgx.Tx) (err error) {
		now, err = CountChange(ctx, tx)
		return err
	})
	return now, err
}

func CountChange(ctx context.Context, tx pgx.Tx) (now Changes, err error) {
	err = tx.QueryRow(ctx, countChangeSQL).Scan(&now)
	return now, err
}

// IndexChannel is the channel of notifications that the index has changed. The payload is "merge" (postings,
// dates and citations) or "ranks" (urlrank). A notification comes with the commit of the change, which has
// also written the row of totals.
const IndexChannel = "pgseek_index"

// SuggestionsChanged is the payload on IndexChannel when only table suggestions has changed.
const SuggestionsChanged = "suggestions"
