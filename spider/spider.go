package spider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/convert"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/failpoint"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// Options are the settings of a crawl, filled by the command from configuration and flags.
type Options struct {
	Scope      *Scope
	Servers    []Server // start URLs
	Rules      *document.Rules
	Converters *convert.Set // nil: none
	// Archives is how many members of an archive are visited; 0 = archives are not opened.
	Archives   int
	TempFile   func() (*os.File, error) // for tar.gz files
	DateRules  document.DateRules
	Fetcher    *fetch.Fetcher
	Files      *filetree.Tree // nil: there is no FileRoot
	ConfigHash [16]byte       // of the settings that decide words, links and dates
	ReadHash   [16]byte       // of DateRule, KeepNavigation and LeaveOut
	UserAgent  string

	Workers      int           // fetchers of this process
	BatchSize    int           // URLs of a schedule
	BatchTimeOut time.Duration // until a schedule may be issued again
	RobotsTTL    time.Duration
	MaxURLLength int

	// Local reports whether a host is in a network of one's own, and whether that is known; nil = all are.
	Local func(host string) (local, known bool)

	// Load is how many requests may be under way at a host at a time of day: 0 = none, below 1 = one, for
	// that share of the time. Hosts returns the hosts where it is 0 at a time.
	Load  func(host string, at time.Time) float64
	Hosts func(at time.Time) crawl.Hosts

	Clones, ModernRedirects bool
	ListingIndex            bool // FileListing index: the names in a directory are a document

	RobotsGSA          bool          // RobotsPolicy gsa
	LostLimit          int           // losses in a row until a document that is gone is purged
	UnreachableRemove  bool          // an indexed document that did not answer four times in a row is purged
	MaxLostShare       float64       // of a site's live documents that may turn lost in a run; 1 = the gate is off
	LostPeriod         time.Duration // of a hold, and of a lost document that became an orphan
	OrphanPeriod       time.Duration
	InfiniteRepeat     int  // times that a part of a new URL may not repeat; 0 = any
	InfiniteDuplicates int  // live documents with one body beyond which another one is a duplicate; 0 = no limit (T-14)
	Soft404            bool // pages that a site answers with 200 for any address are not found (905)
	// ConnectivityShare is the share of start URLs that must be alive for the network to be there; ConnectivityInterval 0 = no tests of it.
	ConnectivityShare    float64
	ConnectivityInterval time.Duration
	UnchangedChecks      int           // unchanged results until the adaptive interval grows
	BaseInterval         time.Duration // of the adaptive schedule
	MaxInterval          time.Duration // of it, and of the back-off of URLs that were never indexed
	BackoffBase          time.Duration

	Respider   bool  // start URLs and what links reach, due or not
	All        bool  // -a: everything is due
	Forced     bool  // -m: unconditional requests, everything is read
	HopsFirst  bool  // -o
	SkipStarts bool  // -q
	Round      bool  // one of many runs of this program, after a clean end: start URLs are visited when they are due
	Recheck    bool  // in a round the state of all sites is computed again
	Count      int64 // -n: documents at most, 0 = no bound
	Limits     crawl.Limits

	Notifier *Notifier // wakes workers that wait; may be nil

	// NewStarts is called with the start URLs that the database did not have; may be nil.
	NewStarts func(urls []string)

	// Progress is called every interval and once at the end, never concurrently; may be nil.
	Progress func(Progress)
	Interval time.Duration

	DocumentLimit int64 // live documents up to which new ones are added; 0 = any number
}

// Progress counts the work of a crawl.
type Progress struct {
	store.Counts
	Fetched   int64            // attempts with a request that the host did not refuse
	Refused   int64            // requests that a host refused, because there were too many (429, 503)
	Found     int64            // URLs registered
	Dropped   int64            // links that were no URLs for us
	OverLimit int64            // links to new URLs that MaxURLsPerServer refused
	OfRepeats int64            // links to new URLs that InfiniteSpaceRepeat refused
	OfPaused  int64            // links to new URLs of patterns that are paused, and such URLs that were put off
	Unread    map[string]int64 // URLs with nothing in the index whose type nothing reads, by media type
	Sitemaps  Sitemaps
	Queue     int64         // URLs left to fetch in this run, counted every ten seconds; between the counts by what this process did
	Elapsed   time.Duration // since its start
	Failed    map[int]int64 // attempts that ended with an error, by extended status
	Canonical int64         // documents that were united with their canonical pages
	LeftOut   int64         // files that may not be read (908, 909)
	Cut       int64         // documents of which only the beginning was read
	Full      bool          // DocumentLimit has ended the run
	Pause     *Pause        // that bounds the crawl; nil = none does
	Outage    *Outage       // that ended it; nil = none did
}

