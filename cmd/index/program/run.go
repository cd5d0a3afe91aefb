// Package program holds the program index, which crawls, merges and answers questions about the index. Run is its only
// entry; Main calls it for a process.
package program

import (
	"context"
	"errors"
	"io"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/posting"
)

// Main runs the program for this process and returns the exit code.
func Main() int { return cli.Main("index", cli.StopTimeout, Run) }

// Run is the whole program: arguments in, exit code out. When stop ends, it finishes the work in progress; when ctx ends, it
// cancels that too.
func Run(ctx, stop context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	o, err := parseArgs(args, out)
	if errors.Is(err, errHelp) {
		return cli.ExitDone
	}
	if err != nil {
		return cli.Print(errOut, "index", cli.Usage("index", err))
	}
	p := &program{o: o, clock: systemClock{}, in: in, out: out, errOut: errOut}
	if err := p.openLog(); err != nil {
		return cli.Print(errOut, "index", cli.Failure{Err: err, Code: cli.ExitFailed})
	}
	defer p.closeLog()
	ctx, p.stop = withLog(ctx, p.log), withLog(stop, p.log)
	if err := p.mode(ctx); err != nil {
		return p.fail(ctx, err)
	}
	return cli.ExitDone
}

// errInterrupted is returned by a mode that was asked to stop.
var errInterrupted = errors.New("interrupted")

// usageError is an invalid combination of options.
type usageError string

func (e usageError) Error() string { return string(e) }

// fail prints what went wrong and returns the exit code.
func (p *program) fail(ctx context.Context, err error) int {
	if errors.Is(err, errInterrupted) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return cli.Interrupted(p.errOut, "index")
	}
	var addr, dataDir string
	if p.cfg != nil {
		addr, dataDir = p.cfg.Spider.DBAddr, p.cfg.Spider.DataDir
	}
	f, known := cli.Classify(err, addr, dataDir)
	if !known {
		f = classify(err)
	}
	var problems config.Errors
	if errors.As(err, &problems) && problems.Foreign() != "" {
		f.Hint = "index --import-config " + clean(problems.Foreign()) + " DIR makes sets.cnf and spider.cnf of a configuration of ASPseek or mnoGoSearch"
	}
	return cli.Print(p.errOut, "index", f)
}

// classify recognizes the failures that only index has.
func classify(err error) cli.Failure {
	var usage usageError
	var query queryError
	var imported importError
	var held *store.HeldError
	var rules *rulesError
	var project *projectError
	var second *secondError
	var paused *crawl.PausedError
	var outage *spider.Outage
	var busy *embedded.BusyError
	switch {
	case errors.As(err, &usage):
		return cli.Usage("index", err)
	case errors.As(err, &imported):
		return cli.Failure{Err: err, Code: cli.ExitUsage} // the message says what to write
	case errors.As(err, &query):
		return cli.Failure{Err: err, Code: cli.ExitUsage} // the message says what to write
	case errors.As(err, &rules):
		return cli.Failure{Err: rules, Code: cli.ExitUsage, Hint: rules.hint()}
	case errors.As(err, &project):
		return cli.Failure{Err: project, Code: cli.ExitUsage, Hint: projectHint}
	case errors.As(err, &second):
		return cli.Failure{Err: second, Code: cli.ExitHeld, Hint: secondHint}
	case errors.As(err, &paused):
		return cli.Failure{Err: paused, Code: cli.ExitHeld, Hint: "index --resume ends the pause"}
	case errors.As(err, &outage):
		return cli.Failure{Err: outage, Code: cli.ExitOutage, Hint: outageHint}
	case errors.As(err, &held):
		hint := "wait until it has ended, then call this again"
		if held.What == "crawl" {
			hint = "wait until it has ended; index -E stops a crawl"
		}
		return cli.Failure{Err: held, Code: cli.ExitHeld, Hint: hint}
	case errors.Is(err, embedded.ErrUpgrading):
		return cli.Failure{Err: err, Code: cli.ExitHeld, Hint: "wait until it has ended; index --db status shows it"}
	case errors.As(err, &busy):
		return cli.Failure{Err: busy, Code: cli.ExitHeld, Hint: "stop it, then call this again"}
	case errors.Is(err, store.ErrIndexChanged):
		return cli.Failure{
			Err: err, Code: cli.ExitHeld,
			Hint: "the connection that held the lock broke and another merge ran; no data was lost: call this again",
		}
	case errors.Is(err, errDamaged):
		return cli.Failure{
			Err: err, Code: cli.ExitDamaged,
			Hint: "each line above says what to do; index -X2 repairs most damage, index --rebuild-index rebuilds the inverted index",
		}
	case errors.Is(err, merge.ErrDamaged), errors.Is(err, posting.ErrCorrupt):
		return cli.Failure{Err: err, Code: cli.ExitDamaged, Hint: damageHint(err)}
	}
	return cli.Failure{Err: err, Code: cli.ExitFailed}
}

const outageHint = "nothing was changed for what failed; call this again when the network is back, or write ConnectivityInterval 0 in spider.cnf to crawl without tests"

// damageHint returns what to do about damage in a table, as docs/damage.md describes it.
func damageHint(err error) string {
	var damaged *store.Damaged
	if !errors.As(err, &damaged) {
		return "index -X1 lists all damage and what to do about it"
	}
	switch damaged.Table {
	case "wordurl1", "rt_urls":
		return "index -X2 rebuilds the real-time index from the journal; no data is lost"
	case "journal":
		return "index -X2 writes the document to the journal again, from its stored content, and merges it"
	case "urlwords":
		return "index -qam -u URL fetches the document again; index -X1 lists all that are damaged"
	}
	return "index -X2 repairs it from the stored contents; index --rebuild-index rebuilds the whole inverted index"
}
