package program

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// options are the command line.
type options struct {
	place string // --config or the last argument

	// What to do; nothing of it = crawl.
	merge, statistics, clear, stop, insert, dryRunRules, help bool
	path, explain, dumpWord, purgeLost, orphans               string
	release, recrawl, db, examine                             string
	verify, rebuildIndex                                      bool
	ranks, relink                                             bool

	// How.
	all, forced, hopsFirst, quick, noMerge, yes, verbose bool
	respider, tmpurl, takeover, sites                    bool
	count                                                int64
	batchDocuments                                       int
	workers                                              int
	statuses, tags                                       []int32
	urls, realtime                                       []string
	file, log                                            string

	rest []string // arguments of --db psql
	text []string // as given but for passwords, for reindexing.options

	groupOptions
	searchOptions
}

// errHelp says that the help was shown.
var errHelp = errors.New("help")

// flags declares every option once. The letters are ASPseek's.
func (o *options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("index", pflag.ContinueOnError)
	f.SortFlags = false
	f.BoolVarP(&o.all, "all", "a", false, "crawl everything, due or not")
	f.BoolVar(&o.respider, "respider", false, "crawl from the start URLs all that links reach, due or not; what it does not reach is an orphan")
	f.BoolVarP(&o.forced, "force", "m", false, "ask without conditions and store again what is unchanged")
	f.BoolVarP(&o.hopsFirst, "hops-first", "o", false, "visit shallow URLs first")
	f.Int64VarP(&o.count, "count", "n", 0, "stop after this many `documents`; the merge is left to -D")
	f.IntVarP(&o.workers, "workers", "N", 0, "`number` of workers (Threads)")
	f.BoolVarP(&o.quick, "quick", "q", false, "do not add the Server URLs")
	f.BoolVar(&o.noMerge, "no-merge", false, "leave the merge to -D")
	f.BoolVar(&o.takeover, "takeover", false, "end the running crawl first, in place of joining it")
	f.BoolVarP(&o.tmpurl, "tmpurl", "M", false, "only the URLs of table tmpurl")
	f.Int32SliceVarP(&o.statuses, "status", "s", nil, "only URLs with this `status` (0 = never fetched); repeatable")
	f.Int32SliceVarP(&o.tags, "tag", "t", nil, "only URLs with this `tag`; repeatable")
	f.StringArrayVarP(&o.urls, "url", "u", nil, "only URLs like this SQL `pattern`; with -i a URL to insert; repeatable")
	f.StringVarP(&o.file, "file", "f", "", "read more of -u or -T from this `file`, a line each (- = standard input)")
	f.BoolVarP(&o.insert, "insert", "i", false, "insert the URLs of -u and -f, do not crawl")
	f.StringArrayVarP(&o.realtime, "realtime", "T", nil, "index this `URL`, and those of -f, so that searches find it at once; repeatable")
	f.BoolVarP(&o.merge, "merge", "D", false, "merge what was crawled into the inverted index")
	f.IntVar(&o.batchDocuments, "batch-documents", 0, "with -D: at most this `number` of documents a transaction (as MergeMemory allows)")
	f.BoolVarP(&o.ranks, "ranks", "K", false, "compute the link ranks of all documents")
	f.BoolVarP(&o.relink, "relink", "H", false, "make citation anew of the links of all documents, and tell what differed")
	f.BoolVarP(&o.statistics, "statistics", "S", false, "count URLs by status")
	f.BoolVar(&o.sites, "sites", false, "with -S: a line for each site")
	o.groupFlags(f)
	f.StringVarP(&o.path, "path", "P", "", "show how this `URL` was found")
	f.StringVar(&o.explain, "explain", "", "tell everything about this `URL`, and why it is (not) in the index")
	f.BoolVar(&o.dryRunRules, "dry-run-rules", false, "count what the rules of sets.cnf would hide or bring back; change nothing")
	f.StringVar(&o.recrawl, "recrawl", "", "make the URLs like this SQL `pattern` due, before all others")
	f.StringVar(&o.purgeLost, "purge-lost", "", "remove documents that were lost too often; `=N`: those lost at least N times")
	f.Lookup("purge-lost").NoOptDefVal = "limit"
	f.StringVar(&o.orphans, "orphans", "", "`list` documents that no link reaches, or purge those past OrphanPeriod")
	f.StringVar(&o.release, "release", "", "end the hold of this `site` (http://host/): its documents may be lost")
	f.BoolVarP(&o.stop, "stop", "E", false, "ask the running crawl to stop, and wait for it")
	f.BoolVarP(&o.clear, "clear", "C", false, "empty the database")
	f.BoolVarP(&o.yes, "yes", "w", false, "with -C: do not ask")
	f.StringVarP(&o.examine, "examine", "X", "", "`1`: check the whole database and change nothing; 2: mend what can be mended, then merge")
	f.BoolVar(&o.verify, "check", false, "the same as -X1")
	f.BoolVar(&o.rebuildIndex, "rebuild-index", false, "make the inverted index anew from the stored contents")
	f.StringVar(&o.dumpWord, "dump-word", "", "show the postings of a `word`")
	o.searchFlags(f)
	f.StringVar(&o.db, "db", "", "`action` on the embedded server: start, status, stop or psql (its arguments after --)")
	f.StringVarP(&o.log, "log", "r", "", "write the log to this `file`")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log each URL")
	f.StringVar(&o.place, "config", "", "the configuration's `directory`, or a file in place of sets.cnf")
	f.BoolVarP(&o.help, "help", "h", false, "show this help")
	f.Lookup("status").DefValue, f.Lookup("tag").DefValue = "", "" // not "default []"
	return f
}

