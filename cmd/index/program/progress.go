package program

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
)

// progress reports on a long operation: as a live line on a terminal, else as a log line every ten seconds.
type progress struct {
	log      *slog.Logger
	terminal *terminal
	live     bool
	count    int64 // of -n; 0 = none
	interval time.Duration
	logged   time.Time // the last log line, at first the start: a short operation logs its summary only
	before   struct {
		at        time.Time
		documents int64
	}
}

// newProgress returns the progress of an operation that begins now.
func (p *program) newProgress() *progress {
	s := &progress{log: p.log, terminal: p.terminal, live: p.live(), count: p.o.count, interval: 10 * time.Second}
	if s.live {
		s.interval = 500 * time.Millisecond
	}
	s.logged = time.Now()
	s.before.at = s.logged
	return s
}

// end finishes the live line.
func (s *progress) end() { s.terminal.leave() }

// due reports whether to write a log line now. A report that comes slightly early counts.
func (s *progress) due() bool {
	if time.Since(s.logged) < s.interval*9/10 {
		return false
	}
	s.logged = time.Now()
	return true
}

// rate returns documents per second since the last call.
func (s *progress) rate(documents int64) float64 {
	now := time.Now()
	elapsed := now.Sub(s.before.at).Seconds()
	rate := float64(documents-s.before.documents) / max(elapsed, 0.001)
	s.before.at, s.before.documents = now, documents
	return rate
}

// timeLeft formats the time that the remaining work takes at a rate, "-" if the rate is about 0.
func timeLeft(rest int64, rate float64) string {
	if rate < 0.1 {
		return "-"
	}
	return (time.Duration(float64(rest)/rate) * time.Second).String()
}

// crawl shows the progress of a crawl.
func (s *progress) crawl(p spider.Progress) {
	rate := s.rate(p.Fetched)
	errors := p.Lost + p.Counts.Failed + p.Deferred
	if s.live {
		unread := ""
		if n := total(p.Unread); n > 0 {
			unread = fmt.Sprintf("  unread %d", n)
		}
		documents, left := fmt.Sprint(p.Fetched), p.Queue
		if s.count > 0 { // -n
			documents += fmt.Sprintf(" of %d", s.count)
			left = min(left, max(0, s.count-p.Fetched))
		}
		line := fmt.Sprintf("crawl  %s documents  %.0f/s  queue %d  errors %d%s  left %s", documents, rate, p.Queue, errors, unread, timeLeft(left, rate))
		if p.Pause != nil {
			line += fmt.Sprintf("  pause %s at %s (%s)", p.Pause.Length, clean(p.Pause.Host), p.Pause.Cause)
		}
		s.terminal.show(line)
		return
	}
	if s.due() {
		attributes := []any{"documents", p.Fetched, "rate", int(rate), "queue", p.Queue, "errors", errors, "left", timeLeft(p.Queue, rate)}
		if p.Pause != nil {
			attributes = append(attributes, "pause", p.Pause.Length, "cause", p.Pause.Cause, "host", clean(p.Pause.Host))
		}
		s.log.Info("crawl", attributes...)
	}
}

