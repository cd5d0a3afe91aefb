// Package program holds the program index, which crawls, merges and answers questions about the index. Run is its only
// entry; Main calls it for a process.
package program

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
	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/posting"
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

// stopPatience is how long what is under way may take after a signal, before it is dropped: a program that was asked to
// stop is gone within ten seconds (reliability.md F2).
const stopPatience = 8 * time.Second

// Main runs the program for this process, with its arguments, streams and signals, and returns the exit code.
func Main() int {
	ctx, hard := context.WithCancel(context.Background())
	stop, soft := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go stopOn(signals, stopPatience, os.Stderr, soft, hard)
	return Run(ctx, stop, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// stopOn calls soft at the first signal, and hard at the second one or when patience ends.
func stopOn(signals <-chan os.Signal, patience time.Duration, tell io.Writer, soft, hard func()) {
	<-signals
	fmt.Fprintln(tell, "index: stopping; what is under way is finished (again to stop at once)")
	soft()
	select {
	case <-signals:
	case <-time.After(patience):
	}
	hard()
}

// Run is the whole program: arguments in, exit code out. When stop ends, the program finishes what is under way; when
// ctx ends, it drops it.
func Run(ctx, stop context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	o, err := parseArgs(args, out)
	if errors.Is(err, errHelp) {
		return exitDone
	}
	if err != nil {
		fmt.Fprintf(errOut, "index: %v\nhint: index -h lists the options\n", err)
		return exitUsage
	}
	p := &program{o: o, in: in, out: out, errOut: errOut}
	if err := p.openLog(); err != nil {
		fmt.Fprintf(errOut, "index: %v\n", err)
		return exitFailed
	}
	defer p.closeLog()
	ctx, p.stop = withLog(ctx, p.log), withLog(stop, p.log)
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
	var query queryError
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
	case errors.As(err, &query):
		code = exitUsage // the message says what to write
	case errors.Is(err, store.ErrSchemaNewer):
		code, hint = exitUsage, "use the program that migrated this database, or a newer one"
	case errors.As(err, &held):
		code, hint, err = exitHeld, "wait until it has ended; what was not done is done by calling this again", held
		if held.What == "crawl" {
			hint = "wait until it has ended; index -E stops a crawl"
		}
	case errors.Is(err, embedded.ErrNoPrograms), errors.Is(err, embedded.ErrUnreachable), errors.Is(err, store.ErrUnavailable), database.Refused(err):
		code, hint = exitDatabase, database.Hint(err, p.cfg == nil || p.cfg.Spider.DBAddr == "")
	case errors.Is(err, store.ErrIndexChanged):
		code, hint = exitHeld, "the connection that held the lock broke, and another merge ran; nothing was lost: call this again"
	case errors.Is(err, errDamaged):
		code, hint = exitDamaged, "each line above says what to do; index -X2 mends most of it, index --rebuild-index makes the inverted index anew"
	case errors.Is(err, merge.ErrDamaged), errors.Is(err, posting.ErrCorrupt):
		code, hint = exitDamaged, damageHint(err)
	}
	fmt.Fprintf(p.errOut, "index: %s\n", database.OneLine(err))
	if hint != "" {
		fmt.Fprintf(p.errOut, "hint: %s\n", hint)
	}
	return code
}

// damageHint is what to do about damage, by the table that has it (docs/damage.md).
func damageHint(err error) string {
	var damaged *store.Damaged
	if !errors.As(err, &damaged) {
		return "index -X1 tells of all damage, and what to do about it"
	}
	switch damaged.Table {
	case "wordurl1", "rt_urls":
		return "index -X2 makes the real-time index anew from the journal; nothing is lost"
	case "journal":
		return "index -X2 puts the document into the journal again, from its stored content, and merges it"
	case "urlwords":
		return "index -qam -u URL fetches the document anew; index -X1 tells of all that are damaged"
	}
	return "index -X2 mends it from the stored contents; index --rebuild-index makes the whole inverted index anew"
}
