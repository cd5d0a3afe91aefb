package spider

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/endless"
	"github.com/pgseek/pgseek/store/crawl"
)

// pausedPatterns are the URL patterns of which no new URLs are fetched, because the detector found them endless.
type pausedPatterns struct {
	c        *crawler
	detector *endless.Detector
	paused   atomic.Pointer[map[string]bool] // by pattern, of all processes
}

func newPausedPatterns(c *crawler) *pausedPatterns {
	p := &pausedPatterns{c: c, detector: endless.New()}
	p.paused.Store(&map[string]bool{})
	return p
}

// load reads the paused patterns, which other processes may have added to.
func (p *pausedPatterns) load(ctx context.Context) error {
	list, err := p.c.store.PausedPatterns(ctx)
	if err != nil {
		return err
	}
	paused := make(map[string]bool, len(list))
	for i := range list {
		paused[list[i].Pattern] = true
	}
	p.paused.Store(&paused)
	return nil
}

// of returns the pattern by which a new URL is not to be fetched, empty when it may be. Lines of sets.cnf go
// before the detector.
func (p *pausedPatterns) of(url string) string {
	if p == nil {
		return ""
	}
	scope := p.c.o.Scope
	paused := *p.paused.Load()
	if len(paused) == 0 && scope.Pause == nil {
		return ""
	}
	if scope.NeverPause != nil && scope.NeverPause(url) {
		return ""
	}
	if scope.Pause != nil && scope.Pause(url) {
		return "Pause in sets.cnf"
	}
	if len(paused) == 0 {
		return ""
	}
	chain, _ := endless.Patterns(url)
	for _, pattern := range chain {
		if paused[pattern] {
			return pattern
		}
	}
	return ""
}

// visited tells the detector of a page that was fetched for the first time, and pauses what has turned out to be
// endless.
func (v *visit) visited(ctx context.Context, o *outcome) error {
	p := v.c.patterns
	if p == nil || o.doc == nil || v.due.Status != 0 && !neverAnswered(&crawl.Previous{Status: v.due.Status}) {
		return nil
	}
	return p.pause(ctx, v, p.detector.Visited(v.page.Text, o.doc))
}

// pause stores patterns as paused and says so.
func (p *pausedPatterns) pause(ctx context.Context, v *visit, list []endless.Found) error {
	for _, n := range list {
		if (*p.paused.Load())[n.Pattern] || v.c.o.Scope.NeverPause != nil && v.c.o.Scope.NeverPause(v.page.Text) {
			continue
		}
		line := endless.Regexp(n.Pattern)
		fresh, err := p.c.store.PausePattern(ctx, crawl.PausedPattern{
			Pattern: n.Pattern, Site: v.due.Site, Run: p.c.run, Regexp: line, Example: v.page.Text, Fetched: n.Fetched,
		})
		if err != nil {
			return err
		}
		if err := p.load(ctx); err != nil {
			return err
		}
		if fresh {
			slog.WarnContext(ctx, "URLs of a pattern seem to be without end: its last pages brought nothing new. New ones are not fetched "+
				"any more; documents stay", "pattern", printable.Log(n.Pattern), "example", printable.Log(v.page.Text), "fetched", n.Fetched,
				"remedy", "in sets.cnf: NeverPause "+line+" crawls them all the same; Pause "+line+" confirms the pause; Disallow "+line+
					" takes the documents out as well")
		}
	}
	return nil
}

// lift ends the pauses that a NeverPause line ends, before a run begins, and tells which go on without a line.
func (p *pausedPatterns) lift(ctx context.Context) error {
	list, err := p.c.store.PausedPatterns(ctx)
	if err != nil {
		return err
	}
	scope, unsaid := p.c.o.Scope, 0
	for _, l := range list {
		switch {
		case scope.NeverPause != nil && scope.NeverPause(l.Example):
			if err := p.c.store.LiftPattern(ctx, l, p.c.start); err != nil {
				return err
			}
			slog.InfoContext(ctx, "a line of sets.cnf lifts the pause of a pattern", "pattern", printable.Log(l.Pattern))
		case scope.Pause == nil || !scope.Pause(l.Example):
			unsaid++
		}
	}
	if unsaid > 0 {
		slog.WarnContext(ctx, "new URLs of paused patterns are not fetched; table paused_pattern names them. A line Pause or NeverPause in "+
			"sets.cnf confirms or lifts each", "patterns", unsaid)
	}
	return nil
}
