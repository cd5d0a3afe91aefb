package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// crawlGCPercent: a crawl holds little and makes much garbage, so collecting at twice the default distance saves a
// twelfth of its CPU for some 20 MB.
const crawlGCPercent = 300

// crawlMode is index without a mode: a crawl, then the merge, which -n, --no-merge and a signal leave to -D (design.md 5),
// and which the last one does of several processes that crawl together.
func (p *program) crawlMode(ctx context.Context) error {
	if !p.o.quick {
		if err := p.cfg.RequireStartURLs(); err != nil {
			return err
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(crawlGCPercent)
	}
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	if err := p.openStarts(ctx, options.Servers); err != nil {
		return err
	}
	if options.Limits, err = p.limits(); err != nil {
		return err
	}
	return p.withStore(ctx, "index", func(ctx context.Context, s *store.DB) error {
		if p.o.takeover {
			if err := p.takeOver(ctx, s); err != nil {
				return err
			}
		}
		reason, ended, err := p.crawl(ctx, s, options)
		if err != nil {
			return err
		}
		if ended && reason == spider.EndComplete && p.o.count == 0 && !p.o.noMerge {
			if err = p.merge(ctx, s); err == nil {
				return nil
			}
		}
		if ended {
			slog.InfoContext(ctx, "what was crawled is not in the inverted index yet; index -D merges it")
		} else {
			slog.InfoContext(ctx, "other processes go on with this crawl; the last one merges")
		}
		if reason == spider.EndStopped || reason == spider.EndContinue {
			return errInterrupted
		}
		return err
	})
}

// work is the text of the options that say which URLs a crawl visits and how: equal for all processes of a run.
func (p *program) work(l crawl.Limits) string {
	var parts []string
	for _, flag := range []struct {
		name  string
		given bool
	}{{"-a", p.o.all}, {"-m", p.o.forced}, {"-q", p.o.quick}, {"-M", p.o.tmpurl}, {"--respider", p.o.respider}} {
		if flag.given {
			parts = append(parts, flag.name)
		}
	}
	for _, status := range sorted(l.Statuses) {
		parts = append(parts, fmt.Sprintf("-s %d", status))
	}
	for _, tag := range sorted(l.Tags) {
		parts = append(parts, fmt.Sprintf("-t %d", tag))
	}
	for _, pattern := range sorted(l.URLs) {
		parts = append(parts, fmt.Sprintf("-u %q", pattern))
	}
	return strings.Join(parts, " ")
}

func sorted[T int32 | string](list []T) []T {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// crawl takes part in the crawl of this database, or begins one. It returns why it ended here, and whether the whole run
// ended with it.
func (p *program) crawl(ctx context.Context, s *store.DB, options *spider.Options) (reason string, ended bool, err error) {
	process, err := crawl.New(s).EnterCrawl(p.stop, crawl.CrawlRequest{
		Program: programName(), Options: strings.Join(p.o.text, " "), Work: p.work(options.Limits), Config: p.cfg.Hash[:],
		Limited: !options.Limits.Any() || options.Count > 0, Respider: p.o.respider,
	})
	if err != nil {
		if p.stop.Err() != nil {
			err = errInterrupted
		}
		return "", false, err
	}
	if !process.First {
		slog.InfoContext(ctx, "joins the crawl that runs", "run", process.Run.ID)
	}
	ctx, drop := context.WithCancel(ctx)
	defer drop()
	stop, cancel := context.WithCancel(p.stop)
	defer cancel()
	var asked atomic.Value // as what the run ends that somebody asked to stop
	var lost error         // the locks
	var watch sync.WaitGroup
	watching, unwatch := context.WithCancel(ctx)
	news := spider.NewNews()
	watch.Go(func() {
		if lost = process.Watch(watching, func(reason string) { asked.Store(reason); cancel() }, news.Tell); lost != nil {
			drop()
		}
	})
	show := p.newProgress()
	var done spider.Progress
	if err = p.openTyped(ctx, s); err == nil {
		err = p.keepWordRules(ctx, s)
	}
	if err == nil {
		options.Interval, options.Progress, options.News = show.interval, show.crawl, news
		reason, done, err = spider.Run(ctx, stop, crawl.New(s), process, *options)
	} else {
		reason = spider.EndFailed
	}
	show.end()
	unwatch()
	watch.Wait()
	if lost != nil {
		reason, err = spider.EndFailed, lost
	}
	if why, _ := asked.Load().(string); why != "" && reason == spider.EndStopped {
		reason = why
	}
	closing, closed := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer closed()
	ended, left := process.Leave(closing, reason, done.Counts)
	if left == nil && ended && err == nil {
		left = crawl.New(s).ArmGates(ctx, crawl.GateRules{Share: options.MaxLostShare, Period: options.LostPeriod})
		if left != nil && p.stop.Err() != nil { // the next run does it
			left = nil
		}
	}
	if left != nil && err == nil {
		err = left
	}
	if err == nil {
		show.crawlSummary(ctx, reason, done)
	}
	return reason, ended, err
}

// takeOver is --takeover: it ends the running crawl, as displaced by this one (YQ-37).
func (p *program) takeOver(ctx context.Context, s *store.DB) error {
	err := p.endCrawl(ctx, s, crawl.StopTakeover)
	if errors.Is(err, errNoCrawl) {
		return nil
	}
	return err
}

// programName is what reindexing.program says of us.
func programName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Sprintf("index %s/%d", host, os.Getpid())
}