// Sitemaps counts the work with sitemaps.
type Sitemaps struct {
	Asked   int64 // requests for sitemaps that were answered, or had no answer
	Failed  int64 // sitemaps that could not be had, or are broken
	Entries int64 // read
	Refused int64 // entries that were not accepted
}

// The reasons why a crawl ended, as reindexing.end_reason has them.
const (
	EndComplete = crawl.OverComplete
	EndTime     = crawl.OverTime   // HostLoad allows no requests for the rest at this time of day
	EndPaused   = crawl.OverPaused // the hosts of the rest asked for a long pause
	EndLimit    = crawl.OverLimit  // the rest is of sites with as many URLs as MaxURLsPerServerPerIndex allows for a run
	EndCount    = "count"
	EndStopped  = crawl.StopWish
	EndContinue = crawl.StopTakeover
	EndRound    = crawl.StopRound  // of a crawl without end: the next round goes on
	EndOutage   = crawl.OverOutage // the network was down
	EndFailed   = "failed"
)

// crawler is the part of one process in a run: workers, leases, heartbeat, sweeps. A URL on its way is a visit.
type crawler struct {
	o       Options
	store   *crawl.Store
	process *crawl.Process
	run     store.RunID
	start   int64 // of the run, epoch seconds by the clock of the database
	due     int64 // the URLs of the run have at most this next_index_time
	robots  *robotsCache
	polite  *politeness
	network *network // nil in index -T

	soft         context.Context // ends when no more URLs shall be taken
	taken        atomic.Int64    // URLs taken for -n
	noRoom       atomic.Bool     // DocumentLimit has ended the run
	over         atomic.Value    // why the run is over, a string, once a lease has found out
	lastReap     atomic.Int64    // when dead processes were looked for last, Unix milliseconds
	idle         *idle
	held         *heldSites
	acks         *joiner[crawl.Finished, bool] // acknowledgements: lost
	wakes        *joiner[[]store.SiteID, bool] // sites to be woken: there was news
	limits       *siteLimits
	patterns     *pausedPatterns // nil in index -T
	soft404      *soft404        // nil when it is off
	sitemapSites sitemapSites
	archives     archives
	unconverted  sync.Map  // media types of documents that nothing here converts any more, to tell each once
	full         sync.Once // the warning that the database takes no new URLs
	counts       counts
	mounts       fileMounts
	pauses       pauses

	largeBodies, parsers *semaphore.Weighted

	recorders *recorders // of a crawl
	realtime  *realtime  // of index -T, nil in a crawl
}

// now returns the time by the clock of the database, which all processes of a run share.
func (c *crawler) now() time.Time { return time.Now().Add(c.process.Run.Skew) }

// foundDue returns the next_index_time of URLs found in this run: they are due in it.
func (c *crawler) foundDue() int64 {
	if c.o.Respider {
		return crawl.DueReached
	}
	return c.start
}

// Run crawls until nothing is due, -n documents were taken, or stop ends, and returns why this process
// ended. After stop ends, attempts under way are finished; when ctx ends, they are dropped. The caller
// enters the run and leaves it.
func Run(ctx, stop context.Context, s *crawl.Store, process *crawl.Process, o Options) (reason string, p Progress, err error) {
	c := &crawler{
		o: o, store: s, process: process, run: process.Run.ID, start: process.Run.Start, polite: newPoliteness(o.Load), soft: stop,
		idle: newIdle(), largeBodies: newLargeBodies(), parsers: newParsers(),
	}
	if o.Notifier != nil {
		c.idle = o.Notifier.idle
	}
	c.join(ctx)
	c.robots = newRobotsCache(c)
	c.limits, c.patterns, c.soft404, c.network = newSiteLimits(s), newPausedPatterns(c), newSoft404(&o), newNetwork(c)
	c.counts.began = time.Now()
	err = c.runWithHeartbeat(ctx, func(names []string) error {
		if err := c.begin(ctx); err != nil {
			return err
		}
		if err := c.patterns.load(ctx); err != nil {
			return err
		}
		if err := c.work(ctx, names); err != nil || stop.Err() != nil || c.network.down() { // the next run settles what is left
			return err
		}
		if err := c.settleRedirects(ctx); err != nil {
			return err
		}
		return c.settleCanonical(ctx, false)
	})
	p = c.progress()
	switch {
	case err != nil && ctx.Err() == nil && !errors.Is(err, errOutage):
		return EndFailed, p, err
	case stop.Err() != nil || ctx.Err() != nil:
		return EndStopped, p, nil
	case c.network.down():
		p.Outage = c.network.outage
		return EndOutage, p, nil
	case o.Count > 0 && c.taken.Load() >= o.Count:
		return EndCount, p, nil
	case c.over.Load() == EndTime, c.over.Load() == EndPaused, c.over.Load() == EndLimit:
		return c.over.Load().(string), p, nil
	default:
		return EndComplete, p, nil
	}
}

