package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/web"
)

// A reloader reads searchd.conf and its files again at each SIGHUP. Searches go on meanwhile, each with the settings with which
// it began. With a problem anywhere everything stays as it was.
type reloader struct {
	*program                // as the last reload left it
	engine   *search.Engine //
	server   *web.Server    // the newest
	restart  *config.Search // as of the start
}

// reloadOnHangup reloads at each SIGHUP until ctx ends. No signal is lost: hangup receives them since the program began.
func (p *program) reloadOnHangup(ctx context.Context, hangup <-chan os.Signal, engine *search.Engine, server *web.Server) {
	r := &reloader{program: p, engine: engine, server: server, restart: &p.cfg.Search}
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		}
		if err := r.reload(ctx); err != nil {
			var problems config.Errors
			if !errors.As(err, &problems) {
				problems = config.Errors{{Reason: err.Error()}}
			}
			for _, problem := range problems {
				slog.ErrorContext(ctx, "everything stays as it was: searchd.conf cannot be read again", "cause", strings.TrimSpace(problem.Error()))
			}
		}
	}
}

// hangups returns a channel of SIGHUPs, which do not end the program any more.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// reload reads everything, and uses it if nothing of it has a problem.
func (r *reloader) reload(ctx context.Context) error {
	next, err := r.readAgain()
	if err != nil {
		return err
	}
	later := keepUntilRestart(&next.cfg.Search, r.restart)
	options, err := next.serverOptions()
	if err != nil {
		return err
	}
	server, err := r.server.Renewed(options)
	if err != nil {
		return badTemplate(err)
	}
	c := &next.cfg.Search
	if !slices.EqualFunc(c.Weights, r.cfg.Search.Weights, sameWeight) {
		if err := r.engine.SetWeights(ctx, c.Weigh()); err != nil {
			return err
		}
	}
	if !maps.Equal(c.SiteWeights, r.cfg.Search.SiteWeights) {
		r.engine.SetSiteWeights(c.SiteWeights)
	}
	r.engine.SuggestQueries(c.StatAddress != config.StatNone)
	r.engine.SetVocabulary(next.vocabulary)
	server.Use()
	r.program, r.server = next, server
	slog.InfoContext(ctx, "searchd.conf was read again", "synonyms", len(c.Synonyms), "key_matches", len(c.KeyMatches), "stop_word_files", len(c.QueryStopwords))
	if len(later) > 0 {
		slog.WarnContext(ctx, "these settings have changed and need a restart", "settings", strings.Join(later, " "))
	}
	return nil
}

// readAgain reads the configuration as the program does at its start. The word rules are those of the start.
func (r *reloader) readAgain() (*program, error) {
	next := *r.program
	var err error
	if next.cfg, err = config.LoadSearch(r.o.place, r.overrides()); err != nil {
		return nil, err
	}
	if next.vocabulary, err = settings.Vocabulary(&next.cfg.Search, r.rules); err != nil {
		return nil, err
	}
	if err := next.checkLanguages(); err != nil {
		return nil, err
	}
	return &next, next.checkLook()
}

// keepUntilRestart sets what only a restart can change to its values of the start, and returns the settings that differed.
func keepUntilRestart(c, start *config.Search) (changed []string) {
	keep := func(name string, same bool) {
		if !same {
			changed = append(changed, name)
		}
	}
	keep("Listen", c.Listen == start.Listen)
	keep("DBAddr", slices.Equal(c.DBAddrs, start.DBAddrs))
	keep("PrimarySearches", c.PrimarySearches == start.PrimarySearches)
	keep("MaxStandbyLag", c.MaxStandbyLag == start.MaxStandbyLag)
	keep("DataDir", c.DataDir == start.DataDir)
	keep("MaxSearches", c.MaxSearches == start.MaxSearches)
	keep("SuggestMemory", c.SuggestMemory == start.SuggestMemory)
	keep("LogFormat", c.LogFormat == start.LogFormat)
	c.LogFormat = start.LogFormat
	c.Listen, c.DBAddrs, c.DataDir, c.MaxSearches, c.SuggestMemory = start.Listen, start.DBAddrs, start.DataDir, start.MaxSearches, start.SuggestMemory
	c.PrimarySearches, c.MaxStandbyLag = start.PrimarySearches, start.MaxStandbyLag
	return changed
}

func sameWeight(a, b config.Weight) bool {
	return a.Factor == b.Factor && a.Pattern.String() == b.Pattern.String()
}
