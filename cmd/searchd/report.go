package main

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// reported is the number of lines in each list of --report.
const reported = 20

// ago parses a time span before now, or a day in the local time zone.
func ago(text string, now time.Time) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	span, err := web.TimeSpan(text)
	if err != nil || span < 0 || text == "" {
		return time.Time{}, fmt.Errorf("%q is no time", text)
	}
	return now.Add(-span), nil
}

// report is --report: it prints the searches since a time.
func (p *program) report(ctx context.Context, s *store.DB) error {
	since, err := ago(p.o.since, time.Now())
	if err != nil {
		return err
	}
	r, err := report.New(s).StatReport(ctx, since, reported)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "Searches since %s\n", since.Format(time.DateTime))
	if len(r.Days) == 0 {
		fmt.Fprintln(p.out, "\nNo searches.")
		return nil
	}
	p.days(r.Days)
	p.counts("The most frequent queries", r.Top)
	p.counts("Queries that found nothing", r.Empty)
	fmt.Fprintf(p.out, "\nThe slowest\n\n%10s %8s  %-19s  %s\n", "took", "found", "at", "query")
	for _, q := range r.Slow {
		found := fmt.Sprint(q.URLs)
		if q.URLs == report.ErrorInQuery {
			found = "error"
		}
		page := ""
		if q.Page > 0 {
			page = fmt.Sprintf("  (page %d)", q.Page+1)
		}
		fmt.Fprintf(p.out, "%10s %8s  %s  %s%s\n", milliseconds(q.Took), found, q.Start.Local().Format(time.DateTime), shownQuery(q.Query)+shownLimits(q.Limits), page)
	}
	return nil
}

// days prints the rows of stat_daily.
func (p *program) days(days []report.SearchDay) {
	fmt.Fprintf(p.out, "\n%-10s %8s %9s %7s %7s %8s %9s %9s %9s\n", "day", "queries", "different", "empty", "errors", "clients", "median", "p95", "slowest")
	for _, d := range days {
		fmt.Fprintf(p.out, "%s %8d %9d %7d %7d %8d %9s %9s %9s\n", d.Day.Format(time.DateOnly), d.Queries, d.Distinct, d.Empty, d.Errors, d.Addresses,
			milliseconds(d.Median), milliseconds(d.P95), milliseconds(d.Slowest))
	}
}

// counts prints a list of queries.
func (p *program) counts(title string, list []report.QueryCount) {
	fmt.Fprintf(p.out, "\n%s\n\n", title)
	if len(list) == 0 {
		fmt.Fprintln(p.out, "      none")
		return
	}
	fmt.Fprintf(p.out, "%10s %8s %10s  %-19s  %s\n", "times", "found", "median", "last", "query")
	for _, q := range list {
		fmt.Fprintf(p.out, "%10d %8d %10s  %s  %s\n", q.Count, q.URLs, milliseconds(q.Median), q.Last.Local().Format(time.DateTime), shownQuery(q.Query)+shownLimits(q.Limits))
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// shownLength bounds a query in a line, in characters.
const shownLength = 60

// shownQuery returns a query as a line shows it.
func shownQuery(query string) string {
	query = printable.String(strings.Join(strings.Fields(query), " "), 0)
	if utf8.RuneCountInString(query) > shownLength {
		query = string([]rune(query)[:shownLength]) + "..."
	}
	return query
}

// shownLimits returns the filters of a query in brackets.
func shownLimits(limits string) string {
	if limits == "" {
		return ""
	}
	return " [" + shownQuery(limits) + "]"
}

// purge is --stat-purge: it deletes the searches before a time.
func (p *program) purge(ctx context.Context, s *store.DB) error {
	before, err := ago(p.o.purge, time.Now())
	if err != nil {
		return err
	}
	n, err := report.New(s).PurgeStat(ctx, before)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "searches before %s: %d removed\n", before.Format(time.DateTime), n)
	return nil
}