// begin prepares the frontier of the run. The first process of the run does it for all.
func (c *crawler) begin(ctx context.Context) error {
	begin := crawl.CrawlStart{
		Run: c.run, Start: c.start, All: c.o.All || c.o.Limits.Tmpurl, Respider: c.o.Respider, Limits: c.o.Limits,
		DocumentLimit: c.o.DocumentLimit, Gate: c.gateRules(), Round: c.o.Round, Recheck: c.o.Recheck,
	}
	c.due = begin.Due()
	if !c.process.First {
		return nil
	}
	var err error
	if begin.Starts, err = c.registerStarts(ctx); err != nil {
		return err
	}
	if err := c.stillDown(ctx); err != nil {
		return err
	}
	if err := c.store.SetRunLimits(ctx, c.o.runLimits()); err != nil {
		return err
	}
	if err := c.sweep(ctx); err != nil {
		return err
	}
	if err := c.retag(ctx); err != nil {
		return err
	}
	if err := c.sweepConverters(ctx); err != nil {
		return err
	}
	if err := c.tellReading(ctx); err != nil {
		return err
	}
	if err := c.settleRedirects(ctx); err != nil { // of a run that was killed or stopped
		return err
	}
	if err := c.settleCanonical(ctx, true); err != nil {
		return err
	}
	if err := c.patterns.lift(ctx); err != nil {
		return err
	}
	if err := c.network.remember(ctx, begin.Starts); err != nil {
		return err
	}
	return c.store.BeginCrawl(ctx, begin)
}

// gateRules returns the settings of the safety gates.
func (c *crawler) gateRules() crawl.GateRules {
	return crawl.GateRules{Share: c.o.MaxLostShare, Period: c.o.LostPeriod}
}

// runWithHeartbeat calls do with the names of the fetchers, and sends heartbeats from before the frontier
// is prepared, which may take long, until do ends.
func (c *crawler) runWithHeartbeat(ctx context.Context, do func(names []string) error) error {
	names := make([]string, c.o.Workers)
	host, _ := os.Hostname() // only a label
	for i := range names {
		names[i] = fmt.Sprintf("%s/%d/%d", host, os.Getpid(), i)
	}
	if err := c.process.Heartbeat(ctx, names, store.Counts{}); err != nil {
		return err
	}
	side, end := context.WithCancel(ctx)
	var aside sync.WaitGroup
	aside.Go(func() { c.heartbeat(side, names) })
	err := do(names)
	end()
	aside.Wait()
	return err
}

// heartbeatInterval is the time between two heartbeats. At every second one the process looks for dead
// processes.
const heartbeatInterval = 5 * time.Second

// heartbeat updates the rows of the fetchers until ctx ends.
func (c *crawler) heartbeat(ctx context.Context, names []string) {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.process.Heartbeat(ctx, names, c.counts.progress().Counts); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "heartbeat", "cause", err)
			}
			if n%2 == 0 {
				if err := c.patterns.load(ctx); err != nil && ctx.Err() == nil {
					slog.WarnContext(ctx, "cannot read the paused patterns", "cause", err)
				}
				c.reapDeadProcesses(ctx)
			}
		}
	}
}

// reapDeadProcesses frees the schedules of dead processes, at most once a second.
func (c *crawler) reapDeadProcesses(ctx context.Context) {
	last, now := c.lastReap.Load(), time.Now().UnixMilli()
	if now-last < 1000 || !c.lastReap.CompareAndSwap(last, now) {
		return
	}
	if err := c.process.ReapDead(ctx); err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "cannot reap dead processes", "cause", err)
	}
}

// progress counts the work so far.
func (c *crawler) progress() Progress {
	p := c.counts.progress()
	p.Pause, p.Full = c.pauses.bound(p.Elapsed), c.noRoom.Load()
	return p
}

// countInterval is the least time between two counts of the remaining URLs, which take the longer the more
// there are.
const countInterval = 10 * time.Second