// parseArgs reads the command line. It shows the help on out and returns errHelp when that was asked for.
func parseArgs(args []string, out io.Writer) (*options, error) {
	o := &options{}
	for _, arg := range args {
		o.text = append(o.text, withoutPassword(arg))
	}
	f := o.flags()
	f.SetOutput(io.Discard)
	// pflag takes no such letter. What follows -- is no option, but psql's.
	if at, end := slices.Index(args, "-?"), slices.Index(args, "--"); at >= 0 && (end < 0 || at < end) {
		args = []string{"-h"}
	}
	if err := f.Parse(bareRealtime(args)); err != nil {
		return nil, misspelt(err)
	}
	if o.help {
		help(out, f)
		return nil, errHelp
	}
	rest := f.Args()
	if o.db == "psql" {
		if dash := f.ArgsLenAtDash(); dash >= 0 {
			rest, o.rest = rest[:dash], rest[dash:]
		}
	}
	switch {
	case len(rest) > 1:
		return nil, fmt.Errorf("one configuration at most, got %q", rest)
	case len(rest) == 1 && strings.Contains(rest[0], "://"):
		return nil, fmt.Errorf("%q: the last argument names the configuration; a URL goes with -T, or -i -u", withoutPassword(rest[0]))
	case len(rest) == 1 && o.place != "":
		return nil, fmt.Errorf("configuration given twice: %q and %q", o.place, rest[0])
	case len(rest) == 1 && rest[0] == "":
		return nil, errors.New("the configuration's name is empty")
	case len(rest) == 1:
		o.place = rest[0]
	}
	return o, o.check(f)
}

// bareRealtime gives -T without a URL, which leaves them to -f, an empty one: it would take the next option for a URL.
func bareRealtime(args []string) (list []string) {
	for i, arg := range args {
		if arg == "--" {
			return append(list, args[i:]...)
		}
		if letters, ok := strings.CutSuffix(arg, "T"); (arg == "--realtime" || ok && len(letters) > 0 && strings.Trim(letters, "mqv") == "-") &&
			(i+1 == len(args) || strings.HasPrefix(args[i+1], "-")) {
			if len(letters) > 1 && ok {
				list = append(list, letters)
			}
			arg = "--realtime="
		}
		list = append(list, arg)
	}
	return list
}

// comingLetters are ASPseek's options that rules.md 10 has and this version has not.
const comingLetters = "g"

