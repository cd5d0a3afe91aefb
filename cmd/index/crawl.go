package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
)

// crawlGCPercent: a crawl holds little and makes much garbage, so collecting at twice the default distance saves a
// twelfth of its CPU for some 20 MB.
const crawlGCPercent = 300

// crawlMode is index without a mode: a crawl, then the merge, which -n, --no-merge and a signal leave to -D (design.md 5).
func (p *program) crawlMode(ctx context.Context) error {
	if !p.o.quick {
		if err := p.cfg.RequireStartURLs(); err != nil {
			return err
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(crawlGCPercent)
	}
	options, err := p.spiderOptions(ctx)
	if err != nil {
		return err
	}
	if options.Limits, err = p.limits(); err != nil {
		return err
	}
	return p.withStore(ctx, "index", func(ctx context.Context, s *store.Store) error {
		reason, err := p.crawl(ctx, s, options)
		if err != nil {
			return err
		}
		if reason != spider.EndStopped && p.o.count == 0 && !p.o.noMerge {
			if err = p.merge(ctx, s); err == nil {
				return nil
			}
		}
		slog.Info("what was crawled is not in the inverted index yet; index -D merges it")
		if reason == spider.EndStopped {
			return errInterrupted
		}
		return err
	})
}

// crawl runs one crawl under the crawl lock, as one row of reindexing.
func (p *program) crawl(ctx context.Context, s *store.Store, options *spider.Options) (reason string, err error) {
	lock, err := s.Lock(ctx, "crawl")
	if err != nil {
		return "", err
	}
	defer lock.Release()
	limited := !options.Limits.Any() || options.Count > 0
	run, err := s.StartRun(ctx, "crawl", programName(), strings.Join(p.o.text, " "), limited, p.cfg.Hash[:])
	if err != nil {
		return "", err
	}
	stop, cancel := context.WithCancel(p.stop)
	defer cancel()
	go func() {
		if s.WatchStop(stop, run) {
			cancel()
		}
	}()
	show := p.newProgress()
	var last time.Time
	if err := p.openTyped(ctx, s); err != nil {
		return "", err
	}
	options.Interval = show.interval
	options.Progress = func(now spider.Progress) {
		show.crawl(now)
		if time.Since(last) > 5*time.Second {
			last = time.Now()
			_ = s.CountRun(ctx, run, now.Counts) // the end writes them again
		}
	}
	reason, done, err := spider.Run(ctx, stop, s, run, *options)
	show.end()
	closing, closed := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer closed()
	if ended := s.EndRun(closing, run, reason, done.Counts); ended != nil && err == nil {
		err = ended
	}
	if err == nil {
		show.crawlSummary(reason, done)
	}
	return reason, err
}

// programName is what reindexing.program says of us.
func programName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Sprintf("index %s/%d", host, os.Getpid())
}
