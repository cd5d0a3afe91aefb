package program

import (
	"io"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// given is how an option is called in these tests, with a value where it wants one.
func given(f *pflag.Flag) []string {
	values := map[string]string{"db": "status", "examine": "1", "orphans": "list", "count": "5", "space": "3", "status": "200", "tag": "1", "file": "list.txt"}
	switch {
	case f.NoOptDefVal != "":
		return []string{"--" + f.Name}
	case values[f.Name] != "":
		return []string{"--" + f.Name, values[f.Name]}
	}
	return []string{"--" + f.Name, "value"}
}

// TestOneModeAtATime: index does one thing at a time. Every two options that say what to do, and every such option with one
// that only a crawl looks at, are refused in one line that names both (rules.md 10: exit code 2).
func TestOneModeAtATime(t *testing.T) {
	t.Parallel()
	flags := (&options{}).flags()
	crawls := []string{"all", "respider", "force", "hops-first", "count", "no-merge", "takeover", "tmpurl"}
	refused := func(want string, names ...string) {
		t.Helper()
		var args []string
		for _, name := range names {
			args = append(args, given(flags.Lookup(name))...)
		}
		_, err := parseArgs(args, io.Discard)
		if err == nil || !regexp.MustCompile("^"+want+"$").MatchString(err.Error()) {
			t.Errorf("%q: got %v, want %s", args, err, want)
		}
	}
	name := func(name string) string { return spelling(flags.Lookup(name)) }
	for i, mode := range modeNames {
		for _, other := range modeNames[i+1:] {
			if mode == "realtime" && other == "space" { // both at once: the sites of -T join it
				continue
			}
			refused(name(mode)+" and "+name(other)+" do not go together", mode, other)
			refused(name(mode)+" and "+name(other)+" do not go together", other, mode)
		}
		with := []string{mode}
		if mode == "insert" || mode == "space" {
			with = append(with, "url") // which it wants
		}
		for _, crawl := range crawls {
			if mode == "realtime" && crawl == "force" { // which asks for all of a document again
				continue
			}
			refused(name(crawl)+" goes with a crawl, not with "+name(mode), append(slices.Clone(with), crawl)...)
		}
		for _, limit := range limitNames {
			if !slices.Contains(modeLimits[mode], limit) {
				refused(".*"+name(limit)+"\\b.*", append(slices.Clone(with), limit)...)
			}
		}
	}
}

// TestEveryOptionHasItsKind: an option is a mode, belongs to a crawl, limits what is looked at, belongs to one mode, or goes with
// everything. A new one must be told to the test above.
func TestEveryOptionHasItsKind(t *testing.T) {
	t.Parallel()
	kinds := slices.Concat(modeNames, limitNames,
		[]string{"all", "respider", "force", "hops-first", "count", "no-merge", "takeover", "tmpurl"}, // a crawl's
		[]string{"sites", "yes", "batch-documents"},                                                   // of -S, of -C, of -D
		searchNames, // of --search
		[]string{"workers", "quick", "log", "verbose", "config", "help"}) // with everything
	(&options{}).flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(kinds, f.Name) {
			t.Errorf("--%s is of no kind", f.Name)
		}
	})
}
