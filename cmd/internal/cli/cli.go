// Package cli holds the code that the programs index and searchd share as commands: signals, exit codes, and
// the printing of failures and hints.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
)

// Exit codes, the same for both programs. The help of each lists those that it has.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2 // command line or configuration
	ExitDatabase    = 3 // not reachable, or refuses us
	ExitHeld        = 4 // another process holds the lock
	ExitOutage      = 5 // the network is down
	ExitDamaged     = 6
	ExitInterrupted = 130
)

// StopTimeout bounds the work that a program finishes after a signal. What remains then is canceled, so that the program ends
// within ten seconds of the signal.
const StopTimeout = 8 * time.Second

// Run is a whole program: arguments in, exit code out. When stop ends it finishes the work in progress; when ctx ends, it
// cancels that too.
type Run func(ctx, stop context.Context, args []string, in io.Reader, out, errOut io.Writer) int

// Main calls run with this process's arguments, streams and signals, and returns its exit code. The first signal ends stop. The
// second one ends ctx, and so does the end of the timeout; 0 = no timeout, because the program has its own.
func Main(name string, timeout time.Duration, run Run) int {
	ctx, cancel := context.WithCancel(context.Background())
	stop, soft := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go stopOn(signals, name, timeout, os.Stderr, soft, cancel)
	return run(ctx, stop, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// stopOn calls soft at the first signal, and hard at the second one or after the timeout.
func stopOn(signals <-chan os.Signal, name string, timeout time.Duration, out io.Writer, soft, hard func()) {
	<-signals
	fmt.Fprintf(out, "%s: finishing work in progress; press Ctrl-C again to stop now\n", name)
	soft()
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout)
	}
	select {
	case <-signals:
	case <-expired:
	}
	hard()
}

// Failure is the reason for which a program ends, with its exit code and a hint for the operator.
type Failure struct {
	Err  error
	Code int
	Hint string // empty = the message says enough
}

// Usage is a failure of the command line: the hint names the help.
func Usage(name string, err error) Failure {
	return Failure{Err: err, Code: ExitUsage, Hint: name + " -h lists the options"}
}

// Classify recognizes the failures that both programs have: configuration, schema and database. addr is DBAddr, empty for the
// embedded server, whose data directory is dataDir. ok is false for any other error, which fails with ExitFailed.
func Classify(err error, addr, dataDir string) (f Failure, ok bool) {
	var problems config.Errors
	switch {
	case errors.As(err, &problems):
		return Failure{Err: problems, Code: ExitUsage}, true
	case database.WrongSchema(err):
		return Failure{err, ExitUsage, database.SchemaHint(err, addr, dataDir)}, true
	case errors.Is(err, embedded.ErrNoPrograms), errors.Is(err, embedded.ErrUnreachable), errors.Is(err, store.ErrUnavailable), database.Refused(err):
		return Failure{err, ExitDatabase, database.Hint(err, addr == "")}, true
	}
	return Failure{Err: err, Code: ExitFailed}, false
}

// Print prints a failure and its hint, and returns its exit code. Each problem of a configuration has a line of its own, which
// begins with file and line instead of the program's name.
func Print(out io.Writer, name string, f Failure) int {
	var problems config.Errors
	if errors.As(f.Err, &problems) {
		for _, problem := range problems {
			fmt.Fprintln(out, problem.Error())
		}
	} else {
		fmt.Fprintf(out, "%s: %s\n", name, database.OneLine(f.Err))
	}
	if f.Hint != "" {
		fmt.Fprintf(out, "hint: %s\n", f.Hint)
	}
	return f.Code
}

// Interrupted prints that a program ended because it was asked to, before its work was complete.
func Interrupted(out io.Writer, name string) int {
	fmt.Fprintf(out, "%s: interrupted\n", name)
	return ExitInterrupted
}
