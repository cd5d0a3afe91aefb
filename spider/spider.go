package spider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
)

// Options are the settings of a crawl, filled by the command from configuration and flags.
type Options struct {
	Scope      *Scope
	Servers    []Server // start URLs
	Rules      *document.Rules
	Fetcher    *Fetcher
	ConfigHash [16]byte // of the settings that decide words and links
	UserAgent  string

	Workers      int           // fetchers of this process
	BatchSize    int           // URLs of a schedule
	BatchTimeOut time.Duration // until a schedule may be issued again
	RobotsTTL    time.Duration
	MaxURLLength int

	// Load is how many requests may be under way at a host at a time of day: 0 = none, below 1 = one, for that share of
	// the time (GSA-43).
	Load func(host string, at time.Time) float64

	Clones, NofollowExcludes, ModernRedirects bool

	RobotsGSA          bool          // RobotsPolicy gsa (C-13)
	LostLimit          int           // losses in a row until a document that is gone is purged
	UnreachableRemove  bool          // C-14
	MaxLostShare       float64       // of a site's live documents that may turn lost in a run; 1 = the gate is off
	LostPeriod         time.Duration // of a hold, and of a lost document that became an orphan
	OrphanPeriod       time.Duration
	InfiniteDuplicates int           // live documents with one body beyond which another one is a duplicate; 0 = no limit (T-14)
	UnchangedChecks    int           // unchanged results until the adaptive interval grows
	BaseInterval       time.Duration // of the adaptive schedule
	MaxInterval        time.Duration // of it, and of the back-off of URLs that were never indexed
	BackoffBase        time.Duration

	Respider   bool  // start URLs and what links reach, due or not (C-26)
	All        bool  // -a: everything is due
	Forced     bool  // -m: unconditional requests, everything is read
	HopsFirst  bool  // -o
	SkipStarts bool  // -q
	Count      int64 // -n: documents at most, 0 = no bound
	Limits     store.Limits

	// Progress is called every interval and once at the end, never concurrently; may be nil.
	Progress func(Progress)
	Interval time.Duration
}

// Progress is what a crawl has done.
type Progress struct {
	store.Counts
	Found   int64         // URLs registered
	Dropped int64         // links that were no URLs for us
	Queue   int64         // URLs left to fetch in this run
	Elapsed time.Duration // since its start
	Failed  map[int]int64 // attempts that ended with an error, by extended status
}

// Why a crawl ended, as reindexing.end_reason has it (rules.md 3.7).
const (
	EndComplete = "complete"
	EndCount    = "count"
	EndStopped  = "stopped"
	EndFailed   = "failed"
)

// crawler is one run in one process.
type crawler struct {
	o      Options
	store  *store.Store
	run    store.RunID
	start  int64 // of the run, epoch seconds
	robots *robotsCache
	polite *politeness

	soft   context.Context // ends when no more URLs shall be taken
	taken  atomic.Int64    // URLs taken for -n
	idle   *idle
	counts counts
}

// Run crawls until nothing is due, -n documents were taken, or stop ends, and returns why it ended. After stop ends, what
// is under way is finished; when ctx ends, it is dropped. The caller holds the crawl lock and has opened the run.
func Run(ctx, stop context.Context, s *store.Store, run store.RunID, o Options) (reason string, p Progress, err error) {
	c := &crawler{o: o, store: s, run: run, start: time.Now().Unix(), polite: newPoliteness(), soft: stop, idle: newIdle(o.Workers)}
	c.robots = &robotsCache{store: s, fetch: c.fetch, agent: o.UserAgent, ttl: o.RobotsTTL, policies: make(map[string]*policy)}
	c.counts.began = time.Now()
	starts, err := c.registerStarts(ctx)
	if err != nil {
		return EndFailed, c.counts.progress(), err
	}
	begin := store.CrawlStart{Start: c.start, All: o.All, Limits: o.Limits, Starts: starts}
	if err := s.BeginCrawl(ctx, begin); err != nil {
		return EndFailed, c.counts.progress(), err
	}
	err = c.work(ctx)
	p = c.counts.progress()
	switch {
	case err != nil && ctx.Err() == nil:
		return EndFailed, p, err
	case stop.Err() != nil || ctx.Err() != nil:
		return EndStopped, p, nil
	case o.Count > 0 && c.taken.Load() >= o.Count:
		return EndCount, p, nil
	default:
		return EndComplete, p, nil
	}
}

