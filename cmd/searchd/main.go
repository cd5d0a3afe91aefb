// Command searchd answers searches over HTTP, for browsers and for programs. docs/http.md is its contract.
package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/cmd/internal/database"
)

// A daemon that was asked to stop, and has answered the searches in progress, is done: shutdown bounds the time for that.
func main() { os.Exit(cli.Main("searchd", 0, run)) }

// run is the whole program: arguments in, exit code out. When stop ends, it finishes the work in progress; when ctx ends, it
// cancels that too.
func run(ctx, stop context.Context, args []string, _ io.Reader, out, errOut io.Writer) int {
	o, err := parseArgs(args, out)
	if errors.Is(err, errHelp) {
		return cli.ExitDone
	}
	if err != nil {
		return cli.Print(errOut, "searchd", cli.Usage("searchd", err))
	}
	p := &program{o: o, stop: stop, out: out, errOut: errOut}
	if err := p.mode(ctx); err != nil {
		return p.fail(ctx, err)
	}
	return cli.ExitDone
}

// fail prints what went wrong and returns the exit code.
func (p *program) fail(ctx context.Context, err error) int {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) || p.stop.Err() != nil && errors.Is(err, p.stop.Err()) {
		return cli.Interrupted(p.errOut, "searchd")
	}
	var addr, dataDir string
	if p.cfg != nil {
		dataDir = p.cfg.Search.DataDir
		if len(p.cfg.Search.DBAddrs) > 0 {
			addr = p.cfg.Search.DBAddrs[0]
		}
	}
	f, known := cli.Classify(err, addr, dataDir)
	var listen *listenError
	switch {
	case known && f.Code == cli.ExitDatabase && database.ReadOnly(err) && !p.o.report && p.o.purge == "": // a search writes the schema only
		f.Hint = "the schema is older than this program, and this server is read-only: run index of this version with the primary, which migrates it"
	case !known && errors.As(err, &listen):
		f.Hint = "another searchd may run there; Listen in searchd.conf, or --listen, names another address"
	}
	return cli.Print(p.errOut, "searchd", f)
}
