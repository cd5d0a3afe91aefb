package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// What processes that lease side by side are measured with: every URL is due, and nothing is fetched, so leasing is all they do.
const (
	leasesProcesses = 4
	leasesFetchers  = 50 // of each process
	leasesHosts     = 1000
	leasesDue       = 1000 // URLs of each host
	leasesFor       = 20 * time.Second
	leasesTogether  = 32 // at once, as in the spider
)

// leasesResult is what the processes did together.
type leasesResult struct {
	usage
	leases  int
	twice   int     // leases of a host that another one held
	starved float64 // share of the hosts with less than half of the mean
	elapsed time.Duration
}

// leases lets processes lease and acknowledge as fast as they can.
func (b *bench) leases(ctx context.Context, r *results) error {
	urls := known{leasesHosts, leasesDue, leasesHosts * leasesDue}
	if b.set == "small" {
		urls.due, urls.all = urls.due/synthOnSmall, urls.all/synthOnSmall
	}
	l, err := b.newLeaser(ctx, urls)
	if err != nil {
		return err
	}
	defer l.store.Close()
	step("%d processes lease for %s", leasesProcesses, leasesFor)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	r.leases.usage, err = b.meter.measure(func() error {
		processes, working := errgroup.WithContext(ctx)
		cpu := make([]time.Duration, leasesProcesses)
		defer func() {
			for _, t := range cpu {
				r.leases.program += t
			}
		}()
		for n := range leasesProcesses {
			processes.Go(func() error {
				u, err := b.meter.child(working, b.leasesLog(n), nil, self, "leases", "-dsn", l.dsn)
				cpu[n] = u.program
				return err
			})
		}
		return processes.Wait()
	})
	if err != nil {
		return err
	}
	var all []held
	for n := range leasesProcesses {
		list, err := readHeld(b.leasesLog(n))
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	r.leases.judge(all, leasesHosts)
	return nil
}

func (b *bench) leasesLog(n int) string { return filepath.Join(b.data, fmt.Sprintf("leases%d.log", n)) }

// held is a lease: a host, and when its holder had it, nanoseconds of the clock.
type held struct {
	host     string
	from, to int64
}

// judge counts leases, hosts that were held twice at once, and hosts that were starved.
func (r *leasesResult) judge(all []held, hosts int) {
	r.leases = len(all)
	if r.leases == 0 {
		r.starved = 1
		return
	}
	slices.SortFunc(all, func(a, b held) int { return cmp.Or(strings.Compare(a.host, b.host), cmp.Compare(a.from, b.from)) })
	count := map[string]int{}
	first, last, until := all[0].from, all[0].to, int64(0)
	for i, h := range all {
		count[h.host]++
		first, last = min(first, h.from), max(last, h.to)
		if i > 0 && all[i-1].host == h.host && h.from < until {
			r.twice++
		}
		if i == 0 || all[i-1].host != h.host {
			until = 0
		}
		until = max(until, h.to)
	}
	r.elapsed = time.Duration(last - first)
	enough := 0
	for _, n := range count {
		if 2*n*hosts >= len(all) {
			enough++
		}
	}
	r.starved = 1 - float64(enough)/float64(hosts)
}

// readHeld reads what a process has printed.
func readHeld(file string) (list []held, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(content)) {
		var h held
		if _, err := fmt.Sscan(line, &h.host, &h.from, &h.to); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", file, err, line)
		}
		list = append(list, h)
	}
	return list, nil
}

// leasesMain is the child process `bench leases`: a process of a crawl whose fetchers take leases and give them back. At its
// end it prints the leases.
func leasesMain(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench leases", flag.ContinueOnError)
	dsn := f.String("dsn", "", "connection `URL`")
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{DSN: *dsn, Application: "bench leases", Connections: boundConnections})
	if err != nil {
		return err
	}
	defer s.Close()
	process, err := crawl.New(s).EnterCrawl(ctx, crawl.CrawlRequest{Program: "bench"})
	if err != nil {
		return err
	}
	names := make([]string, leasesFetchers)
	for i := range names {
		names[i] = "bench/" + strconv.Itoa(os.Getpid()) + "/" + strconv.Itoa(i)
	}
	if err := process.Heartbeat(ctx, names, store.Counts{}); err != nil {
		return err
	}
	list, err := leaseFor(ctx, crawl.New(s), process, names)
	if err != nil {
		return err
	}
	if _, err := process.Leave(ctx, crawl.StopWish, store.Counts{}); err != nil {
		return err
	}
	for _, h := range list {
		fmt.Println(h.host, h.from, h.to)
	}
	return nil
}

// leaseFor takes leases for all fetchers that have none, as the spider does, while others are given back, many together.
func leaseFor(ctx context.Context, s *crawl.Store, process *crawl.Process, names []string) (list []held, err error) {
	idle := make(chan string, len(names))
	for _, name := range names {
		idle <- name
	}
	taken := make(chan *crawl.Lease, len(names))
	until := time.Now().Add(leasesFor) // less than the time after which a fetcher without a heartbeat does not count
	sides, working := errgroup.WithContext(ctx)
	sides.Go(func() error {
		defer close(taken)
		for time.Now().Before(until) {
			names := together(working, idle)
			leases, why, err := s.Lease(working, crawl.LeaseRequest{
				Run: process.Run.ID, Process: process.ID, Fetchers: names, Batch: leaseBatch, TimeOut: time.Hour, Due: process.Run.Start,
			})
			if err != nil {
				return err
			}
			if why.Over != "" {
				return fmt.Errorf("the run is over: %s", why.Over)
			}
			now := time.Now().UnixNano()
			for _, lease := range leases {
				list = append(list, held{lease.Host, now, 0})
				names = slices.DeleteFunc(names, func(name string) bool { return name == lease.Fetcher })
				taken <- lease
			}
			for _, name := range names { // there was no host for them
				idle <- name
			}
		}
		return nil
	})
	var ends []int64 // leases are given back in the order in which they were taken
	sides.Go(func() error {
		for lease := range taken {
			done := []crawl.Finished{{Lease: lease}}
			for more := true; more && len(done) < leasesTogether; {
				select {
				case l, open := <-taken:
					if more = open; open {
						done = append(done, crawl.Finished{Lease: l})
					}
				default:
					more = false
				}
			}
			now := time.Now().UnixNano()
			lost, err := s.Acknowledge(working, done...)
			if err != nil {
				return err
			}
			for i, f := range done {
				if lost[i] {
					return fmt.Errorf("schedule %d was lost", f.Lease.Seq)
				}
				ends = append(ends, now)
				idle <- f.Lease.Fetcher
			}
		}
		return nil
	})
	if err := sides.Wait(); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].to = ends[i]
	}
	return list, nil
}

// together waits for a fetcher and returns it with others that are idle.
func together(ctx context.Context, idle <-chan string) (names []string) {
	select {
	case name := <-idle:
		names = append(names, name)
	case <-ctx.Done():
	}
	for len(names) < leasesTogether {
		select {
		case name := <-idle:
			names = append(names, name)
		default:
			return names
		}
	}
	return names
}
