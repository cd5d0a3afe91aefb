package program

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strconv"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"golang.org/x/term"
)

// program is one call of the command.
type program struct {
	o      *options
	stop   context.Context // ends when the user asks to stop
	in     io.Reader
	out    io.Writer
	errOut io.Writer
	guard  *fetch.Guard // of this call's crawl
	cfg    *config.Config

	log      *slog.Logger // of this call
	logFile  *os.File
	terminal *terminal // errOut, for the log and the live line
}

// mode does what the options ask for.
func (p *program) mode(ctx context.Context) error {
	overrides := map[string]string{}
	if p.o.workers > 0 {
		overrides["Threads"] = strconv.Itoa(p.o.workers)
	}
	cfg, err := config.Load(p.o.place, overrides)
	if err != nil {
		return err
	}
	p.cfg = cfg
	switch {
	case p.o.db != "":
		return p.database(ctx)
	case p.o.realtime != nil:
		return p.withStore(ctx, "index -T", p.realtimeMode)
	case p.o.merge:
		return p.withStore(ctx, "index -D", p.merge)
	case p.o.ranks:
		return p.withStore(ctx, "index -K", p.ranks)
	case p.o.relink:
		return p.withStore(ctx, "index -H", p.relink)
	case p.o.statistics && p.o.sites:
		return p.withStore(ctx, "index -S", p.sites)
	case p.o.statistics:
		return p.withStore(ctx, "index -S", p.statistics)
	case p.o.path != "":
		return p.withStore(ctx, "index -P", p.path)
	case p.o.explain != "":
		return p.withStore(ctx, "index --explain", p.explain)
	case p.o.dryRunRules:
		return p.withStore(ctx, "index --dry-run-rules", p.dryRunRules)
	case p.o.recrawl != "":
		return p.withStore(ctx, "index --recrawl", p.recrawl)
	case p.o.purgeLost != "":
		return p.withStore(ctx, "index --purge-lost", p.purgeLost)
	case p.o.orphans != "":
		return p.withStore(ctx, "index --orphans", p.orphans)
	case p.o.release != "":
		return p.withStore(ctx, "index --release", p.release)
	case p.o.groups:
		return p.withStore(ctx, "index -B", p.regroup)
	case p.o.totals:
		return p.withStore(ctx, "index -U", p.countTotals)
	case p.o.space != 0:
		return p.withStore(ctx, "index -A", p.spaceMode)
	case p.o.dumpMarks != "":
		return p.withStore(ctx, "index --dump-markdel", p.dumpMarkdel)
	case p.o.stop:
		return p.withStore(ctx, "index -E", p.stopCrawl)
	case p.o.clear:
		return p.withStore(ctx, "index -C", p.clear)
	case p.o.insert:
		return p.withStore(ctx, "index -i", p.insert)
	case p.o.verify, p.o.examine == "1":
		return p.withStore(ctx, "index -X1", p.checkIndex)
	case p.o.rebuildIndex:
		return p.withStore(ctx, "index --rebuild-index", p.rebuildIndex)
	case p.o.examine == "2":
		return p.withStore(ctx, "index -X2", p.mendIndex)
	case p.o.search != "":
		return p.searchMode(ctx)
	case p.o.dumpWord != "":
		return p.withStore(ctx, "index --dump-word", p.dumpWord)
	default:
		return p.crawlMode(ctx)
	}
}

// withStore opens the database, the embedded one when DBAddr names none, and runs a mode on it.
func (p *program) withStore(ctx context.Context, application string, mode func(context.Context, *store.DB) error) error {
	dsn, err := database.DSN(ctx, p.cfg.Spider.DBAddr, p.cfg.Spider.DataDir)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{
		DSN: dsn, Application: application, WaitLimit: p.cfg.Spider.DBWaitLimit, HistoryKeep: p.cfg.Spider.HistoryKeep,
		Connections: 2*p.cfg.Spider.Threads + 4,
	})
	if database.Misread(err, dsn) {
		return p.badAddress()
	}
	if err != nil {
		return err
	}
	defer s.Close()
	return mode(ctx, s)
}

// badAddress is about a DBAddr that the driver cannot read, or misreads.
func (p *program) badAddress() error {
	at := p.cfg.SpiderFile
	if os.Getenv("PGSEEK_DBADDR") != "" {
		at = "PGSEEK_DBADDR"
	}
	return config.Errors{{File: at, Keyword: "DBAddr", Reason: database.BadAddress}}
}

// openLog sends the log to standard error, or to the file of -r.
func (p *program) openLog() error {
	p.terminal = &terminal{out: p.errOut}
	var to io.Writer = p.terminal
	if p.o.log != "" {
		f, err := os.OpenFile(p.o.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		p.logFile, to = f, f
	}
	level := slog.LevelInfo
	if p.o.verbose {
		level = slog.LevelDebug
	}
	p.log = slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level}))
	return nil
}

func (p *program) closeLog() {
	if p.logFile != nil {
		_ = p.logFile.Close() // every line was written when it was logged
	}
}

// live reports whether a live line can be shown on standard error.
func (p *program) live() bool {
	f, ok := p.errOut.(*os.File)
	return ok && p.o.log == "" && !p.o.verbose && term.IsTerminal(int(f.Fd()))
}
