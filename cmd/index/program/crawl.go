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

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// crawlGCPercent is the garbage collector's target during a crawl, which holds little memory and allocates much:
// collecting at twice the default distance saves a twelfth of its CPU and costs about 20 MB.
const crawlGCPercent = 300

// The collector works harder near the sum of these: what is always there, for each fetcher, and for the large pages that are read at a
// time. The bound of docs/reference/promises.md is above it (12 MiB for a large page), because the collector comes late.
const (
	crawlMemory       = 256 << 20
	fetcherMemory     = 1 << 20
	largeBodiesMemory = spider.MaxLargeBodies * 8 << 20
)

// boundMemory sets the goals of the garbage collector for a crawl or index -T, unless the environment does.
func (p *program) boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(crawlGCPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(crawlMemory + largeBodiesMemory + fetcherMemory*int64(p.cfg.Spider.Threads))
	}
}

// crawlMode is index without a mode: a crawl, then the merge. With -n, with --no-merge and after a signal the
// merge is left to -D. Of several processes that crawl together the last one merges.
func (p *program) crawlMode(ctx context.Context) error {
	if p.endless() {
		return p.alwaysMode(ctx)
	}
	if !p.o.quick {
		if err := p.cfg.RequireStartURLs(); err != nil {
			return err
		}
	}
	p.boundMemory()
	options, err := p.crawlOptions(ctx)
	if err != nil {
		return err
	}
	return p.withStore(ctx, "index", func(ctx context.Context, s *store.DB) error {
		if err := p.admit(ctx, s, options); err != nil {
			return err
		}
		if told, err := p.acceptedForRounds(ctx, s); err != nil || told {
			return err
		}
		if p.o.takeover {
			if err := p.takeOver(ctx, s); err != nil {
				return err
			}
		}
		done, err := p.crawl(ctx, s, options, nil)
		for err == nil && done.reason == spider.EndRound { // of a crawl without end; the next round goes on
			done, err = p.crawl(ctx, s, options, nil)
		}
		if err != nil {
			return err
		}
		run, reason, ended := done.run, done.reason, done.ended
		var untold error // why the end could not be told, or what came of all start URLs: nothing
		if reason == spider.EndOutage {
			untold = p.outage
		} else if ended {
			untold = p.tellEnd(ctx, s, run, options)
			if errors.As(untold, new(nothingFound)) && reason != spider.EndComplete {
				untold = nil
			}
		}
		if ended && slices.Contains(mergedAfter, reason) && p.o.count == 0 && !p.o.noMerge {
			if err = p.merge(ctx, s); err == nil {
				return untold
			}
		}
		if ended {
			slog.InfoContext(ctx, "crawled documents are not in the inverted index yet; index -D merges them")
		} else {
			slog.InfoContext(ctx, "other processes continue this crawl; the last one merges")
		}
		if (reason == spider.EndStopped || reason == spider.EndContinue) && (untold == nil || ctx.Err() != nil) {
			return errInterrupted
		}
		if err == nil {
			err = untold
		}
		return err
	})
}

// mergedAfter has the reasons for which a crawl ends and merges.
var mergedAfter = []string{spider.EndComplete, spider.EndPaused, spider.EndLimit, spider.EndOutage}

// crawlOptions returns the options of a crawl, whose start URLs may be connected to, and tells what of the configuration has less effect
// than it seems.
func (p *program) crawlOptions(ctx context.Context) (*spider.Options, error) {
	options, err := p.spiderOptions()
	if err != nil {
		return nil, err
	}
	if err := p.openStarts(ctx, options.Servers); err != nil {
		return nil, err
	}
	if options.Limits, err = p.limits(); err != nil {
		return nil, err
	}
	p.tellIgnored(ctx, options.Servers)
	tellMissing(ctx, options.Converters)
	return options, nil
}

