package program

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// clock is the time of day by which windows open and close. Tests move it.
type clock interface {
	Now() time.Time
	After(time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// endless reports whether this call crawls without end: index --continuous, or a plain index with such a CrawlMode. The options of one
// crawl, such as -a, are for one crawl.
func (p *program) endless() bool {
	return p.o.continuous || !p.o.once && !p.o.oneCrawl && p.cfg.Spider.CrawlMode != config.CrawlOnce
}

// rounds is a crawl without end: rounds, merges, and waiting.
type rounds struct {
	p       *program // with the configuration in force
	s       *store.DB
	held    *crawl.Rounds
	clock   clock
	options *spider.Options
	inForce atomic.Pointer[config.Config] // for /admin

	news chan struct{}    // crawl_control has changed, or there may be work
	hup  <-chan os.Signal // asks to read the configuration again

	rules rulesState
	past  past
	told  time.Time // when holds and pauses were logged last
}

// alwaysMode crawls in rounds until somebody asks it to stop, which is its normal end.
func (p *program) alwaysMode(ctx context.Context) error {
	if err := p.cfg.RequireStartURLs(); err != nil {
		return err
	}
	p.boundMemory()
	options, err := p.crawlOptions(ctx)
	if err != nil {
		return err
	}
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	return p.withStore(ctx, "index", func(ctx context.Context, s *store.DB) error {
		if err := p.refuseSecond(ctx, s); err != nil {
			return err
		}
		if err := p.admit(ctx, s, options); err != nil {
			return err
		}
		r := &rounds{p: p, s: s, clock: p.clock, options: options, news: make(chan struct{}, 1), hup: hup}
		r.inForce.Store(p.cfg)
		serving, end := context.WithCancel(ctx)
		ended, err := p.serveAdmin(serving, r.inForce.Load)
		if err != nil {
			end()
			return err
		}
		defer func() { end(); ended() }()
		return r.run(ctx)
	})
}

// mode is the CrawlMode of these rounds.
func (r *rounds) mode() string {
	if r.p.cfg.Spider.CrawlMode == config.CrawlScheduled {
		return config.CrawlScheduled
	}
	return config.CrawlContinuous
}

// run enters the crawl without end, and leaves it when it ends.
func (r *rounds) run(ctx context.Context) (err error) {
	if r.held, err = crawl.New(r.s).EnterRounds(ctx, r.mode(), programName()); err != nil {
		return err
	}
	cli.Ready(ctx, "crawling in rounds; index --status says more")
	working, drop := context.WithCancel(ctx)
	defer drop()
	listening, end := context.WithCancel(ctx)
	var lost error // the lock: then this program must not go on
	var aside sync.WaitGroup
	aside.Go(func() {
		if lost = r.held.Listen(listening, r.notify); lost != nil {
			drop()
		}
	})
	err = r.loop(working)
	end()
	aside.Wait()
	if lost != nil {
		err = lost
	}
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if left := r.held.Leave(leaving); err == nil {
		err = left
	}
	return err
}

func (r *rounds) notify() {
	select {
	case r.news <- struct{}{}:
	default: // it will look anyway
	}
}

// loop does one thing after the other: it reads the configuration again, crawls, merges or waits.
func (r *rounds) loop(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	for r.p.stop.Err() == nil {
		o, err := r.held.Outlook(ctx)
		if err == nil {
			err = r.reread(ctx, &o)
		}
		if err != nil {
			return r.end(err)
		}
		if o.Stop {
			slog.InfoContext(ctx, "stopped by index -E")
			return nil
		}
		next := r.plan(o)
		switch next.step {
		case stepRound:
			err = r.round(ctx, o)
		case stepMerge:
			err = r.merge(ctx)
		case stepWait:
			err = r.wait(ctx, next)
		}
		if err != nil {
			return r.end(err)
		}
	}
	return nil
}

// begin announces the rules of this program.
func (r *rounds) begin(ctx context.Context) error {
	slog.InfoContext(ctx, "crawling without end", "mode", r.mode(), "merge_interval", r.p.cfg.Spider.MergeInterval, "pid", os.Getpid())
	r.past.starts = true
	r.rules.remember(r.p)
	if err := r.held.ForgetRounds(ctx); err != nil {
		return err
	}
	return r.held.TakeRules(ctx, r.p.cfg.Hash[:])
}

// end returns nil for an error that comes from the wish to stop.
func (r *rounds) end(err error) error {
	if r.p.stop.Err() != nil && (errors.Is(err, errInterrupted) || errors.Is(err, context.Canceled)) {
		return nil
	}
	return err
}

// wait waits until there is something to do.
func (r *rounds) wait(ctx context.Context, next plan) error {
	if err := r.held.Announce(ctx, next.round, next.window); err != nil {
		return err
	}
	select {
	case <-r.news:
	case <-r.hup:
		r.rules.asked = true
	case <-r.clock.After(next.wait):
	case <-r.p.stop.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// secondError refuses an index that would crawl without end beside one that does so on this host already, as a line of cron would.
type secondError struct{ running string }

func (e *secondError) Error() string {
	return "the database is crawled without end on this host already: " + e.running
}

const secondHint = "index --once crawls once, index --crawl-now asks for a round at once, index --continuous adds a second program, index --status shows the crawl"

// refuseSecond refuses a plain index on a host that crawls already.
func (p *program) refuseSecond(ctx context.Context, s *store.DB) error {
	if p.o.continuous {
		return nil
	}
	names, err := crawl.New(s).RoundPrograms(ctx)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil //nolint:nilerr // a host without a name has no namesake
	}
	for _, name := range names {
		if strings.Contains(name, " on "+host+" pid ") {
			return &secondError{name}
		}
	}
	return nil
}
