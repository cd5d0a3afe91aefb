package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"
)

// options is the command line.
type options struct {
	place, listen string

	// What to do; none of them = answer searches.
	report, check, help bool
	purge               string

	since   string
	verbose bool
}

// errHelp is returned when the help was printed.
var errHelp = errors.New("help")

// flags declares every option once.
func (o *options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("searchd", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringVar(&o.listen, "listen", "", "listen on this `address` and port (Listen); :12345 is every address of the machine")
	f.BoolVar(&o.report, "report", false, "list the most frequent queries, those without results, and the slowest ones")
	f.StringVar(&o.since, "since", "30d", "with --report: searches since this `time` ago (12h, 7d, 1m) or this day (2026-01-31)")
	f.StringVar(&o.purge, "stat-purge", "", "delete recorded searches older than this `time`, or from before this day")
	f.BoolVar(&o.check, "check-config", false, "check the configuration, and do nothing else")
	f.StringVar(&o.place, "config", "", "`directory` of the configuration, or a file to use instead of searchd.conf")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	f.BoolVarP(&o.help, "help", "h", false, "show this help")
	return f
}

// parseArgs reads the command line. It prints the help to out and returns errHelp if that was asked for.
func parseArgs(args []string, out io.Writer) (*options, error) {
	o := &options{}
	f := o.flags()
	f.SetOutput(io.Discard)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.help {
		fmt.Fprintf(out, `searchd [options] [configuration]

Answers searches over HTTP, by default at http://127.0.0.1:12345/. The configuration is the directory of searchd.conf and
spider.cnf (default: the current directory if it has one of them or sets.cnf, else /etc/pgseek). While the database
cannot be reached, searches are answered 503.

%s
A setting comes from the option, else the environment (PGSEEK_LISTEN), else searchd.conf, else the default.

Exit codes: 0 done, also after a signal when all searches in progress were answered, 1 failed,
2 usage or configuration, 3 database, 130 interrupted.
`, f.FlagUsagesWrapped(100))
		return nil, errHelp
	}
	rest := f.Args()
	modes := 0
	for _, name := range []string{"report", "stat-purge", "check-config"} {
		if f.Changed(name) {
			modes++
		}
	}
	switch {
	case len(rest) > 1:
		return nil, fmt.Errorf("one configuration at most, got %q", rest)
	case len(rest) == 1 && o.place != "":
		return nil, fmt.Errorf("configuration given twice: %q and %q", o.place, rest[0])
	case modes > 1:
		return nil, errors.New("--report, --stat-purge and --check-config do not go together")
	case f.Changed("since") && !o.report:
		return nil, errors.New("--since goes with --report")
	case f.Changed("listen") && modes > 0 && !o.check:
		return nil, errors.New("--listen does not go with --report or --stat-purge")
	case f.Changed("stat-purge") && o.purge == "":
		return nil, errors.New("--stat-purge wants a time")
	case f.Changed("listen") && o.listen == "":
		return nil, errors.New("--listen wants an address")
	}
	for _, name := range []string{"since", "stat-purge"} {
		if text := f.Lookup(name).Value.String(); text != "" {
			if _, err := ago(text, time.Now()); err != nil {
				return nil, fmt.Errorf("--%s %s: want a time such as 12h, 7d, 1m (month), 1y, or a day such as 2026-01-31", name, text)
			}
		}
	}
	if len(rest) == 1 {
		o.place = rest[0]
	}
	return o, nil
}
