package program

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
)

// progress shows what a long operation does: a live line on a terminal, elsewhere a log line every ten seconds.
type progress struct {
	log      *slog.Logger
	terminal *terminal
	live     bool
	interval time.Duration
	told     time.Time // last log line, at first the start: an operation of some seconds is told by its summary alone
	before   struct {
		at        time.Time
		documents int64
	}
}

// newProgress shows an operation on standard error.
func (p *program) newProgress() *progress {
	s := &progress{log: p.log, terminal: p.terminal, live: p.live(), interval: 10 * time.Second}
	if s.live {
		s.interval = 500 * time.Millisecond
	}
	s.told = time.Now()
	s.before.at = s.told
	return s
}

// end leaves the live line behind.
func (s *progress) end() { s.terminal.leave() }

// due reports whether a log line is due; a report that comes a moment early counts.
func (s *progress) due() bool {
	if time.Since(s.told) < s.interval*9/10 {
		return false
	}
	s.told = time.Now()
	return true
}

// rate is documents a second since the last call.
func (s *progress) rate(documents int64) float64 {
	now := time.Now()
	elapsed := now.Sub(s.before.at).Seconds()
	rate := float64(documents-s.before.documents) / max(elapsed, 0.001)
	s.before.at, s.before.documents = now, documents
	return rate
}

// left is the time that a rest of the work needs at a rate, empty when nobody knows.
func left(rest int64, rate float64) string {
	if rate < 0.1 {
		return "-"
	}
	return (time.Duration(float64(rest)/rate) * time.Second).String()
}

// crawl shows how far a crawl is.
func (s *progress) crawl(p spider.Progress) {
	rate := s.rate(p.Documents)
	errors := p.Lost + p.Counts.Failed + p.Deferred
	if s.live {
		s.terminal.show(fmt.Sprintf("crawl  %d documents  %.0f/s  queue %d  errors %d  left %s", p.Documents, rate, p.Queue, errors, left(p.Queue, rate)))
		return
	}
	if s.due() {
		s.log.Info("crawl", "documents", p.Documents, "rate", int(rate), "queue", p.Queue, "errors", errors, "left", left(p.Queue, rate))
	}
}

// crawlSummary is the last line of a crawl.
func (s *progress) crawlSummary(ctx context.Context, reason string, p spider.Progress) {
	attributes := []any{
		"end", reason, "fetched", p.Documents, "created", p.Created, "changed", p.Changed, "unchanged", p.Unchanged,
		"lost", p.Lost, "failed", p.Counts.Failed, "deferred", p.Deferred, "found", p.Found, "dropped", p.Dropped,
		"words", p.Words, "bytes", p.Bytes, "elapsed", p.Elapsed.Round(10 * time.Millisecond),
	}
	for _, status := range slices.Sorted(maps.Keys(p.Failed)) {
		attributes = append(attributes, fmt.Sprintf("status_%d", status), p.Failed[status])
	}
	slog.InfoContext(ctx, "crawl ended", attributes...)
}

// merge shows how far a merge is.
func (s *progress) merge(p merge.Progress) {
	rate := s.rate(p.Rows)
	rest := left(p.TotalRows-p.Rows, rate)
	if s.live {
		s.terminal.show(fmt.Sprintf("merge  batch %d/%d  %d%%  %d/%d rows  %.0f/s  left %s",
			p.Batch, p.Batches, 100*p.Rows/max(p.TotalRows, 1), p.Rows, p.TotalRows, rate, rest))
	} else if s.due() {
		s.log.Info("merge", "rows", p.Rows, "of", p.TotalRows, "rate", int(rate), "batch", p.Batch, "batches", p.Batches, "left", rest)
	}
}

// mergeSummary is the last line of a merge.
func (s *progress) mergeSummary(ctx context.Context, m merge.Summary, elapsed time.Duration) {
	slog.InfoContext(ctx, "merge ended", "documents", m.Documents, "removed", m.Removed, "words", m.Words, "links", m.Links, "sites", m.Sites,
		"batches", m.Batches, "compacted", m.Compacted, "late", m.Late, "bytes", m.Bytes, "elapsed", elapsed.Round(10*time.Millisecond))
	tellRanked(ctx, m.Ranked)
	if m.Waiting > 0 {
		slog.WarnContext(ctx, "the journal has rows that wait for an open schedule; the next crawl closes it", "rows", m.Waiting)
	}
}
