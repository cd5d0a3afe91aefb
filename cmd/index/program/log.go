package program

import (
	"context"
	"log/slog"
	"os"
	"sync"
)

// logKey is the key of a call's log in its contexts.
type logKey struct{}

// withLog returns a context under which everything is logged to log, whichever package logs it.
func withLog(ctx context.Context, log *slog.Logger) context.Context {
	useCallLogs()
	return context.WithValue(ctx, logKey{}, log.Handler())
}

// useCallLogs makes callLogs the default log of the process.
var useCallLogs = sync.OnceFunc(func() {
	slog.SetDefault(slog.New(callLogs{other: slog.NewTextHandler(os.Stderr, nil)}))
})

// callLogs hands each record to the log of the call to which the record's context belongs, so that calls of Run that
// overlap have their own logs. Records of no call go to other.
type callLogs struct {
	other slog.Handler
	with  []func(slog.Handler) slog.Handler // attributes and groups, added to the call's log
}

func (h callLogs) of(ctx context.Context) slog.Handler {
	log, ok := ctx.Value(logKey{}).(slog.Handler)
	if !ok {
		log = h.other
	}
	for _, add := range h.with {
		log = add(log)
	}
	return log
}

func (h callLogs) Enabled(ctx context.Context, level slog.Level) bool {
	return h.of(ctx).Enabled(ctx, level)
}

func (h callLogs) Handle(ctx context.Context, r slog.Record) error { return h.of(ctx).Handle(ctx, r) }

func (h callLogs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.adding(func(log slog.Handler) slog.Handler { return log.WithAttrs(attrs) })
}

func (h callLogs) WithGroup(name string) slog.Handler {
	return h.adding(func(log slog.Handler) slog.Handler { return log.WithGroup(name) })
}

func (h callLogs) adding(add func(slog.Handler) slog.Handler) slog.Handler {
	return callLogs{other: h.other, with: append(h.with[:len(h.with):len(h.with)], add)}
}
