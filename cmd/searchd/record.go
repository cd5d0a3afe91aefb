package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// recorder writes the rows of table stat. It writes them where it searches or, if that is a standby, to the
// primary that spider.cnf names. It is safe for concurrent use.
type recorder struct {
	here    *store.DB
	primary func(context.Context) (*store.DB, error) // opens it; nil = not configured
	ctx     context.Context                          // ends with the program
	standby atomic.Bool                              // here was one at the last look

	once  sync.Once
	found chan struct{} // closed when there is set, or will not be
	there *store.DB     // the primary, nil = none
}

// recordWait bounds how long a row waits for a primary that has not answered yet. RecordSearch waits as long for
// one that went away.
const recordWait = 5 * time.Minute

// errNoPrimary is the reason why a row is dropped after recordWait.
var errNoPrimary = fmt.Errorf("the primary has not answered: %w", store.ErrUnavailable)

// newRecorder returns the recorder of a searchd that searches in here, and logs where the rows go if they go
// elsewhere.
func (p *program) newRecorder(ctx context.Context, here *store.DB) *recorder {
	r := &recorder{here: here, ctx: ctx, found: make(chan struct{})}
	if addr := p.cfg.Spider.DBAddr; addr != "" && addr != p.cfg.Search.DBAddr {
		r.primary = func(ctx context.Context) (*store.DB, error) {
			return p.open(ctx, addr, store.Options{Application: "searchd stat", WaitLimit: searchWait, Role: store.SearchRole})
		}
	}
	r.look(ctx)
	return r
}

// look asks whether here is a standby. That changes when the standby is promoted, or when the address leads to
// another server.
func (r *recorder) look(ctx context.Context) bool {
	standby, err := r.here.Standby(ctx)
	if err != nil {
		return r.standby.Load()
	}
	if was := r.standby.Swap(standby); was && !standby {
		slog.InfoContext(ctx, "the standby is a primary now; searches are recorded there")
	}
	if standby {
		r.once.Do(func() { go r.find() })
	}
	return standby
}

// find opens the primary, retrying until it answers. If there is none, it logs the reason once.
func (r *recorder) find() {
	defer close(r.found)
	reason := "spider.cnf names no other server"
	for pause := connectPause; r.primary != nil; pause = min(2*pause, connectPauseMax) {
		there, err := r.primary(r.ctx)
		if err == nil {
			standby, asked := there.Standby(r.ctx)
			if asked == nil && !standby {
				r.there = there
				slog.InfoContext(r.ctx, "searching on a standby; searches are recorded on the server of spider.cnf")
				return
			}
			there.Close()
			if err = asked; err == nil {
				reason = "the server of spider.cnf is a standby, too"
				break
			}
		}
		if r.ctx.Err() != nil {
			return
		}
		if !passes(err) {
			reason = database.OneLine(err)
			break
		}
		slog.WarnContext(r.ctx, "cannot reach the server of spider.cnf, which records searches", "again_in", pause, "cause", database.OneLine(err))
		select {
		case <-r.ctx.Done():
			return
		case <-time.After(pause):
		}
	}
	slog.WarnContext(r.ctx, "searches are not recorded: searchd.conf names a standby, and spider.cnf does not name its primary", "cause", reason)
}

// record writes a row. If the primary is unknown it drops the row; find has logged that.
func (r *recorder) record(ctx context.Context, row web.StatRow) error {
	x := report.SearchRecord{
		Addr: row.Addr, Proxy: row.Proxy, Query: row.Query, UL: row.UL, SP: row.SP, Site: row.Site, NP: row.Page, PS: row.PerPage,
		Sites: int(row.Sites), URLs: int(row.URLs), Start: row.Start, Finish: row.Finish, Referer: row.Referer,
	}
	if !r.standby.Load() || !r.look(ctx) {
		if err := report.New(r.here).RecordSearch(ctx, x); !database.ReadOnly(err) || !r.look(ctx) {
			return err
		}
	}
	wait, cancel := context.WithTimeout(ctx, recordWait)
	defer cancel()
	select {
	case <-r.found:
	case <-wait.Done():
		return errors.Join(ctx.Err(), errNoPrimary)
	}
	if r.there == nil {
		return nil
	}
	return report.New(r.there).RecordSearch(ctx, x)
}

// close closes the connections to the primary. The program's context has ended and no row is written any more.
func (r *recorder) close() {
	r.once.Do(func() { close(r.found) })
	<-r.found
	if r.there != nil {
		r.there.Close()
	}
}
