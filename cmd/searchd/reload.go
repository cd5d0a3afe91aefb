package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/search"
)

// reloadOnHangup reads the word lists again at each SIGHUP until ctx ends. Searches go on meanwhile, each with the lists
// with which it began. With a problem in any file all lists stay as they are. No signal is lost: hangup receives them
// since the program began.
func (p *program) reloadOnHangup(ctx context.Context, hangup <-chan os.Signal, engine *search.Engine) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			p.reload(ctx, engine)
		}
	}
}

// hangups returns a channel of SIGHUPs, which do not end the program any more.
func hangups() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

func (p *program) reload(ctx context.Context, engine *search.Engine) {
	cfg, err := config.LoadSearch(p.o.place, p.overrides())
	if err == nil {
		var v *search.Vocabulary
		if v, err = settings.Vocabulary(&cfg.Search, p.rules); err == nil {
			engine.SetVocabulary(v)
			c := &cfg.Search
			slog.InfoContext(ctx, "the word lists were read again", "synonyms", len(c.Synonyms), "key_matches", len(c.KeyMatches), "stop_word_files", len(c.QueryStopwords))
			return
		}
	}
	var problems config.Errors
	if !errors.As(err, &problems) {
		problems = config.Errors{{Reason: err.Error()}}
	}
	for _, problem := range problems {
		slog.ErrorContext(ctx, "the word lists stay as they were: the configuration has a problem", "cause", strings.TrimSpace(problem.Error()))
	}
}
