package spider

import (
	"context"
	"log/slog"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store/crawl"
)

// pause stores patterns as paused and says so.
func (e *endless) pause(ctx context.Context, v *visit, list []*patternNode) error {
	for _, n := range list {
		if (*e.paused.Load())[n.pattern] || v.c.o.Scope.NeverPause != nil && v.c.o.Scope.NeverPause(v.page.Text) {
			continue
		}
		line := patternRegexp(n.pattern)
		fresh, err := e.c.store.PausePattern(ctx, crawl.PausedPattern{
			Pattern: n.pattern, Site: v.due.Site, Run: e.c.run, Regexp: line, Example: v.page.Text, Fetched: n.fetched,
		})
		if err != nil {
			return err
		}
		if err := e.load(ctx); err != nil {
			return err
		}
		if fresh {
			slog.WarnContext(ctx, "URLs of a pattern seem to be without end: its last pages brought nothing new. New ones are not fetched "+
				"any more; documents stay", "pattern", printable.Log(n.pattern), "example", printable.Log(v.page.Text), "fetched", n.fetched,
				"remedy", "in sets.cnf: NeverPause "+line+" crawls them all the same; Pause "+line+" confirms the pause; Disallow "+line+
					" takes the documents out as well")
		}
	}
	return nil
}

// lift ends the pauses that a NeverPause line ends, before a run begins, and tells which go on without a line.
func (e *endless) lift(ctx context.Context) error {
	list, err := e.c.store.PausedPatterns(ctx)
	if err != nil {
		return err
	}
	scope, unsaid := e.c.o.Scope, 0
	for _, p := range list {
		switch {
		case scope.NeverPause != nil && scope.NeverPause(p.Example):
			if err := e.c.store.LiftPattern(ctx, p, e.c.start); err != nil {
				return err
			}
			slog.InfoContext(ctx, "a line of sets.cnf lifts the pause of a pattern", "pattern", printable.Log(p.Pattern))
		case scope.Pause == nil || !scope.Pause(p.Example):
			unsaid++
		}
	}
	if unsaid > 0 {
		slog.WarnContext(ctx, "new URLs of paused patterns are not fetched; table paused_pattern names them. A line Pause or NeverPause in "+
			"sets.cnf confirms or lifts each", "patterns", unsaid)
	}
	return nil
}
