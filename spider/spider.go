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
	HostLoad     int           // requests under way at a host
	BatchSize    int           // URLs of a schedule
	BatchTimeOut time.Duration // until a schedule may be issued again
	RobotsTTL    time.Duration
	MaxURLLength int

	Clones, NofollowExcludes, ModernRedirects bool

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
	for range min(c.o.HostLoad, len(lease.URLs)) {
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

// visit attempts one URL and records what came of it.
func (c *crawler) visit(ctx context.Context, lease *store.Lease, due *store.Due) error {
	o, err := c.attempt(ctx, due)
	if store.BadValue(err) {
		o, err = faulty(due, c.o.Scope, err), nil
	}
	if err != nil {
		return err
	}
	held := store.Token{Seq: lease.Seq, Attempt: lease.Attempt, Place: due.Place, Run: c.run}
	rule, err := c.record(ctx, held, o)
	if err != nil {
		return err
	}
	c.counts.add(rule, o)
	slog.Debug("visited", "url", logged(due.URL), "url_id", due.ID, "schedule", lease.Seq, "rule", rule, "status", o.status, "cause", o.cause,
		"bytes", o.bytes(), "elapsed", o.elapsed())
	return nil
}

// record commits an outcome. A value that the database refuses is an error of that document (P8); a document that changed
// under an attempt that did not read its body is read after all.
func (c *crawler) record(ctx context.Context, held store.Token, o *outcome) (rule string, err error) {
	var prev store.Previous
	for range 3 {
		now := time.Now()
		groups, err := c.groups(ctx, o)
		if err != nil {
			return "", err
		}
		err = c.store.RecordDocument(ctx, held, o.due.ID, now.Unix(), groups, func(d *store.Document) (err error) {
			prev = d.Prev
			rule, err = apply(d, o, now)
			return err
		})
		switch {
		case errors.Is(err, errNotRead):
			due := *o.due
			due.HasContent, due.CRC, due.Status, due.Origin = false, prev.CRC, prev.Status, prev.Origin
			if o, err = c.attempt(ctx, &due); err != nil {
				return "", err
			}
		case store.BadValue(err):
			slog.Warn("database refuses a document", "url", logged(o.due.URL), "cause", err)
			o = faulty(o.due, c.o.Scope, err)
		default:
			return rule, err
		}
	}
	return rule, err
}

// groups says which clone groups recording an outcome may touch, and reads for the heir of a group that the document may
// leave: parsing is no work for a transaction.
func (c *crawler) groups(ctx context.Context, o *outcome) (g store.Groups, err error) {
	if c.o.Clones && o.status == 200 {
		g.New = o.crc
	}
	leaves := forbidden(o, nil) || redirect(o, nil) || notIndexed(o, nil) || ok(o, nil) && o.crc != o.due.CRC
	if !leaves || o.due.Status.Base() != 200 || o.due.CRC == "" {
		return g, nil
	}
	// A clone counts, too: it may have become the original since it was leased.
	g.Old = o.due.CRC
	if o.heir, err = c.store.Heir(ctx, o.due.ID); err != nil || o.heir == 0 {
		return g, err
	}
	doc, err := c.storedDocument(ctx, o.due.ID)
	if doc != nil {
		o.heirWords = store.PackWords(words(doc))
	}
	return g, err
}

// faulty is the outcome of a document that we cannot process.
func faulty(due *store.Due, scope *Scope, cause error) *outcome {
	o := &outcome{due: due, status: statusParserFailed, cause: cause.Error()}
	if u, err := Normalize(due.URL, 0); err == nil {
		o.server = scope.Server(u)
	}
	return o
}

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
