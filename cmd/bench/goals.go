package main

import (
	"context"
	"fmt"
	"io"
)

// Goals: what we want to reach. Those of the ratio to the floor and of PostgreSQL's share are for medium, that of documents a
// CPU second for small.
const (
	goalFloor    = 1.7  // (index + -D) / floor
	goalPostgres = 0.5  // PostgreSQL's CPU of the first crawl / that with the program of -before
	goalSmall    = 600  // documents a CPU second, index + -D
	goalAgain    = 0.3  // milliseconds of CPU a page, index -a of unchanged pages
	goalLeases   = 10e3 // a minute
)

// crawlBefore fetches all pages with the program of -before, in a database of its own.
func (b *bench) crawlBefore(ctx context.Context, r *results) error {
	d, err := b.openDatabase(ctx, "before", nil, "")
	if err != nil {
		return err
	}
	d.program = b.before
	if _, err := d.index(ctx, "-S"); err != nil {
		return err
	}
	if err := d.exec(ctx, `CHECKPOINT`); err != nil {
		return err
	}
	if r.before, err = d.index(ctx, "--no-merge"); err != nil {
		return err
	}
	return d.drop(ctx)
}

// printGoals prints the figures that have a goal, in one place.
func (r *results) printGoals(out io.Writer) {
	of := func(set string, goal float64) float64 {
		if r.set != set {
			return 0
		}
		return goal
	}
	fmt.Fprintf(out, "\n%-52s %9s %9s\n", "", "measured", "goal")
	if r.merge != (usage{}) {
		both := r.crawl.add(r.merge)
		atLeast(out, "documents a CPU second, index + -D", float64(r.documents)/max(both.cpu().Seconds(), 0.01), of("small", goalSmall), "%.0f")
		if r.floor != (usage{}) {
			verdict(out, "(index + -D) / floor, CPU", ratio(both, r.floor), of("medium", goalFloor), "%.2f")
		}
	}
	if r.crawl != (usage{}) {
		verdict(out, "PostgreSQL's CPU a new document, ms", 1e3*r.crawl.postgres.Seconds()/float64(max(r.documents, 1)), 0, "%.2f")
	}
	if r.before != (usage{}) {
		verdict(out, "the same / that of the program of -before", r.crawl.postgres.Seconds()/max(r.before.postgres.Seconds(), 0.01),
			of("medium", goalPostgres), "%.2f")
	}
	verdict(out, "second crawl, CPU ms a page", 1e3*r.again.cpu().Seconds()/float64(max(r.fetched, 1)), goalAgain, "%.2f")
	printWidthBounds(out, r.width)
	r.leases.print(out)
}

func (r *leasesResult) print(out io.Writer) {
	if r.elapsed == 0 {
		return
	}
	atLeast(out, fmt.Sprintf("leases a minute, %d processes, %d hosts", leasesProcesses, leasesHosts),
		float64(r.leases)/r.elapsed.Minutes(), goalLeases, "%.0f")
	fmt.Fprintf(out, "%-52s %9d %9d%s\n", "leases of a host that another one held", r.twice, 0, missed(r.twice > 0))
	fmt.Fprintf(out, "%-52s %9.3f %9d%s\n", "share of hosts with less than half the mean of leases", r.starved, 0, missed(r.starved > 0))
	fmt.Fprintf(out, "%-52s %9.0f %9s\n", "CPU microseconds a lease", float64(r.cpu().Microseconds())/float64(max(r.leases, 1)), "-")
}
