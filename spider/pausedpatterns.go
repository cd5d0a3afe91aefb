package spider

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/endless"
	"github.com/pgseek/pgseek/store/crawl"
)

// pausedPatterns are the URL patterns of which no new URLs are fetched, because the detector found them endless.
type pausedPatterns struct {
	c        *crawler
	detector *endless.Detector
	paused   atomic.Pointer[endless.Paused] // of all processes
}

func newPausedPatterns(c *crawler) *pausedPatterns {
	p := &pausedPatterns{c: c, detector: endless.New()}
	p.paused.Store(endless.NewPaused())
	return p
}

// load reads the paused patterns, which other processes may have added to.
func (p *pausedPatterns) load(ctx context.Context) error {
	list, err := p.c.store.PausedPatterns(ctx)
	if err != nil {
		return err
	}
	paused := endless.NewPaused()
	for i := range list {
		paused.Add(list[i].Pattern, list[i].Except)
	}
	p.paused.Store(paused)
	return nil
}

// of returns the pattern by which a new URL is not to be fetched, empty when it may be. Lines of sets.cnf go
// before the detector.
func (p *pausedPatterns) of(url string) string {
	if p == nil {
		return ""
	}
	scope := p.c.o.Scope
	paused := p.paused.Load()
	if paused.Len() == 0 && scope.Pause == nil {
		return ""
	}
	if scope.NeverPause != nil && scope.NeverPause(url) {
		return ""
	}
	if scope.Pause != nil && scope.Pause(url) {
		return "Pause in sets.cnf"
	}
	return paused.By(url)
}

// visited tells the detector of a page that was fetched for the first time, and pauses what has turned out to be
// endless.
func (v *visit) visited(ctx context.Context, o *outcome) error {
	p := v.c.patterns
	if p == nil || v.page.IsFile() || v.isMember() || v.c.o.isArchive(v.page.Text) { // a tree and an archive have an end
		return nil
	}
	if o.doc == nil || v.due.Status != 0 && !neverAnswered(&crawl.Previous{Status: v.due.Status}) {
		return nil
	}
	return p.pause(ctx, v, p.detector.Visited(v.page.Text, o.doc))
}

// pause stores patterns as paused and says so.
func (p *pausedPatterns) pause(ctx context.Context, v *visit, list []endless.Found) error {
	for _, f := range list {
		if p.paused.Load().Has(f.Pattern) || p.c.o.Scope.NeverPause != nil && p.c.o.Scope.NeverPause(f.Example) {
			continue
		}
		line := endless.Regexp(f.Pattern)
		fresh, err := p.c.store.PausePattern(ctx, crawl.PausedPattern{
			Pattern: f.Pattern, Except: f.Except, Site: v.due.Site, Run: p.c.run, Regexp: line, Example: f.Example, Fetched: f.Fetched,
		})
		if err != nil {
			return err
		}
		if err := p.load(ctx); err != nil {
			return err
		}
		if fresh {
			attributes := []any{"pattern", printable.Log(f.Pattern), "example", printable.Log(f.Example), "fetched", f.Fetched}
			if len(f.Except) > 0 {
				attributes = append(attributes, "except", printable.Log(strings.Join(f.Except, " ")))
			}
			slog.WarnContext(ctx, "URLs of a pattern seem to be without end: its last pages brought nothing new. New ones are not fetched "+
				"any more; documents stay", append(attributes, "remedy", "in sets.cnf: NeverPause "+line+" crawls them all the same; "+
				confirmPause(f.Pattern, f.Except)+" confirms the pause; Disallow "+line+" takes the documents out as well")...)
		}
	}
	return nil
}

// confirmPause returns the lines of sets.cnf that confirm the pause of a pattern, as one text.
func confirmPause(pattern string, except []string) string {
	text := "Pause " + endless.Regexp(pattern)
	if len(except) == 0 {
		return text
	}
	text += " with NeverPause"
	for _, e := range except {
		text += " " + endless.Regexp(e)
	}
	return text
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