// workOptions returns the options that say which URLs a crawl visits and how, as text. It is equal for all
// processes of a run.
func (p *program) workOptions(l crawl.Limits) string {
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

// crawlRound is what a crawl without end adds to a run.
type crawlRound struct {
	entered func(ctx context.Context, p *crawl.Process) error // before the work
	watch   func(ctx context.Context, process *crawl.Process) // beside it, until it ends
}

// crawled is the part of a process in a run that has ended for it.
type crawled struct {
	run      store.RunID
	reason   string // why this process ended
	ended    bool   // the whole run ended with it
	progress spider.Progress
}

// crawl joins the crawl of this database, or begins one. round is nil unless it crawls without end.
func (p *program) crawl(ctx context.Context, s *store.DB, options *spider.Options, round *crawlRound) (crawled, error) {
	process, err := crawl.New(s).EnterCrawl(p.stop, crawl.CrawlRequest{
		Program: programName(), Options: p.commandLine(), Work: p.workOptions(options.Limits), Config: p.cfg.Hash[:],
		Limited: !options.Limits.Any() || options.Count > 0, Respider: p.o.respider, Round: round != nil,
	})
	if err != nil {
		if p.stop.Err() != nil {
			err = errInterrupted
		}
		return crawled{}, err
	}
	if !process.First && round == nil {
		slog.InfoContext(ctx, "joining the running crawl", "run", process.Run.ID)
	}
	options.NewStarts = func(urls []string) { p.tellScope(ctx, urls) }
	show := p.newProgress()
	done := crawled{run: process.Run.ID}
	err = p.asRun(ctx, func(ctx context.Context, run *openRun) (store.Counts, error) {
		if round != nil {
			err = round.entered(ctx, process)
		}
		done.reason = spider.EndFailed
		if err == nil {
			done.reason, done.progress, err = p.crawlAs(ctx, s, process, options, show, round)
		}
		run.reason = done.reason
		run.end = func(ctx context.Context, reason string, counts store.Counts) (left error) {
			if done.ended, left = process.Leave(ctx, reason, counts); left != nil || !done.ended || err != nil {
				return left
			}
			if done.progress.Outage != nil {
				return done.progress.Outage.PutBack(ctx, crawl.New(s))
			}
			if round == nil {
				if left = crawl.New(s).RememberSession(ctx, done.run); left != nil {
					return left
				}
			}
			left = crawl.New(s).ArmGates(ctx, crawl.GateRules{Share: options.MaxLostShare, Period: options.LostPeriod})
			if left == nil {
				left = spider.HoldNoIndex(ctx, crawl.New(s), *options)
			}
			if p.stop.Err() != nil { // the next run does it
				return nil
			}
			return left
		}
		p.outage = done.progress.Outage
		return done.progress.Counts, err
	})
	if err == nil && (round == nil || done.progress.Documents > 0) {
		show.crawlSummary(ctx, done.reason, done.progress)
	}
	if err == nil && round == nil {
		err = warnOfPauses(ctx, s)
	}
	return done, err
}

// crawlAs crawls as a process of a run until no URL is due, someone asks the run or this process to stop, or the
// process loses its locks. It returns why it ended.
func (p *program) crawlAs(ctx context.Context, s *store.DB, process *crawl.Process, options *spider.Options, show *progress, round *crawlRound) (
	reason string, done spider.Progress, err error,
) {
	ctx, drop := context.WithCancel(ctx)
	defer drop()
	stop, cancel := context.WithCancel(p.stop)
	defer cancel()
	var asked atomic.Value // the reason with which the run ends when somebody asked it to stop
	var lost error         // the locks
	var watch sync.WaitGroup
	watching, unwatch := context.WithCancel(ctx)
	news := spider.NewNotifier()
	watch.Go(func() {
		if lost = process.Watch(watching, func(reason string) { asked.Store(reason); cancel() }, news.Notify); lost != nil {
			drop()
		}
	})
	if round != nil {
		watch.Go(func() { round.watch(watching, process) })
	}
	if err = p.openManual(ctx, s); err == nil {
		err = p.storeWordRules(ctx, s, options.Scope, false)
	}
	if err == nil {
		options.Interval, options.Progress, options.Notifier = show.interval, show.crawl, news
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
	return reason, done, err
}

// takeOver is --takeover: it ends the running crawl, with the reason that this one displaced it.
func (p *program) takeOver(ctx context.Context, s *store.DB) error {
	err := p.endCrawl(ctx, s, crawl.StopTakeover)
	if errors.Is(err, errNoCrawl) {
		return nil
	}
	return err
}