// work runs the workers, the heartbeat and the reports until the workers end.
func (c *crawler) work(ctx context.Context) error {
	names := make([]string, c.o.Workers)
	host, _ := os.Hostname() // only a label
	for i := range names {
		names[i] = fmt.Sprintf("%s/%d/%d", host, os.Getpid(), i)
	}
	if err := c.store.Beat(ctx, c.run, names); err != nil {
		return err
	}
	side, end := context.WithCancel(ctx)
	var aside sync.WaitGroup
	aside.Go(func() { c.beat(side, names) })
	aside.Go(func() { c.report(side) })

	workers, working := errgroup.WithContext(ctx)
	for _, name := range names {
		workers.Go(func() error { return c.worker(working, name) })
	}
	err := workers.Wait()
	end()
	aside.Wait()
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if left := c.store.LeaveFetchers(clean, names); left != nil && err == nil && ctx.Err() == nil {
		err = left
	}
	return err
}

// beat keeps the fetchers alive in the eyes of others.
func (c *crawler) beat(ctx context.Context, names []string) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.store.Beat(ctx, c.run, names); err != nil && ctx.Err() == nil {
				slog.Warn("heartbeat", "cause", err)
			}
		}
	}
}

// report tells the progress.
func (c *crawler) report(ctx context.Context) {
	if c.o.Progress == nil {
		return
	}
	tick := time.NewTicker(c.o.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			c.o.Progress(c.counts.progress())
			return
		case <-tick.C:
			p := c.counts.progress()
			if f, err := c.store.Frontier(ctx, c.start, c.o.Limits); err == nil {
				p.Queue = f.Due
			}
			c.o.Progress(p)
		}
	}
}

// worker takes schedules until there are none.
func (c *crawler) worker(ctx context.Context, name string) error {
	defer c.idle.leave()
	for c.soft.Err() == nil {
		batch := c.reserve()
		if batch == 0 {
			return nil
		}
		seen := c.idle.generation()
		lease, err := c.store.Lease(ctx, store.LeaseRequest{
			Run: c.run, Fetcher: name, Batch: batch, TimeOut: c.o.BatchTimeOut, Start: c.start,
			HopsFirst: c.o.HopsFirst, Limits: c.o.Limits,
		})
		if err != nil {
			return err
		}
		if lease == nil {
			c.giveBack(batch)
			if !c.idle.wait(ctx, c.soft, seen) {
				return ctx.Err()
			}
			continue
		}
		c.giveBack(batch - len(lease.URLs))
		err = c.batch(ctx, lease) // the host it held is looked at again by this worker itself
		if errors.Is(err, store.ErrScheduleLost) {
			slog.Warn("schedule lost to another fetcher", "schedule", lease.Seq, "attempt", lease.Attempt)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reserve takes room for a batch from what -n leaves.
func (c *crawler) reserve() int {
	if c.o.Count == 0 {
		return c.o.BatchSize
	}
	for {
		taken := c.taken.Load()
		n := min(int64(c.o.BatchSize), c.o.Count-taken)
		if n <= 0 {
			return 0
		}
		if c.taken.CompareAndSwap(taken, taken+n) {
			return int(n)
		}
	}
}

func (c *crawler) giveBack(n int) {
	if c.o.Count > 0 {
		c.taken.Add(-int64(n))
	}
}

// batch visits the URLs of a schedule, as many at once as the host's load allows, and acknowledges it. It takes no
// further URL once it is asked to stop or half its time is over: what is left stays due.
func (c *crawler) batch(ctx context.Context, lease *store.Lease) error {
	until := time.Now().Add(c.o.BatchTimeOut / 2)
	var next atomic.Int64
	group, working := errgroup.WithContext(ctx)
	for range min(c.load(lease.Host), len(lease.URLs)) {
		group.Go(func() error {
			for c.soft.Err() == nil && working.Err() == nil && time.Now().Before(until) {
				i := int(next.Add(1)) - 1
				if i >= len(lease.URLs) {
					return nil
				}
				if err := c.visit(working, lease, &lease.URLs[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if c.o.Count > 0 {
		c.taken.Add(min(next.Load(), int64(len(lease.URLs))) - int64(len(lease.URLs)))
	}
	return c.store.Acknowledge(ctx, lease)
}

// load is how many requests may be under way at a host now, at least one.
func (c *crawler) load(host string) int { return max(1, int(c.o.Load(host, time.Now()))) }

// registerStarts registers the start URLs and returns their ids (hops 0, referrer 0: GSA-31).
func (c *crawler) registerStarts(ctx context.Context) ([]store.URLID, error) {
	if c.o.SkipStarts {
		return nil, nil
	}
	urls := make([]store.NewURL, 0, len(c.o.Servers))
	for i := range c.o.Servers {
		server := &c.o.Servers[i]
		site, err := c.store.RegisterSite(ctx, server.URL.Site, server.URL.Host)
		if err != nil {
			return nil, err
		}
		urls = append(urls, store.NewURL{
			URL: server.URL.Text, Hash: store.HashURL(server.URL.Text), Site: site, Tag: server.Tag,
		})
	}
	ids, created, err := c.store.RegisterURLs(ctx, urls, 0)
	c.counts.found.Add(int64(created))
	return ids, err
}
