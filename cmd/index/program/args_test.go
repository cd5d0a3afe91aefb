package program

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// given returns an option as these tests write it, with a value where it needs one.
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

// TestOneModeAtATime verifies that every two options that select a mode, and every such option with one for
// crawls only, are refused in one line that names both (exit code 2).
func TestOneModeAtATime(t *testing.T) {
	t.Parallel()
	flags := (&options{}).flags()
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
	names := modeNames()
	name := func(name string) string { return spelling(flags.Lookup(name)) }
	for i, mode := range names {
		for _, other := range names[i+1:] {
			if mode == "realtime" && other == "space" { // both at once: the sites of -T join it
				continue
			}
			if mode == "path" && other == "search" { // whose documents it limits
				continue
			}
			refused(name(mode)+" and "+name(other)+" do not go together", mode, other)
			refused(name(mode)+" and "+name(other)+" do not go together", other, mode)
		}
		with := []string{mode}
		if mode == "insert" || mode == "space" {
			with = append(with, "url") // which it wants
		}
		for _, crawl := range crawlNames {
			if mode == "realtime" && crawl == "force" { // which asks for all of a document again
				continue
			}
			if (mode == "realtime" || mode == "clear") && crawl == "adopt" { // which may meet another project's database, too
				continue
			}
			refused(name(crawl)+" goes with a crawl, not with "+name(mode), append(slices.Clone(with), crawl)...)
		}
		for _, limit := range limitNames {
			if !slices.Contains(limitsOf(mode), limit) {
				refused(".*"+name(limit)+"\\b.*", append(slices.Clone(with), limit)...)
			}
		}
	}
}

// limitsOf returns the limits that a mode applies.
func limitsOf(flag string) []string {
	return modes[slices.IndexFunc(modes, func(m mode) bool { return m.flag == flag })].limits
}

// TestEveryOptionHasItsKind: an option selects a mode, belongs to a mode, belongs to a crawl, limits the URLs, or goes with
// everything.
func TestEveryOptionHasItsKind(t *testing.T) {
	t.Parallel()
	kinds := slices.Concat(modeNames(), limitNames, crawlNames, acceptedNames, commonNames)
	for i := range modes {
		kinds = append(kinds, modes[i].own...)
	}
	flags := (&options{}).flags()
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(kinds, f.Name) {
			t.Errorf("--%s is of no kind", f.Name)
		}
	})
	for _, name := range kinds {
		if flags.Lookup(name) == nil {
			t.Errorf("--%s is not declared", name)
		}
	}
}

// TestEveryOptionHasItsPurpose: the help and the manual page have each option once, below its purpose.
func TestEveryOptionHasItsPurpose(t *testing.T) {
	t.Parallel()
	if names := describe((&options{}).flags()).Ungrouped(); len(names) > 0 {
		t.Errorf("in no group of manual.go, in several, or no option: %q", names)
	}
}

// TestMeant: an option or a word that does not exist names the one that was meant.
func TestMeant(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--verison":    "unknown option --verison; did you mean --version?",
		"--worker 4":   "unknown option --worker; did you mean --workers (-N)?",
		"--threads 4":  "unknown option --threads; did you mean --workers (-N), or Threads in spider.cnf?",
		"--a\x1b[31m":  `unknown option --a\x1b[31m`, // B82
		"\x1b]0;x":     `"\x1b]0;x" is no configuration (no such file or directory) and no mode`,
		"--qqqqqqqq":   "unknown option --qqqqqqqq",
		"version":      `"version" is no configuration (no such file or directory) and no mode; did you mean index --version?`,
		"stauts":       `"stauts" is no configuration (no such file or directory) and no mode; did you mean index -S?`,
		"dry-run-rule": `"dry-run-rule" is no configuration (no such file or directory) and no mode; did you mean index --dry-run-rules?`,
		"zzzzzzzz":     `"zzzzzzzz" is no configuration (no such file or directory) and no mode`,
		"--db psql -c": "unknown option -c in -c; psql's own options stand behind --, as in: index --db psql -- -c 'SELECT 1'",
	} {
		if _, err := parseArgs(strings.Fields(args), io.Discard); err == nil || err.Error() != want {
			t.Errorf("index %s: got %v, want %s", args, err, want)
		}
	}
}

// TestModes: each command line selects the mode that its options name, with the name that pg_stat_activity shows.
func TestModes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args       string
		flag, name string
	}{
		{"", "", ""},
		{"-qa", "", ""},
		{"-D=false", "", ""},
		{"-D", "merge", "-D"},
		{"-S --sites", "statistics", "-S"},
		{"-X1", "examine", "-X1"},
		{"-X2", "examine", "-X2"},
		{"--check", "check", "-X1"},
		{"--orphans purge", "orphans", "--orphans"},
		{"-A 3 -u http://a.example/", "space", "-A"},
		{"-A 3 -T http://a.example/", "realtime", "-T"},
		{"-mT http://a.example/", "realtime", "-T"},
		{"-T -f list.txt", "realtime", "-T"},
		{"--db psql -- -c SELECT", "db", ""},
		{"--import-config aspseek.conf new", "import-config", ""},
	} {
		o, err := parseArgs(strings.Fields(c.args), io.Discard)
		if err != nil || o.mode.flag != c.flag || o.mode.name != c.name {
			t.Errorf("index %s: got %+v, %v", c.args, o.mode, err)
		}
	}
	for i := range modes {
		if m := &modes[i]; (m.run == nil) == (m.alone == nil && m.early == nil) || m.run != nil && m.name == "" {
			t.Errorf("--%s %s: want one function, and a name for its connections", m.flag, m.value)
		}
	}
}

// TestValues: an option with a fixed set of values names them.
func TestValues(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-X 3":                       "-X 3: want 1 or 2",
		"--orphans x":                "--orphans x: want list or purge",
		"--db restart":               "--db restart: want start, run, status, stop, psql or upgrade",
		"--format xml --search a":    "--format xml: want text or json",
		"-D --batch-documents -1":    "--batch-documents -1: want at least 1",
		"--batch-documents 0":        "--batch-documents goes with -D",
		"--purge-lost=16":            "--purge-lost=16: want 1 to 15",
		"-w":                         "-w goes with --db upgrade or -C",
		"--why":                      "--why goes with --search",
		"-A -3 -T http://a.example/": "-A -3: -T can only add its sites",
		"-A 3":                       "-A wants -u URL or -T URL",
		"-i":                         "-i wants -u URL or -f FILE",
		"-T":                         "-T wants a URL, or -f FILE",
	} {
		if _, err := parseArgs(strings.Fields(args), io.Discard); err == nil || err.Error() != want {
			t.Errorf("index %s: got %v, want %s", args, err, want)
		}
	}
}
