// Command index is the operator's program: it crawls, merges, and answers questions about the index.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
)

// Exit codes (rules.md 10).
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDatabase    = 3
	exitHeld        = 4
	exitDamaged     = 6
	exitInterrupted = 130
)

func main() {
	ctx, hard := context.WithCancel(context.Background())
	stop, soft := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "index: stopping; what is under way is finished (again to stop at once)")
		soft()
		<-signals
		hard()
	}()
	os.Exit(run(ctx, stop, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program: arguments in, exit code out. When stop ends, the program finishes what is under way; when
// ctx ends, it drops it.
func run(ctx, stop context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	o, err := parseArgs(args, out)
	if errors.Is(err, errHelp) {
		return exitDone
	}
	if err != nil {
		fmt.Fprintf(errOut, "index: %v\nhint: index -h lists the options\n", err)
		return exitUsage
	}
	p := &program{o: o, stop: stop, in: in, out: out, errOut: errOut}
	if err := p.openLog(); err != nil {
		fmt.Fprintf(errOut, "index: %v\n", err)
		return exitFailed
	}
	defer p.closeLog()
	err = p.mode(ctx)
	if err == nil {
		return exitDone
	}
	return p.fail(ctx, err)
}

// errInterrupted ends a mode that was asked to stop.
var errInterrupted = errors.New("interrupted")

// usageError is a wrong combination of options.
type usageError string

func (e usageError) Error() string { return string(e) }

// fail tells the user what went wrong, once, and chooses the exit code.
func (p *program) fail(ctx context.Context, err error) int {
	if errors.Is(err, errInterrupted) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		fmt.Fprintln(p.errOut, "index: interrupted")
		return exitInterrupted
	}
	var problems config.Errors
	var usage usageError
	var held *store.HeldError
	code, hint := exitFailed, ""
	switch {
	case errors.As(err, &problems):
		for _, problem := range problems {
			fmt.Fprintln(p.errOut, problem.Error())
		}
		return exitUsage
	case errors.As(err, &usage):
		code, hint = exitUsage, "index -h lists the options"
	case errors.Is(err, store.ErrSchemaNewer):
		code, hint = exitUsage, "use the program that migrated this database, or a newer one"
	case errors.As(err, &held):
		code, hint = exitHeld, "wait for it, or stop a crawl with index -E"
	case errors.Is(err, store.ErrUnavailable):
		code, hint = exitDatabase, "index --db status tells about the embedded server; DBAddr in spider.cnf names another"
	case errors.Is(err, merge.ErrDamaged):
		code, hint = exitDamaged, "the batches before it are merged; nothing of its own batch is"
	}
	fmt.Fprintf(p.errOut, "index: %v\n", err)
	if hint != "" {
		fmt.Fprintf(p.errOut, "hint: %s\n", hint)
	}
	return code
}