// misspelt says in an operator's words what pflag found wrong.
func misspelt(err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return fmt.Errorf("unknown option --%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown) && strings.Contains(comingLetters, unknown.GetSpecifiedName()):
		return fmt.Errorf("-%s is not supported by this version", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		return fmt.Errorf("unknown option -%s in -%s", unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames())
	case errors.As(err, &missing):
		return fmt.Errorf("%s wants a value", spelling(missing.GetFlag()))
	case errors.As(err, &bad) && strings.HasPrefix(bad.GetFlag().Value.Type(), "int"):
		return fmt.Errorf("%s %s: not a whole number, or out of range", spelling(bad.GetFlag()), bad.GetValue())
	}
	return err
}

// spelling is an option as operators write it: its letter, else its long name.
func spelling(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// The options that say what to do in place of a crawl, and for each the limits that it looks at.
var (
	modeNames = []string{
		"realtime", "merge", "insert", "statistics", "path", "explain", "dry-run-rules", "recrawl", "purge-lost", "orphans", "release", "dump-word",
		"examine", "check", "rebuild-index", "ranks", "relink", "stop",
		"subsets", "totals", "space", "dump-markdel", "search", "db", "clear",
	}
	limitNames = []string{"status", "tag", "url", "file"}
	modeLimits = map[string][]string{"statistics": limitNames, "insert": {"url", "file"}, "space": {"url"}, "realtime": {"file"}}
)

// lossCount is a number of losses that fits urlword.status.
var lossCount = regexp.MustCompile(`^([1-9]|1[0-5])$`)

// check refuses options that do not go together: one that would do nothing is a misunderstanding.
func (o *options) check(f *pflag.FlagSet) error {
	given := func(names ...string) (found []*pflag.Flag) {
		for _, name := range names {
			if f.Changed(name) {
				found = append(found, f.Lookup(name))
			}
		}
		return found
	}
	modes := given(modeNames...)
	if f.Changed("realtime") { // whose sites -A is for then
		modes = slices.DeleteFunc(modes, func(flag *pflag.Flag) bool { return flag.Name == "space" })
	}
	for _, flag := range given("path", "explain", "recrawl", "purge-lost", "orphans", "release", "dump-word", "dump-markdel", "examine", "search", "db", "file", "log", "config") {
		if flag.Value.String() == "" {
			return fmt.Errorf("%s wants a value", spelling(flag))
		}
	}
	switch {
	case len(modes) > 1:
		return fmt.Errorf("%s and %s do not go together", spelling(modes[0]), spelling(modes[1]))
	case o.examine != "" && o.examine != "1" && o.examine != "2":
		return fmt.Errorf("-X %s: want 1 or 2", o.examine)
	case o.db != "" && !slices.Contains([]string{"start", "status", "stop", "psql"}, o.db):
		return fmt.Errorf("--db %s: want start, status, stop or psql", o.db)
	case o.orphans != "" && o.orphans != "list" && o.orphans != "purge":
		return fmt.Errorf("--orphans %s: want list or purge", o.orphans)
	case o.purgeLost != "" && o.purgeLost != "limit" && !lossCount.MatchString(o.purgeLost):
		return fmt.Errorf("--purge-lost=%s: want 1 to 15", o.purgeLost)
	case o.sites && !o.statistics:
		return errors.New("--sites goes with -S")
	case o.sites && len(given(limitNames...)) > 0:
		return errors.New("--sites does not go with -s, -t, -u or -f")
	case o.respider && (o.all || o.quick || o.tmpurl):
		return errors.New("--respider does not go with -a, -q or -M")
	case f.Changed("count") && o.count < 1:
		return fmt.Errorf("-n %d: want at least 1", o.count)
	case f.Changed("workers") && o.workers < 1:
		return fmt.Errorf("-N %d: want at least 1", o.workers)
	case f.Changed("batch-documents") && !o.merge:
		return errors.New("--batch-documents goes with -D")
	case f.Changed("batch-documents") && o.batchDocuments < 1:
		return fmt.Errorf("--batch-documents %d: want at least 1", o.batchDocuments)
	case o.yes && !o.clear:
		return errors.New("-w goes with -C")
	case o.insert && len(o.urls) == 0 && o.file == "":
		return errors.New("-i wants -u URL or -f FILE")
	case f.Changed("realtime") && o.file == "" && slices.Contains(o.realtime, ""):
		return errors.New("-T wants a URL, or -f FILE")
	case o.clear && len(given(limitNames...)) > 0:
		return errors.New("-C with -s, -t, -u or -f is not supported by this version")
	}
	if err := o.checkGroups(f); err != nil {
		return err
	}
	if err := o.checkSearch(f); err != nil {
		return err
	}
	if len(modes) == 0 {
		if o.file != "" && !o.all {
			return errors.New("-f goes with -a, -i, -S or -T") // a crawl of what is due never read it (aspseek.md 1.1)
		}
		return nil
	}
	mode := modes[0]
	// -q and -N are let pass: ASPseek's modes imply the one and do not mind the other.
	crawls := given("all", "respider", "force", "hops-first", "count", "no-merge", "takeover", "tmpurl")
	if mode.Name == "realtime" { // and -m asks for all of a document again
		crawls = slices.DeleteFunc(crawls, func(flag *pflag.Flag) bool { return flag.Name == "force" })
	}
	if len(crawls) > 0 {
		return fmt.Errorf("%s goes with a crawl, not with %s", spelling(crawls[0]), spelling(mode))
	}
	for _, flag := range given(limitNames...) {
		if !slices.Contains(modeLimits[mode.Name], flag.Name) {
			return fmt.Errorf("%s does not go with %s", spelling(flag), spelling(mode))
		}
	}
	return nil
}

func help(out io.Writer, f *pflag.FlagSet) {
	part := func(names ...string) string {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.SortFlags = false
		for _, name := range names {
			flags.AddFlag(f.Lookup(name))
		}
		return flags.FlagUsagesWrapped(100)
	}
	fmt.Fprintf(out, `index [options] [configuration]

Crawls the start URLs and what is due, then merges. The configuration is the directory of sets.cnf and
spider.cnf (default: the current one when it has one of them, else /etc/pgseek).

How to crawl:
%s
Which URLs (also with -S; several of a kind: any of them; several kinds: all of them):
%s
What to do in place of a crawl:
%s
Always:
%s
A setting is taken from the option, else the environment (PGSEEK_THREADS), else spider.cnf, else the default.

Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 database, 4 held by another process, 6 damaged data,
130 interrupted.
`,
		part("all", "respider", "force", "hops-first", "count", "workers", "quick", "tmpurl", "no-merge", "takeover"),
		part(limitNames...), part(slices.Concat(modeNames, []string{"batch-documents", "sites", "yes"}, searchNames)...),
		part("config", "log", "verbose", "help"))
}
