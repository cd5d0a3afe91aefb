// Command bench compares pgseek with the minimal code for the same job, in one run over the same pages (make bench).
//
//	crawl      index --no-merge of all pages
//	build      index -D of the crawl, in one batch and in five, alternating with the minimal code for it (cut the texts, postings
//	           in memory, COPY of one blob per word), and with little memory; then index -a --no-merge again
//	floor      the minimal code for all (fetch, one tokenizer pass, gzip, postings in memory, COPY of pages and of one blob per
//	           word), and PostgreSQL's own to_tsvector and GIN over the same texts
//	rounds     index -D after changes of 5 % and of 0.1 % of the documents; PostgreSQL's index takes the same changes
//	searches   queries to pgseek, to GIN with ts_rank_cd, and to an in-process engine; during a crawl and during a merge
//	realtime   index -T of changed pages, and the -D after it
//	synthetic  generated documents, up to a million: how cost and size grow, and searches of them
//	office     Word documents with the texts of the pages, from bytes to words, and the pages themselves
//	lease      taking a schedule among ten thousand and among a million registered URLs
//	leases     four processes that take schedules of a thousand hosts side by side and give them back
//	width      crawls of the same number of documents, from 16 fetchers on 5 hosts to 500 on 100
//
// All parts use one embedded server under its durable settings, one after the other with a checkpoint between them. The cost
// of each is the CPU of its own process and of PostgreSQL's (meter.go). The web server of the pages is a process of its own
// and is not measured. Leases are timed by the clock, alternating.
//
// The SQL statements in this program belong to the alternatives and to the meters. Those of pgseek are in store.
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

// settings is the command line.
type settings struct {
	index, demosite string // programs
	data            string // folder for everything that is written; deleted before and after
	root            string // what demosite serves
	set             string // name of the set of pages; the bounds are for "medium"
	parts           string // only these
	before          string // program, empty = none
	statements      int    // how many statements to show, 0 = none
}

// children are what this program does as a process of its own.
var children = map[string]func(context.Context, []string) error{
	"floor": floorMain, "floor-index": floorIndexMain, "searches": searchMain, "hosts": hostsMain, "leases": leasesMain,
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && children[args[0]] != nil {
		return children[args[0]](ctx, args[1:])
	}
	var s settings
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&s.index, "index", "bin/index", "the `program` index")
	f.StringVar(&s.demosite, "demosite", "bin/demosite", "the `program` demosite")
	f.StringVar(&s.data, "data", "", "`folder` for everything that is written; its contents are deleted")
	f.StringVar(&s.root, "root", "", "`name=folder,...` of HTML pages, each with an index.html")
	f.StringVar(&s.set, "set", "medium", "`name` of the set of pages; the ratio to the floor has a bound for medium only")
	f.StringVar(&s.parts, "parts", "", "only these `parts` and those they need, separated by commas: crawl, build, floor, rounds, searches, realtime, synthetic, lease, leases, width, office")
	f.StringVar(&s.before, "before", "", "another `program` index, of an earlier version, whose first crawl is measured beside that of -index")
	f.IntVar(&s.statements, "statements", 0, "show this `number` of pgseek's costliest statements; slows the server slightly")
	if err := f.Parse(args); err != nil {
		return err
	}
	if s.data == "" || s.root == "" {
		return errors.New("-data and -root are needed")
	}
	return s.bench(ctx)
}

// needs are the parts that a part depends on.
var needs = map[string][]string{
	"build": {"crawl"}, "floor": {"crawl", "build"}, "rounds": {"crawl", "build", "floor"}, "realtime": {"crawl", "build"},
	"searches": {"crawl", "build", "floor"},
}

// wants reports whether a part is to run: because it was asked for, or because a part that was asked for needs it.
func (s *settings) wants(part string) bool {
	asked := strings.Split(s.parts, ",")
	return s.parts == "" || slices.Contains(asked, part) ||
		slices.ContainsFunc(asked, func(other string) bool { return slices.Contains(needs[other], part) })
}

// bench runs all parts and prints the tables. It always stops its processes and removes its folder.
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
	if err := clean(); err != nil { // left by a run that was killed
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

// lock keeps a second run out of the same folder.
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
		_ = os.Remove(path) // still ours: the next run creates its own
		_ = f.Close()
	}, nil
}

// configure writes a configuration and reads it as index will.
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

// step prints what is being done.
func step(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
