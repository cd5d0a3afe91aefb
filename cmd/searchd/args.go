package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"
)

// options are the command line.
type options struct {
	place, listen string

	// What to do; nothing of it = answer searches.
	report, check, help bool
	purge               string

	since   string
	verbose bool
}

// errHelp says that the help was shown.
var errHelp = errors.New("help")

// flags declares every option once.
func (o *options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("searchd", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringVar(&o.listen, "listen", "", "answer at this `address` and port (Listen); :12345 is every address of the machine")
	f.BoolVar(&o.report, "report", false, "tell what was searched for: the most frequent queries, those without result, the slow ones")
	f.StringVar(&o.since, "since", "30d", "with --report: since this `time` ago (12h, 7d, 1m) or day (2026-01-31)")
	f.StringVar(&o.purge, "stat-purge", "", "remove what was searched for longer than this `time` ago, or before this day")
	f.BoolVar(&o.check, "check-config", false, "read the configuration, say what is wrong with it, and do nothing else")
	f.StringVar(&o.place, "config", "", "the configuration's `directory`, or a file in place of searchd.conf")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	f.BoolVarP(&o.help, "help", "h", false, "show this help")
	return f
}

// parseArgs reads the command line. It shows the help on out and returns errHelp when that was asked for.
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
spider.cnf (default: the current one when it has one of them or sets.cnf, else /etc/pgseek). While the database is away,
searches are answered 503, and it goes on when the database is back.

%s
A setting is taken from the option, else the environment (PGSEEK_LISTEN), else searchd.conf, else the default.

Exit codes: 0 done, also when a signal ended it and searches under way were answered, 1 failed, 2 usage or configuration,
3 database, 130 interrupted.
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
