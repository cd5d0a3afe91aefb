package program

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// pause is --pause: it ends the running crawl and lets none begin.
func (p *program) pause(ctx context.Context, s *store.DB) error {
	who := programName()
	if u, err := user.Current(); err == nil {
		who = u.Username + ", " + who
	}
	paused, err := crawl.New(s).Pause(ctx, who)
	if err != nil {
		return err
	}
	if paused {
		fmt.Fprintln(p.out, "paused; index --resume goes on")
	} else {
		fmt.Fprintln(p.out, "the crawl was paused already; index --resume goes on")
	}
	return nil
}

// resume is --resume.
func (p *program) resume(ctx context.Context, s *store.DB) error {
	resumed, err := crawl.New(s).Resume(ctx)
	if err != nil {
		return err
	}
	if resumed {
		fmt.Fprintln(p.out, "resumed")
	} else {
		fmt.Fprintln(p.out, "the crawl was not paused")
	}
	return nil
}

// crawlNow is --crawl-now: it asks the programs that crawl without end for a round.
func (p *program) crawlNow(ctx context.Context, s *store.DB) error {
	state, err := crawl.New(s).State(ctx)
	switch {
	case err != nil:
		return err
	case state.Programs == 0:
		return errNoRounds
	case !state.PausedAt.IsZero():
		return &crawl.PausedError{Who: state.PausedBy, Since: state.PausedAt}
	}
	if err := crawl.New(s).CrawlNow(ctx); err != nil {
		return err
	}
	fmt.Fprintln(p.out, "a round begins; index --status shows it")
	return nil
}

// errNoRounds is returned by --crawl-now.
var errNoRounds = errors.New("no program crawls without end: index --continuous starts one, index crawls once")

// crawlState is --status.
func (p *program) crawlState(ctx context.Context, s *store.DB) error {
	c, err := crawl.New(s).State(ctx)
	if err != nil {
		return err
	}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(p.out, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("Crawl", "%s", phaseText(&c))
	if c.Programs > 0 {
		line("Mode", "%s, %s", c.Mode, plural(c.Programs, "program"))
	}
	if !c.NextRound.IsZero() {
		line("Next round", "%s", c.NextRound.Local().Format(time.DateTime))
	}
	if !c.WindowEnds.IsZero() {
		line("Window ends", "%s", c.WindowEnds.Local().Format(time.DateTime))
	}
	switch {
	case c.Run == 0:
		line("Last crawl", "none")
	case c.Ended.IsZero():
		line("Last crawl", "run %d, since %s", c.Run, c.Began.Local().Format(time.DateTime))
	default:
		line("Last crawl", "run %d, ended %s (%s)", c.Run, c.Ended.Local().Format(time.DateTime), c.EndReason)
	}
	if !c.Merged.IsZero() {
		line("Last merge", "ended %s", c.Merged.Local().Format(time.DateTime))
	}
	if c.Refused != "" {
		line("Refused", "%s: %s", c.RefusedAt.Local().Format(time.DateTime), clean(c.Refused))
	}
	return nil
}

// phaseText describes the phase of a crawl.
func phaseText(c *crawl.ControlState) string {
	switch c.Phase {
	case "paused":
		return fmt.Sprintf("paused since %s by %s; index --resume goes on", c.PausedAt.Local().Format(time.DateTime), clean(c.PausedBy))
	case "stopped":
		return "no program runs"
	case "waiting":
		return "waiting for the next round"
	}
	return c.Phase
}

// acceptedForRounds tells the programs that crawl without end that --accept-rules has accepted a configuration. told is false when there
// is none, and this call crawls itself.
func (p *program) acceptedForRounds(ctx context.Context, s *store.DB) (told bool, err error) {
	if p.o.acceptRules == "" {
		return false, nil
	}
	names, err := crawl.New(s).RoundPrograms(ctx)
	if err != nil || len(names) == 0 {
		return false, err
	}
	if err := crawl.New(s).NotifyControl(ctx); err != nil {
		return false, err
	}
	fmt.Fprintf(p.out, "accepted; %s\n", enumerate(names)+" crawls by it from its next round on")
	return true, nil
}
