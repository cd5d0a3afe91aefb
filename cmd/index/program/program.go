package program

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strconv"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
	programs "github.com/pgseek/pgseek/convert/program"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"golang.org/x/term"
)

// program is one call of the command.
type program struct {
	o      *options
	stop   context.Context // ends when the user asks to stop
	clock  clock           // of the windows
	in     io.Reader
	out    io.Writer
	errOut io.Writer
	guard  *fetch.Guard    // of this call's crawl
	place  *programs.Place // of the files of its conversions
	cfg    *config.Config

	outage *spider.Outage // that ended the crawl; nil = none did

	log      *slog.Logger // of this call
	logFile  *os.File
	terminal *terminal // errOut, for the log and the live line
}

// mode reads the configuration and runs the mode that the options select.
func (p *program) mode(ctx context.Context) error {
	if p.o.mode.early != nil {
		return p.o.mode.early(p, ctx)
	}
	load := config.Load
	if p.o.mode.noSets {
		load = config.LoadSpider
	}
	cfg, err := load(p.o.place, p.overrides())
	if err != nil {
		return err
	}
	p.cfg = cfg
	if cfg.Spider.LogFormat != config.LogText {
		p.setLog()
		ctx, p.stop = withLog(ctx, p.log), withLog(p.stop, p.log)
	}
	defer func() { _ = p.place.Close() }() // made when the options are
	p.tellOldOptions(ctx)
	m := p.o.mode
	if m.alone != nil {
		return m.alone(p, ctx)
	}
	return p.withStore(ctx, "index "+m.name, func(ctx context.Context, s *store.DB) error { return m.run(p, ctx, s) })
}

// overrides returns the settings of spider.cnf that options set.
func (p *program) overrides() map[string]string {
	overrides := map[string]string{}
	if p.o.workers > 0 {
		overrides["Threads"] = strconv.Itoa(p.o.workers)
	}
	return overrides
}

// mostConnections bounds the connections that the fetchers share. A program has two more at most, which hold the locks of a crawl and
// of a merge. A fetcher that has a connection never waits for another one, so any number of fetchers can share them. A merge, which is
// alone, needs two.
const mostConnections = 14

// withStore opens the database, or the embedded one if DBAddr is empty, and runs a mode on it.
func (p *program) withStore(ctx context.Context, application string, mode func(context.Context, *store.DB) error) error {
	if p.o.mode.says {
		p.nameDatabase(ctx)
	}
	dsn, err := database.DSN(ctx, p.cfg.Spider.DBAddr, p.cfg.Spider.DataDir)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{
		DSN: dsn, Application: application, WaitLimit: p.cfg.Spider.DBWaitLimit, HistoryKeep: p.cfg.Spider.HistoryKeep,
		Connections: min(2*p.cfg.Spider.Threads+4, mostConnections),
	})
	if database.Misread(err, dsn) {
		return settings.BadAddress(p.cfg.SpiderFile)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	return mode(ctx, s)
}

// openLog opens the log: standard error, or the file of -r.
func (p *program) openLog() error {
	p.terminal = &terminal{out: p.errOut}
	if p.o.log != "" {
		f, err := os.OpenFile(p.o.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		p.logFile = f
	}
	p.setLog()
	return nil
}

// setLog makes the log of this call, in the form that spider.cnf names when it is read.
func (p *program) setLog() {
	var to io.Writer = p.terminal
	if p.logFile != nil {
		to = p.logFile
	}
	level, format := slog.LevelInfo, config.LogText
	if p.o.verbose {
		level = slog.LevelDebug
	}
	if p.cfg != nil {
		format = p.cfg.Spider.LogFormat
	}
	p.log = slog.New(cli.LogHandler(to, format, level))
}

func (p *program) closeLog() {
	if p.logFile != nil {
		_ = p.logFile.Close() // every line was written when it was logged
	}
}

// oneTerminal reports whether the output and the errors are read on one terminal.
func (p *program) oneTerminal() bool {
	for _, w := range []io.Writer{p.out, p.errOut} {
		if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
			return false
		}
	}
	return true
}

// live reports whether a live line can be shown on standard error.
func (p *program) live() bool {
	f, ok := p.errOut.(*os.File)
	return ok && p.o.log == "" && !p.o.verbose && p.cfg.Spider.LogFormat == config.LogText && term.IsTerminal(int(f.Fd()))
}
