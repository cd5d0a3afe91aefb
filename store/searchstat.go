package store

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// SearchRecord is a completed query as table stat has it, also one without result or with an error (aspseek.md 9.5). Its
// texts come from outside and may hold anything: they are stored as valid UTF-8 without NUL (B1), at most MaxStatText bytes.
type SearchRecord struct {
	Addr, Proxy   string // of the client, and of the proxy that it came by; empty = not kept, none
	Query         string
	UL, SP        string // restrictions to sites or subsets, and to web spaces (numbers with commas)
	Site          int32  // restriction to one site, 0 = none
	NP, PS        int    // page from 0, results a page
	Sites, URLs   int    // found; URLs is ErrorInQuery after an error
	Start, Finish time.Time
	Referer       string
}

// ErrorInQuery is SearchRecord.URLs of a query that could not be read.
const ErrorInQuery = -1

// MaxStatText is the length of a text in stat in bytes. What is longer is cut at the end of a character.
const MaxStatText = 1024

const recordSearchSQL = `
	INSERT /* store.RecordSearch */ INTO stat
		(addr, proxy, query, ul, sp, site, np, ps, sites, urls, start, finish, referer)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::bigint::numeric / 1000, $12::bigint::numeric / 1000, $13)`

// RecordSearch adds one row to stat, once: it waits for a database that is away as everything does, and sends the row again
// where it cannot have been stored. Where the answer to its commit is missing it returns an error, and the row may be there or
// not: a query twice would be worse than none. Role pgseek_search may do it, and may not look.
func (s *Store) RecordSearch(ctx context.Context, r SearchRecord) error {
	var unknown error
	err := s.retry(ctx, "record search", func() error {
		unknown = nil
		tx, err := s.pool.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
		_, err = tx.Exec(ctx, recordSearchSQL,
			statText(r.Addr), statText(r.Proxy), statText(r.Query), statText(r.UL), statText(r.SP), r.Site,
			smallint(r.NP), smallint(r.PS), integer(r.Sites), integer(r.URLs), r.Start.UnixMilli(), r.Finish.UnixMilli(), statText(r.Referer))
		if err != nil {
			return err
		}
		err = tx.Commit(ctx)
		if err != nil && judge(err) == reconnect {
			unknown = err
			return nil
		}
		return err
	})
	if unknown != nil {
		return fmt.Errorf("record search: not known whether it was stored: %w", unknown)
	}
	return err
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

// smallint and integer keep numbers within their columns.
func smallint(n int) int16 { return int16(max(math.MinInt16, min(n, math.MaxInt16))) }
func integer(n int) int32  { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }

const purgeStatSQL = `
	DELETE /* store.PurgeStat */ FROM stat
	WHERE start < $1::bigint::numeric / 1000 -- stat_start`

// PurgeStat removes the queries that began before a time, and returns how many they were (--stat-purge). It is the owner's,
// not the search role's.
func (s *Store) PurgeStat(ctx context.Context, olderThan time.Time) (removed int64, err error) {
	err = s.retry(ctx, "purge stat", func() error {
		tag, err := s.pool.Exec(ctx, purgeStatSQL, olderThan.UnixMilli())
		removed = tag.RowsAffected()
		return err
	})
	return removed, err
}
