package program

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

const (
	// toldEvery is how often the holds of sites and the pauses of hosts are logged at most.
	toldEvery = time.Hour
	// recheckEvery is how often a round computes the state of all sites again. A program that was killed may have left one out of date.
	recheckEvery = time.Hour
)

// round crawls what is due, as one run. It ends by itself, after MergeInterval, or with its window.
func (r *rounds) round(ctx context.Context, o crawl.Outlook) error {
	if err := r.held.Announce(ctx, time.Time{}, r.windowEnd()); err != nil {
		return err
	}
	options := *r.options
	options.Round = !r.past.starts && o.Asked.IsZero()
	began := r.clock.Now()
	options.Recheck = !o.Clean || began.Sub(r.past.checked) >= recheckEvery
	first := false
	round := &crawlRound{
		entered: func(ctx context.Context, process *crawl.Process) error {
			first = process.First
			if o.Asked.IsZero() || !process.First {
				return nil
			}
			return r.held.TakeAsked(ctx, o.Asked)
		},
		watch: func(ctx context.Context, process *crawl.Process) { r.endRound(ctx, process, o.Asked) },
	}
	done, err := r.p.crawl(ctx, r.s, &options, round)
	var held *store.HeldError
	var paused *crawl.PausedError
	switch {
	case errors.As(err, &held):
		slog.InfoContext(ctx, "waiting for another crawl", "cause", held)
		r.past.heldUntil = r.clock.Now().Add(heldPatience)
		return nil
	case errors.As(err, &paused):
		return nil
	case err != nil:
		return err
	}
	r.past.starts, r.past.began = r.past.starts && done.reason == spider.EndOutage, began
	if options.Recheck && first {
		r.past.checked = began
	}
	r.after(ctx, done, first)
	if !options.Round || r.clock.Now().Sub(r.told) >= toldEvery {
		r.told = r.clock.Now()
		if err := warnOfPauses(ctx, r.s); err != nil {
			return err
		}
		if done.ended {
			if err := r.p.tellEnd(ctx, r.s, done.run, &options); err != nil && !errors.As(err, new(nothingFound)) {
				return err
			} else if err != nil {
				slog.WarnContext(ctx, "no start URL brought anything", "cause", err)
			}
		}
	}
	return nil
}

// after decides how long to wait for the next round. A round that found no work would not find any a moment later. One that this program
// joined may have had work for the others.
func (r *rounds) after(ctx context.Context, done crawled, first bool) {
	r.past.notBefore = time.Time{}
	switch {
	case done.reason == spider.EndOutage:
		r.past.patience = 0
		r.past.notBefore = r.clock.Now().Add(r.p.cfg.Spider.ConnectivityInterval)
	case !first:
	case done.progress.Documents > 0 || done.reason == spider.EndRound || done.reason == spider.EndStopped:
		r.past.patience = 0
	default:
		r.past.patience = min(max(2*r.past.patience, minPatience), maxPatience)
		r.past.notBefore = r.clock.Now().Add(r.past.patience)
		slog.DebugContext(ctx, "a round without work", "end", done.reason, "next_after", r.past.patience)
	}
}

// windowEnd returns when the present window ends, zero if there is none.
func (r *rounds) windowEnd() time.Time {
	if r.mode() != config.CrawlScheduled {
		return time.Time{}
	}
	open, until := config.CrawlWindow(r.p.cfg.Spider.Windows, r.clock.Now())
	if !open {
		return time.Time{}
	}
	return until
}

// endRound ends the run for all its processes when MergeInterval or the window is over, when a round at once was asked for, and when the
// configuration is to be read again. The start of the run is the same for all of them.
func (r *rounds) endRound(ctx context.Context, process *crawl.Process, asked time.Time) {
	window := r.windowEnd()
	for ctx.Err() == nil {
		now := r.clock.Now()
		left := time.Until(time.Unix(process.Run.Start, 0).Add(r.p.cfg.Spider.MergeInterval).Add(-process.Run.Skew))
		reason := crawl.StopRound
		if !window.IsZero() && window.Sub(now) < left {
			left, reason = window.Sub(now), crawl.StopWindow
		}
		if r.rules.asked {
			left, reason = 0, crawl.StopRound
		}
		if left <= 0 {
			if err := crawl.New(r.s).EndRound(ctx, process.Run.ID, reason); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "cannot end the round", "cause", err)
			}
			left = heldPatience
		}
		select {
		case <-ctx.Done():
		case <-r.hup:
			r.rules.asked = true
		case <-r.news:
			o, err := r.held.Outlook(ctx)
			if err == nil && o.Asked.After(asked) {
				asked = o.Asked
				err = crawl.New(r.s).EndRound(ctx, process.Run.ID, crawl.StopRound)
			}
			if err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "cannot end the round", "cause", err)
			}
		case <-r.clock.After(min(left, look)):
		}
	}
}

// merge merges what was crawled. While another program has the merge, this one tries again later.
func (r *rounds) merge(ctx context.Context) error {
	began := r.clock.Now()
	err := r.p.merge(ctx, r.s)
	r.past.merged = r.clock.Now()
	r.past.mergeTook = r.past.merged.Sub(began)
	var held *store.HeldError
	if errors.As(err, &held) || errors.Is(err, store.ErrIndexChanged) {
		slog.InfoContext(ctx, "another program merges", "cause", err)
		return nil
	}
	return err
}
