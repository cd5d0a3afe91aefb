package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store"
)

// TestStopOn: the first signal asks to stop. The second one, or the end of the timeout, cancels the work in progress (F2).
func TestStopOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		signals int
		timeout time.Duration
	}{
		{"a second signal", 2, time.Hour},
		{"a second signal, no timeout", 2, 0},
		{"the timeout", 1, time.Nanosecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			signals := make(chan os.Signal, c.signals)
			for range c.signals {
				signals <- os.Interrupt
			}
			var out bytes.Buffer
			var calls []string
			stopOn(signals, "index", c.timeout, &out, func() { calls = append(calls, "soft") }, func() { calls = append(calls, "hard") })
			if len(calls) != 2 || calls[0] != "soft" || calls[1] != "hard" {
				t.Errorf("got calls %q, want soft, then hard", calls)
			}
			if want := "index: finishing work in progress; press Ctrl-C again to stop now\n"; out.String() != want {
				t.Errorf("got %q, want %q", out.String(), want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	problems := config.Errors{
		{File: "spider.cnf", Line: 3, Keyword: "Threads", Reason: "want a number"},
		{File: "spider.cnf", Reason: "no stop words"},
	}
	for _, c := range []struct {
		name string
		err  error
		code int
		want string
	}{
		{"any error", errors.New("no such file"), ExitFailed, "index: no such file\n"},
		{"several lines", errors.New("cannot connect:\n  a: refused\n  a: refused\n  b: refused"), ExitFailed, "index: cannot connect: a: refused; b: refused\n"},
		{"configuration", fmt.Errorf("load: %w", problems), ExitUsage, problems[0].Error() + "\n" + problems[1].Error() + "\n"},
		{
			"schema", fmt.Errorf("open: %w", store.ErrSchemaNewer), ExitUsage,
			"index: open: " + store.ErrSchemaNewer.Error() + "\nhint: use the program that migrated this database, or a newer one\n",
		},
		{
			"database", fmt.Errorf("open: %w", store.ErrUnavailable), ExitDatabase,
			"index: open: " + store.ErrUnavailable.Error() + "\nhint: DBAddr (spider.cnf or PGSEEK_DBADDR) names the server; without it an embedded one is started\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, known := Classify(c.err, "postgresql://db.example/pgseek", "")
			var out bytes.Buffer
			if code := Print(&out, "index", f); code != c.code || out.String() != c.want {
				t.Errorf("got %d %q, want %d %q", code, out.String(), c.code, c.want)
			}
			if known != (c.code != ExitFailed) {
				t.Errorf("recognized: %v", known)
			}
		})
	}
}