// crawlSummary logs the end of a crawl.
func (s *progress) crawlSummary(ctx context.Context, reason string, p spider.Progress) {
	attributes := []any{
		"end", reason, "fetched", p.Fetched, "created", p.Created, "changed", p.Changed, "unchanged", p.Unchanged,
		"lost", p.Lost, "failed", p.Counts.Failed, "deferred", p.Deferred, "found", p.Found, "dropped", p.Dropped,
		"words", p.Words, "bytes", p.Bytes, "elapsed", p.Elapsed.Round(10 * time.Millisecond),
	}
	if p.Refused > 0 {
		attributes = append(attributes, "refused", p.Refused)
	}
	if p.OverLimit > 0 {
		attributes = append(attributes, "over_limit", p.OverLimit)
	}
	if p.OfRepeats > 0 {
		attributes = append(attributes, "of_repeats", p.OfRepeats)
	}
	if p.OfPaused > 0 {
		attributes = append(attributes, "of_paused_patterns", p.OfPaused)
	}
	if n := total(p.Unread); n > 0 {
		attributes = append(attributes, "unread", n)
	}
	if p.LeftOut > 0 {
		attributes = append(attributes, "left_out", p.LeftOut)
	}
	if m := p.Sitemaps; m.Asked > 0 || m.Failed > 0 {
		attributes = append(attributes, "sitemaps", m.Asked, "sitemap_entries", m.Entries, "sitemap_refused", m.Refused, "sitemaps_failed", m.Failed)
	}
	for _, status := range slices.Sorted(maps.Keys(p.Failed)) {
		attributes = append(attributes, fmt.Sprintf("status_%d", status), p.Failed[status])
	}
	if p.Canonical > 0 {
		attributes = append(attributes, "united", p.Canonical)
	}
	if p.Cut > 0 {
		attributes = append(attributes, "truncated", p.Cut)
	}
	if s.live {
		writeSummary(s.terminal, reason, &p)
	} else {
		slog.InfoContext(ctx, "crawl ended", attributes...)
	}
	tellUnread(ctx, p.Unread)
	if p.Sitemaps.Refused > 0 {
		slog.InfoContext(ctx, "entries of sitemaps were refused; index -S --sites shows why", "entries", p.Sitemaps.Refused)
	}
	if p.Full {
		slog.WarnContext(ctx, "DocumentLimit ended the run; URLs that were never fetched stay registered and are not asked for",
			"remedy", "raise DocumentLimit in spider.cnf, or take documents out: Disallow in sets.cnf, index -C -u PATTERN")
	} else if reason == spider.EndLimit {
		slog.InfoContext(ctx, "MaxURLsPerServerPerIndex ended the run; URLs that are left are due in the next one")
	}
	if b := p.Pause; b != nil {
		slog.InfoContext(ctx, "the pause between two requests to a host took most of the time", "host", clean(b.Host), "pause", b.Length, "cause", b.Cause,
			"requests", b.Requests, "remedy", b.Remedy())
	}
	if p.Cut > 0 {
		slog.InfoContext(ctx, "of some documents only the beginning was read; IndexLimit and MaxTextSize in spider.cnf say how much",
			"documents", p.Cut)
	}
}

// tellUnread says at the end of a crawl what was asked for in vain, by type.
func tellUnread(ctx context.Context, unread map[string]int64) {
	if len(unread) == 0 {
		return
	}
	slog.InfoContext(ctx, "types that nothing reads were asked for", "types", byNumber(unread),
		"remedy", "in sets.cnf: a Converter line for what has text, SkipExtensions or Disallow for the rest")
}

// byNumber lists the types with their numbers, the largest first: "image/png 3, application/zip 1".
func byNumber(numbers map[string]int64) string {
	types := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		return cmp.Or(cmp.Compare(numbers[b], numbers[a]), cmp.Compare(a, b))
	})
	var b strings.Builder
	for i, name := range types {
		if i == 10 {
			fmt.Fprintf(&b, " and %d more", len(types)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d", clean(name), numbers[name])
	}
	return b.String()
}

func total(numbers map[string]int64) (sum int64) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// merge shows the progress of a merge.
func (s *progress) merge(p merge.Progress) {
	rate := s.rate(p.Rows)
	rest := timeLeft(p.TotalRows-p.Rows, rate)
	if s.live {
		s.terminal.show(fmt.Sprintf("merge  batch %d/%d  %d%%  %d/%d rows  %.0f/s  left %s",
			p.Batch, p.Batches, 100*p.Rows/max(p.TotalRows, 1), p.Rows, p.TotalRows, rate, rest))
	} else if s.due() {
		s.log.Info("merge", "rows", p.Rows, "of", p.TotalRows, "rate", int(rate), "batch", p.Batch, "batches", p.Batches, "left", rest)
	}
}

// mergeSummary tells of the end of a merge: in a few lines on a terminal, else in the log.
func (s *progress) mergeSummary(ctx context.Context, m merge.Summary, elapsed time.Duration) {
	if s.live {
		writeMergeSummary(s.terminal, m, elapsed)
	} else {
		slog.InfoContext(ctx, "merge ended", "documents", m.Documents, "removed", m.Removed, "words", m.Words, "links", m.Links, "sites", m.Sites,
			"batches", m.Batches, "compacted", m.Compacted, "late", m.Late, "bytes", m.Bytes, "elapsed", elapsed.Round(10*time.Millisecond))
	}
	logRanks(ctx, m.Ranked)
	if m.Waiting > 0 {
		slog.WarnContext(ctx, "journal rows belong to an open schedule; the next crawl closes it", "rows", m.Waiting)
	}
}
