// Command bench measures pgseek against the least that does the same job, in one run over the same pages (make bench).
//
//	crawl      index --no-merge of all pages
//	build      index -D of what was crawled, in one batch and in five, in turns with the least code for it (cut the texts, postings
//	           in memory, COPY of a blob a word), and with little memory; then index -a --no-merge again
//	floor      the least code for all (fetch, one tokenizer pass, gzip, postings in memory, COPY of pages and of a blob a word),
//	           and PostgreSQL's own to_tsvector and GIN over the same texts
//	rounds     index -D after changes of 5 % and of 0.1 % of the documents; PostgreSQL's index takes the same
//	searches   queries to pgseek, to GIN with ts_rank_cd, and to an in-process engine; beside a crawl and beside a merge
//	realtime   index -T of changed pages, and the -D behind it
//	synthetic  made documents, up to a million: how cost and size grow, and searches of them
//	lease      taking a schedule among ten thousand and among a million known URLs
//
// All work with one embedded server under its durable settings, one after the other with a checkpoint between
// them, and pay for the CPU of their own process and of PostgreSQL's (meter.go). The pages come from a process of their own,
// which nobody pays for. Leases are timed by the clock, in turns.
//
// The statements in this program are the opponents' and the meters', not pgseek's: those are in store.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store/embedded"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// settings are the command line.
type settings struct {
	index, demosite string // programs
	data            string // folder of everything that is written; emptied before and removed after
	root            string // what demosite serves
	set             string // what the pages are called; the bounds are set for "medium"
	parts           string // only these
	statements      int    // show so many statements of the server, 0 = none
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "floor" {
		return floorMain(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == "floor-index" {
		return floorIndexMain(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == "searches" {
		return searchMain(ctx, args[1:])
	}
	var s settings
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&s.index, "index", "bin/index", "the `program` index")
	f.StringVar(&s.demosite, "demosite", "bin/demosite", "the `program` demosite")
	f.StringVar(&s.data, "data", "", "`folder` for everything that is written; what is in it is lost")
	f.StringVar(&s.root, "root", "", "`name=folder,...` of HTML pages, each with an index.html")
	f.StringVar(&s.set, "set", "medium", "`name` of the pages; the ratio to the floor is bound for medium only")
	f.StringVar(&s.parts, "parts", "", "only these `parts` and those they need, separated by commas: crawl, build, floor, rounds, searches, realtime, synthetic, lease")
	f.IntVar(&s.statements, "statements", 0, "show the `number` of costliest statements of ours; slows the server a little")
	if err := f.Parse(args); err != nil {
		return err
	}
	if s.data == "" || s.root == "" {
		return errors.New("-data and -root are needed")
	}
	return s.bench(ctx)
}

// needs are the parts that another one goes on from.
var needs = map[string][]string{
	"build": {"crawl"}, "floor": {"crawl", "build"}, "rounds": {"crawl", "build", "floor"}, "realtime": {"crawl", "build"},
	"searches": {"crawl", "build", "floor"},
}

// wants says whether a part is to run: because it was asked for, or because one needs it that was.
func (s *settings) wants(part string) bool {
	asked := strings.Split(s.parts, ",")
	return s.parts == "" || slices.Contains(asked, part) ||
		slices.ContainsFunc(asked, func(other string) bool { return slices.Contains(needs[other], part) })
}

// bench runs all parts and prints the table. Whatever happens, it leaves no process and no folder behind.
func (s *settings) bench(ctx context.Context) (err error) {
	unlock, err := lock(s.data + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	var options []embedded.Option
	if s.statements > 0 {
		options = append(options, embedded.Setting("shared_preload_libraries=pg_stat_statements"))
	}
	cluster, err := embedded.Open(s.data, options...)
	if err != nil {
		return err
	}
	clean := func() error {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if err := cluster.Stop(closing); err != nil {
			return err
		}
		return os.RemoveAll(s.data)
	}
	if err := clean(); err != nil { // a run that was killed left it
		return err
	}
	defer func() { err = errors.Join(err, clean()) }()

	pages, err := serve(ctx, s.demosite, s.root, filepath.Join(s.data, "changed"))
	if err != nil {
		return err
	}
	defer pages.stop()
	step("%d files, %.1f MB, read once; served on %s", pages.files, float64(pages.bytes)/1e6, pages.url)

	if err := cluster.Start(ctx); err != nil {
		return err
	}
	conf, cfg, err := s.configure(pages)
	if err != nil {
		return err
	}
	b := &bench{
		settings: *s, cluster: cluster, conf: conf, rules: cfg, meter: meter{postmaster: cluster.PostmasterPID()}, pages: pages,
	}
	dsn, err := url.Parse(cluster.DSN())
	if err != nil {
		return err
	}
	b.main = &database{bench: b, name: strings.TrimPrefix(dsn.Path, "/"), dsn: dsn.String(), conf: conf}
	dsn.Path = "/postgres"
	if b.conn, err = pgx.Connect(ctx, dsn.String()); err != nil {
		return err
	}
	defer func() { _ = b.conn.Close(context.WithoutCancel(ctx)) }()
	if err := b.main.connect(ctx); err != nil {
		return err
	}
	defer b.main.disconnect(ctx)
	result, err := b.all(ctx)
	if err != nil {
		return err
	}
	result.print(os.Stdout)
	return nil
}

// lock keeps a second run away from the same folder.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another run holds %s: %w", path, err)
	}
	return func() {
		_ = os.Remove(path) // still ours: the next one makes its own
		_ = f.Close()
	}, nil
}

// configure writes the two files of ours and reads them as index will.
func (s *settings) configure(pages *pages) (conf string, cfg *config.Spider, err error) {
	conf = filepath.Join(s.data, "conf")
	if err := os.MkdirAll(conf, 0o755); err != nil {
		return "", nil, err
	}
	sets := "Period 1d\n"
	for _, m := range pages.mounts {
		sets += "Server " + pages.url + m + "/index.html\n"
	}
	if err := os.WriteFile(filepath.Join(conf, "sets.cnf"), []byte(sets), 0o644); err != nil {
		return "", nil, err
	}
	spider := "DataDir " + s.data + "\nUserAgent pgseek-bench/0.1\n"
	if err := os.WriteFile(filepath.Join(conf, "spider.cnf"), []byte(spider), 0o644); err != nil {
		return "", nil, err
	}
	all, err := config.Load(conf, nil)
	if err != nil {
		return "", nil, err
	}
	return conf, &all.Spider, nil
}

// step tells what is being done.
func step(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
