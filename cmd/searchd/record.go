package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// recorder writes the rows of table stat to the primary, wherever searches are answered. It is safe for concurrent use.
type recorder struct{ databases *databases }

// recordWait bounds how long a row waits for a primary. RecordSearch waits as long for one that went away.
const recordWait = 5 * time.Minute

// errNoPrimary is the reason why a row is dropped after recordWait.
var errNoPrimary = fmt.Errorf("the primary has not answered: %w", store.ErrUnavailable)

// record writes a row. When another database becomes the primary meanwhile, the row goes there. Without a primary it drops the row,
// which was logged.
func (r *recorder) record(ctx context.Context, row web.StatRow) error {
	x := report.SearchRecord{
		Addr: row.Addr, Proxy: row.Proxy, Query: row.Query, UL: row.UL, SP: row.SP, Site: row.Site, NP: row.Page, PS: row.PerPage,
		Sites: int(row.Sites), URLs: int(row.URLs), Start: row.Start, Finish: row.Finish, Referer: row.Referer,
	}
	wait, cancel := context.WithTimeout(ctx, recordWait)
	defer cancel()
	for {
		db, until, none := r.databases.recording()
		switch {
		case none:
			return web.ErrNotRecorded
		case db != nil:
			err := recordOn(wait, until, db, x)
			if err == nil || until.Err() == nil && !database.ReadOnly(err) {
				return err
			}
		}
		select {
		case <-until.Done():
		case <-time.After(probePause):
		case <-wait.Done():
			return errors.Join(ctx.Err(), errNoPrimary)
		}
	}
}

// recordOn writes a row to a database, until another one takes its place.
func recordOn(ctx, until context.Context, db *store.DB, x report.SearchRecord) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(until, cancel)()
	return report.New(db).RecordSearch(ctx, x)
}
