package cli

import (
	"io"
	"log/slog"

	"github.com/pgseek/pgseek/config"
)

// LogHandler returns the handler of a program's log in the form that LogFormat names. In JSON a duration is a number of seconds.
func LogHandler(w io.Writer, format string, level slog.Level) slog.Handler {
	o := &slog.HandlerOptions{Level: level}
	if format != config.LogJSON {
		return slog.NewTextHandler(w, o)
	}
	o.ReplaceAttr = func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.Float64Value(a.Value.Duration().Seconds())
		}
		return a
	}
	return slog.NewJSONHandler(w, o)
}
