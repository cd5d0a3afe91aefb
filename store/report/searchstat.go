package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store"
)

// SearchRecord is a completed query as a row of stat, also one without result or with an error. Its texts
// come from outside and may contain anything: they are stored as valid UTF-8 without NUL (B1), at most
// MaxStatText bytes.
type SearchRecord struct {
	Addr, Proxy   string // of the client, and of the proxy that forwarded the request; empty = not kept, none
	Query         string
	UL, SP        string // filters: sites, subsets and parameters (with blanks), web spaces (numbers with commas)
	Site          int32  // restriction to one site, 0 = none
	NP, PS        int    // page from 0, results a page
	Sites, URLs   int    // found; URLs is ErrorInQuery after an error
	Start, Finish time.Time
	Referer       string
}

// ErrorInQuery is the SearchRecord.URLs of a query with a syntax error.
const ErrorInQuery = -1

// MaxStatText is the maximum length of a text in stat in bytes. Longer ones are cut at the end of a
// character.
const MaxStatText = 1024

const recordSearchSQL = `
	INSERT /* store.RecordSearch */ INTO stat
		(addr, proxy, query, ul, sp, site, np, ps, sites, urls, start, finish, referer)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::bigint::numeric / 1000, $12::bigint::numeric / 1000, $13)
	RETURNING txid_current()`

// statWait is how long a row waits for an unavailable database: longer than any restart, because each
// answered search must have its row.
const statWait = 5 * time.Minute

// statTry is the time limit of one attempt: connections are for searches first, and none must wait long for a
// lock on stat.
const statTry = 2 * time.Second

// RecordSearch adds one row to stat, exactly once. While the database is unavailable it waits until ctx ends,
// at most five minutes. When the answer to its commit is lost, it reads whether the transaction was committed
// before it writes again. A table that another session has locked is an error after two seconds. Role
// pgseek_search may insert the row but not read it.
func (s *Store) RecordSearch(ctx context.Context, r SearchRecord) error {
	var doubtful int64 // the transaction whose commit was not answered, 0 = none
	return s.RetryWithin(ctx, max(statWait, s.Options.WaitLimit), time.Second, "record search", func() error {
		try, cancel := context.WithTimeout(ctx, statTry)
		defer cancel()
		if doubtful != 0 {
			stored, err := s.committed(try, doubtful)
			if err != nil || stored {
				return late(ctx, err)
			}
			doubtful = 0
		}
		tx, err := s.Pool.Begin(try)
		if err != nil {
			return late(ctx, err)
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(try)) }() // after a commit it does nothing
		var id int64
		err = tx.QueryRow(try, recordSearchSQL,
			statText(r.Addr), statText(r.Proxy), statText(r.Query), statText(r.UL), statText(r.SP), r.Site,
			smallint(r.NP), smallint(r.PS), integer(r.Sites), integer(r.URLs), r.Start.UnixMilli(), r.Finish.UnixMilli(), statText(r.Referer)).Scan(&id)
		if err != nil {
			return err
		}
		err = late(ctx, tx.Commit(try))
		if err != nil && store.Classify(err) == store.ConnectionLost {
			doubtful = id
		}
		return err
	})
}

// Reasons to try again, as for a broken connection. errUndecided: a transaction whose connection broke has
// not ended yet, because the server has not noticed.
var (
	errLate      = fmt.Errorf("the database takes too long: %w", io.ErrUnexpectedEOF)
	errUndecided = fmt.Errorf("the outcome of the transaction is not known yet: %w", io.ErrUnexpectedEOF)
)

// late converts the error of a step of an attempt: a time-out means an unavailable database, unless ctx
// itself has ended.
func late(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errLate
	}
	return err
}

const committedSQL = `SELECT /* store.RecordSearch */ txid_status($1)`

// committed reports whether a transaction was committed. A crash of the server may have lost it completely:
// then its number is in the future, or unused.
func (s *Store) committed(ctx context.Context, id int64) (bool, error) {
	var status *string
	err := s.Pool.QueryRow(ctx, committedSQL, id).Scan(&status)
	switch {
	case err != nil && store.Classify(err) == store.InvalidValue:
		return false, nil
	case err != nil:
		return false, err
	case status != nil && *status == "in progress":
		return false, errUndecided
	}
	return status != nil && *status == "committed", nil
}

// statText makes a text from outside fit for stat.
func statText(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= MaxStatText {
		return text
	}
	end := MaxStatText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// smallint and integer limit numbers to the range of their columns.
func smallint(n int) int16 { return int16(max(math.MinInt16, min(n, math.MaxInt16))) }
func integer(n int) int32  { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }

const purgeStatSQL = `
	DELETE /* store.PurgeStat */ FROM stat
	WHERE start < $1::bigint::numeric / 1000 -- stat_start`

const suggestionsDueSQL = `UPDATE /* store.PurgeStat */ suggestionstate SET filled_at = NULL`

// PurgeStat removes the queries that began before a time, and returns their number (--stat-purge). The next merge
// removes from suggestions what came from them. Only the owner may call it, not the search role.
func (s *Store) PurgeStat(ctx context.Context, olderThan time.Time) (removed int64, err error) {
	err = s.Retry(ctx, "purge stat", func() error {
		return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, purgeStatSQL, olderThan.UnixMilli())
			if removed = tag.RowsAffected(); err != nil || removed == 0 {
				return err
			}
			_, err = tx.Exec(ctx, suggestionsDueSQL)
			return err
		})
	})
	return removed, err
}
