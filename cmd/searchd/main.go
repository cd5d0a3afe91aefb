// Command searchd answers searches: people in a browser, programs over JSON. docs/http.md is the contract.
package main

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
)

// Exit codes (rules.md 10). A daemon that was asked to stop, and has answered what was under way, is done.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDatabase    = 3
	exitInterrupted = 130
)

// stopPatience is how long searches that are under way may take after a signal, before they are dropped: a program that was
// asked to stop is gone within ten seconds (reliability.md F2).
const stopPatience = 8 * time.Second

func main() {
	ctx, hard := context.WithCancel(context.Background())
	stop, soft := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go stopOn(signals, os.Stderr, soft, hard)
	os.Exit(run(ctx, stop, os.Args[1:], os.Stdout, os.Stderr))
}

// stopOn calls soft at the first signal, and hard at the second one.
func stopOn(signals <-chan os.Signal, tell io.Writer, soft, hard func()) {
	<-signals
	fmt.Fprintln(tell, "searchd: stopping; searches under way are answered (again to stop at once)")
	soft()
	<-signals
	hard()
}

// run is the whole program: arguments in, exit code out. When stop ends, the program finishes what is under way; when ctx
// ends, it drops it.
func run(ctx, stop context.Context, args []string, out, errOut io.Writer) int {
	o, err := parseArgs(args, out)
	if errors.Is(err, errHelp) {
		return exitDone
	}
	if err != nil {
		fmt.Fprintf(errOut, "searchd: %v\nhint: searchd -h lists the options\n", err)
		return exitUsage
	}
	p := &program{o: o, stop: stop, out: out, errOut: errOut}
	err = p.mode(ctx)
	if err == nil {
		return exitDone
	}
	return p.fail(ctx, err)
}

// fail tells the user what went wrong, once, and chooses the exit code.
func (p *program) fail(ctx context.Context, err error) int {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) || p.stop.Err() != nil && errors.Is(err, p.stop.Err()) {
		fmt.Fprintln(p.errOut, "searchd: interrupted")
		return exitInterrupted
	}
	var problems config.Errors
	var listen *listenError
	code, hint := exitFailed, ""
	switch {
	case errors.As(err, &problems):
		for _, problem := range problems {
			fmt.Fprintln(p.errOut, problem.Error())
		}
		return exitUsage
	case errors.As(err, &listen):
		hint = "another searchd may run there; Listen in searchd.conf, or --listen, names another address"
	case database.WrongSchema(err):
		code, hint = exitUsage, database.SchemaHint(err, p.cfg.Search.DBAddr, p.cfg.Search.DataDir)
	case database.ReadOnly(err) && !p.o.report && p.o.purge == "": // who searches writes the schema only
		code, hint = exitDatabase, "the schema is older than this program, and this server takes no writes: any call of index of this version brings that of the primary up to date"
	case errors.Is(err, store.ErrUnavailable), database.Refused(err):
		code, hint = exitDatabase, database.Hint(err, p.embedded())
	}
	fmt.Fprintf(p.errOut, "searchd: %s\n", database.OneLine(err))
	if hint != "" {
		fmt.Fprintf(p.errOut, "hint: %s\n", hint)
	}
	return code
}
