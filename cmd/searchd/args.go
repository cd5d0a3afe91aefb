package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/pgseek/pgseek/internal/manual"
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
	man     bool
	said    bool   // --version
	shell   string // --completion
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
	f.StringVar(&o.shell, "completion", "", "print the completion of the command line for a shell")
	f.BoolVar(&o.man, "man", false, "print the manual page; show it with: searchd --man | man -l -")
	f.BoolVar(&o.said, "version", false, "show the version")
	f.BoolVarP(&o.help, "help", "h", false, "show this help")
	return f
}

// parseArgs reads the command line. It prints the help to out and returns errHelp if that was asked for.
func parseArgs(args []string, out io.Writer) (*options, error) {
	o := &options{}
	f := o.flags()
	f.SetOutput(io.Discard)
	if err := f.Parse(args); err != nil {
		return nil, parseError(f, err)
	}
	if done, err := o.print(f, out); done || err != nil {
		return nil, cmp.Or(err, errHelp)
	}
	rest := f.Args()
	modes := 0
	for _, name := range []string{"report", "stat-purge", "check-config"} {
		if f.Changed(name) {
			modes++
		}
	}
	switch {
	case len(rest) > 0 && o.place == "" && meantWord(f, rest[0]) != "":
		return nil, fmt.Errorf("%q is no configuration (no such file or directory)%s", rest[0], meantWord(f, rest[0]))
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

// parseError returns what pflag found wrong, in the words of an operator.
func parseError(f *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	name := unknown.GetSpecifiedName()
	if meant := manual.Meant(f, name); meant != "" {
		return fmt.Errorf("unknown option --%s; did you mean %s?", name, meant)
	}
	return fmt.Errorf("unknown option --%s", name)
}

// meantWord returns "; did you mean ...?" for an argument that is the name of an option without its hyphens, and names no file.
func meantWord(f *pflag.FlagSet, word string) string {
	if _, err := os.Stat(word); !os.IsNotExist(err) || strings.ContainsAny(word, "/.") {
		return ""
	}
	if f := f.Lookup(word); f != nil {
		return "; did you mean searchd --" + f.Name + "?"
	}
	return ""
}