// report calls Progress every interval and once at the end.
func (c *crawler) report(ctx context.Context) {
	if c.o.Progress == nil {
		return
	}
	tick := time.NewTicker(c.o.Interval)
	defer tick.Stop()
	var counted time.Time
	var left int64 // at the last count, with what was done by then and not found yet
	for {
		select {
		case <-ctx.Done():
			c.o.Progress(c.progress())
			return
		case <-tick.C:
			p := c.progress()
			if time.Since(counted) >= countInterval {
				if f, err := c.store.Frontier(ctx, c.due, c.o.Limits); err == nil {
					left = f.Due + p.Documents - p.Found
				}
				counted = time.Now()
			}
			p.Queue = max(0, left-p.Documents+p.Found)
			c.o.Progress(p)
		}
	}
}

// batch visits the URLs of a schedule, as many at once as the host's load allows, and acknowledges it. It
// takes no further URL after a stop, after half of its time, outside the hours of the host, or when the next request to it
// may not be sent soon: the rest stays due, and the fetcher works for another host.
func (c *crawler) batch(ctx context.Context, lease *crawl.Lease) error {
	until := time.Now().Add(c.o.BatchTimeOut / 2)
	visits := c.visits(lease)
	c.polite.restore(lease.Host, lease.Pace)
	if lease.Attempt > 1 { // the time of its former holder's last request is not known
		longest, err := c.longestPause(ctx, visits)
		if err != nil {
			return err
		}
		c.polite.pause(lease.Host, longest)
	}
	var next, unasked atomic.Int64
	open := func() bool {
		return c.soft.Err() == nil && !c.network.down() && time.Now().Before(until) && c.o.Load(lease.Host, time.Now()) > 0 &&
			unasked.Load() == 0 && (next.Load() == 0 || !c.polite.stays(lease.Host))
	}
	if looked, err := c.lookAtSitemaps(ctx, lease.Host, visits, open); err != nil {
		return err
	} else if !looked { // the next lease goes on with them; until then the URLs stay due
		visits = nil
	}
	records := c.newScheduledRecords(lease)
	visitNext := func(ctx context.Context) (more bool, err error) {
		i := int(next.Add(1)) - 1
		if i >= len(visits) {
			return false, nil
		}
		if err = visits[i].run(ctx, records); errors.Is(err, errHostPaused) {
			visits[i].unasked = true
			unasked.Add(1)
			return true, nil
		}
		if err == nil {
			err = records.finish(ctx)
		}
		return err == nil, err
	}
	// One after the other until the pauses of the host are known.
	for more := true; more && ctx.Err() == nil && open() && !slices.ContainsFunc(visits, c.isMet); {
		var err error
		if more, err = visitNext(ctx); err != nil {
			return err
		}
	}
	atOnce := min(max(1, int(c.o.Load(lease.Host, time.Now()))), len(visits))
	if c.pausesLong(visits) {
		atOnce = 1
	}
	group, working := errgroup.WithContext(ctx)
	for range atOnce {
		group.Go(func() error {
			for more := true; more && working.Err() == nil && open(); {
				var err error
				if more, err = visitNext(working); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := records.finishAll(ctx); err != nil {
		return err
	}
	for _, v := range visits {
		lease.Answers += v.answers
	}
	if c.o.runLimit().Counts {
		for _, v := range visits {
			if v.requests > 0 && !v.unasked {
				lease.Asked = append(lease.Asked, v.due.ID)
			}
		}
	}
	if c.o.Count > 0 {
		c.taken.Add(min(next.Load(), int64(len(visits))) - unasked.Load() - int64(len(lease.URLs)))
	}
	if err := failpoint.Hit("schedule.before-ack"); err != nil {
		return err
	}
	if err := c.givenBack(ctx, lease.Host); err != nil {
		return err
	}
	return c.acknowledge(ctx, lease)
}

// registerStarts registers the start URLs and returns their ids (hops 0, referrer 0).
func (c *crawler) registerStarts(ctx context.Context) ([]store.URLID, error) {
	if c.o.SkipStarts {
		return nil, nil
	}
	urls := make([]crawl.NewURL, 0, len(c.o.Servers))
	for i := range c.o.Servers {
		server := &c.o.Servers[i]
		site, err := c.store.RegisterSite(ctx, server.URL.Site, server.URL.Host)
		if err != nil {
			return nil, err
		}
		urls = append(urls, crawl.NewURL{
			URL: server.URL.Text, Hash: store.HashURL(server.URL.Text), Site: site, Tag: server.Tag,
		})
	}
	var fresh []string
	ids, created, err := c.store.RegisterAdmitted(ctx, urls, 0, func(places []int) ([]int, error) {
		fresh = nil
		for _, i := range places {
			fresh = append(fresh, urls[i].URL)
		}
		return places, nil
	})
	c.counts.found.Add(int64(created))
	if err == nil && len(fresh) > 0 && c.o.NewStarts != nil {
		c.o.NewStarts(fresh)
	}
	return ids, err
}
