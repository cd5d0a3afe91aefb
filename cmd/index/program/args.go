package program

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// options is the command line.
type options struct {
	place string // --config or the last argument
	mode  *mode
	help  bool
	man   bool
	said  bool   // --version
	shell string // --completion

	// Values of modes.
	path, explain, dumpWord, purgeLost string
	release, recrawl, dumpMarks        string
	finish, back                       bool
	acceptRules, first                 string
	remove, importFile                 string
	realtime                           []string
	space                              int32 // negative = remove from it; 0 = not given
	resolvers                          int   // -R and -g of ASPseek
	statisticsLog                      string

	// Which URLs, and how.
	all, forced, hopsFirst, quick, noMerge, yes, verbose bool
	respider, tmpurl, takeover, sites, adopt             bool
	continuous, once                                     bool
	oneCrawl                                             bool // some option is for one crawl
	count                                                int64
	batchDocuments                                       int
	workers                                              int
	statuses, tags                                       []int32
	urls                                                 []string
	file, log                                            string

	search, format string // --search and its own options
	page, perPage  int
	why            bool
	matchAll       bool
	facets         bool
	parameters     url.Values // of /search

	rest []string // arguments of --db psql
	text []string // as given but for passwords, for reindexing.options
}

// errHelp is returned when the help, or what else needs no configuration, was printed.
var errHelp = errors.New("help")

// lossLimit is the value of --purge-lost without a number.
const lossLimit = "limit"

// flags declares every option once. The letters are those of ASPseek.
func (o *options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("index", pflag.ContinueOnError)
	f.SortFlags = false
	f.StringVar(&o.first, "init", "", "write a sets.cnf for the site of this `URL`, in the current directory or that of --config")
	f.Bool("check-config", false, "check the configuration, and ask each start URL once; needs no database")
	f.BoolVarP(&o.all, "all", "a", false, "crawl all URLs, due or not")
	f.BoolVar(&o.respider, "respider", false, "crawl all that links reach from the start URLs, due or not; documents not reached are orphans")
	f.BoolVarP(&o.forced, "force", "m", false, "fetch without conditions and store unchanged documents again")
	f.BoolVarP(&o.hopsFirst, "hops-first", "o", false, "visit URLs with few hops first")
	f.Int64VarP(&o.count, "count", "n", 0, "stop after this many `documents`, without merging (see -D)")
	f.IntVarP(&o.workers, "workers", "N", 0, "`number` of workers (Threads)")
	f.BoolVarP(&o.quick, "quick", "q", false, "do not add the Server URLs")
	f.BoolVar(&o.noMerge, "no-merge", false, "do not merge after the crawl (see -D)")
	f.BoolVar(&o.continuous, "continuous", false, "crawl without end, in rounds: what is due, then the merge (CrawlMode, CrawlSchedule, MergeInterval)")
	f.BoolVar(&o.once, "once", false, "crawl once, whatever CrawlMode is")
	f.BoolVar(&o.takeover, "takeover", false, "stop the running crawl first, instead of joining it")
	f.StringVar(&o.acceptRules, "accept-rules", "", "crawl even if this configuration takes many documents out; `hash` is the one that was shown")
	f.BoolVar(&o.adopt, "adopt", false, "use this configuration on a database that another one crawls; also with -T and -C")
	f.BoolVarP(&o.tmpurl, "tmpurl", "M", false, "only the URLs of table tmpurl: those that the last crawl visited")
	f.Int32SliceVarP(&o.statuses, "status", "s", nil, "only URLs with this `status` (0 = never fetched); repeatable")
	f.Int32SliceVarP(&o.tags, "tag", "t", nil, "only URLs with this `tag`, also with --search; repeatable")
	f.StringArrayVarP(&o.urls, "url", "u", nil, "only URLs that match this SQL `pattern`; with -i a URL to insert; repeatable")
	f.StringVarP(&o.file, "file", "f", "", "read more values of -u or -T from this `file`, one per line (- = standard input)")
	f.StringArrayVarP(&o.realtime, "realtime", "T", nil, "index this `URL`, and those of -f, so that searches find it at once; repeatable")
	f.BoolP("merge", "D", false, "merge crawled documents into the inverted index")
	f.IntVar(&o.batchDocuments, "batch-documents", 0, "with -D: at most this `number` of documents per transaction (default: as MergeMemory allows)")
	f.BoolP("insert", "i", false, "insert the URLs of -u and -f, without crawling")
	f.BoolP("statistics", "S", false, "count URLs by status")
	f.BoolVar(&o.sites, "sites", false, "with -S: one line per site")
	f.StringVarP(&o.path, "path", "P", "", "show how this `URL` was found; with --search: only documents whose path begins with this (/docs/)")
	f.StringVar(&o.explain, "explain", "", "show everything about this `URL`, and why it is in the index or not")
	f.Bool("dry-run-rules", false, "count the documents that the rules of sets.cnf would hide or bring back; change nothing")
	f.StringVar(&o.recrawl, "recrawl", "", "make URLs that match this SQL `pattern` due, before all others")
	f.StringVar(&o.remove, "remove", "", "take the page of this `URL` out at once, with all that is stored of it; it stays out until -T, -i or --recrawl names it")
	f.StringVar(&o.purgeLost, "purge-lost", "", "remove documents that were lost too often; `N`: those lost at least N times")
	f.Lookup("purge-lost").NoOptDefVal = lossLimit
	f.String("orphans", "", "list orphans (documents that no link reaches), or purge those past OrphanPeriod")
	f.StringVar(&o.release, "release", "", "end the hold of this `site` (http://host/), so that its documents can be lost again, and the pause that its host asked for")
	f.StringVar(&o.dumpWord, "dump-word", "", "show the postings of a `word`")
	f.StringP("examine", "X", "", "1: check the whole database and change nothing; 2: repair what can be repaired, then merge")
	f.Bool("check", false, "same as -X1")
	f.Bool("rebuild-index", false, "rebuild the inverted index from the stored contents")
	f.BoolP("ranks", "K", false, "compute the link ranks of all documents")
	f.BoolP("relink", "H", false, "recompute citation from the links of all documents, and report differences")
	f.Bool("state", false, "show what the crawl does: crawling, waiting, paused, the next round (also: --status without a number)")
	f.Bool("pause", false, "end the running crawl, and let none begin before --resume; index -T goes on")
	f.Bool("resume", false, "end a pause")
	f.Bool("crawl-now", false, "ask a crawl without end for a round at once, with the start URLs")
	f.BoolP("stop", "E", false, "ask the running crawl to stop, and wait for it")
	f.BoolP("subsets", "B", false, "rebuild subsets, web spaces and the labels of sites, and report differences")
	f.BoolP("totals", "U", false, "recount documents, words and postings, and report differences")
	f.Int32VarP(&o.space, "space", "A", 0, "add the sites of -u or -T to web space `N`; -N: remove those of -u from it")
	f.StringVar(&o.dumpMarks, "dump-markdel", "", "write the delete set to this `file`: url_ids of 4 bytes, ascending (- = standard output)")
	f.StringVar(&o.search, "search", "", "find documents that match a `query`, as searchd does")
	f.StringVar(&o.format, "format", "text", "with --search: the form of the output")
	f.IntVar(&o.page, "page", 1, "with --search: `number` of the page of results, from 1")
	f.IntVar(&o.perPage, "per-page", 10, "with --search: `number` of results per page, 1 to 100")
	f.BoolVar(&o.matchAll, "match-all", false, "with --search: find only documents with all words (--match all)")
	o.searchFlags(f)
	f.BoolVar(&o.why, "why", false, "with --search: show what each weight is made of")
	f.String("db", "", "start, stop or upgrade the embedded server, run it until a signal, show its status, or call psql (its arguments after --)")
	f.BoolVar(&o.finish, "finish", false, "with --db upgrade: remove the old cluster that the upgrade has kept")
	f.BoolVar(&o.back, "back", false, "with --db upgrade: go back to the old cluster, and lose what was written since")
	f.StringVar(&o.importFile, "import-config", "", "write sets.cnf and spider.cnf from this `file` of ASPseek, mnoGoSearch or DataparkSearch; the last argument is their directory")
	f.Bool("hash-password", false, "ask for a password and print the AdminPassword line of spider.cnf with its hash")
	f.BoolP("clear", "C", false, "delete all URLs, documents and words from the database; with -s, -t, -u or -f: those URLs")
	f.BoolVarP(&o.yes, "yes", "w", false, "with -C and --db upgrade: do not ask")
	f.StringVar(&o.place, "config", "", "`directory` of the configuration, or a file to use instead of sets.cnf")
	f.StringVarP(&o.log, "log", "r", "", "write the log to this `file`")
	f.IntVarP(&o.resolvers, "dns-processes", "R", 0, "accepted without effect: ASPseek's `number` of resolver processes; here each fetcher looks up names")
	f.StringVarP(&o.statisticsLog, "statistics-log", "g", "", "accepted without effect: ASPseek's `file` of counts; here they are in the log, in reindexing and in -S")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log each URL")
	f.StringVar(&o.shell, "completion", "", "print the completion of the command line for a shell")
	f.BoolVar(&o.man, "man", false, "print the manual page; show it with: index --man | man -l -")
	f.BoolVar(&o.said, "version", false, "show the version")
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
	// pflag accepts no such letter. Arguments after -- are those of psql.
	if at, end := slices.Index(args, "-?"), slices.Index(args, "--"); at >= 0 && (end < 0 || at < end) {
		args = []string{"-h"}
	}
	if err := f.Parse(bareStatus(bareRealtime(args))); err != nil {
		if err = parseError(err); f.Lookup("db").Value.String() == "psql" {
			err = fmt.Errorf("%w; psql's own options stand behind --, as in: index --db psql -- -c 'SELECT 1'", err)
		}
		return nil, err
	}
	if done, err := o.print(f, out); done || err != nil {
		return nil, cmp.Or(err, errHelp)
	}
	rest := f.Args()
	if f.Lookup("db").Value.String() == "psql" {
		if dash := f.ArgsLenAtDash(); dash >= 0 {
			rest, o.rest = rest[:dash], rest[dash:]
		}
	}
	switch {
	case len(rest) > 0 && o.search != "" && (o.place != "" || noPlace(rest[0])):
		more := withoutPassword(strings.Join(rest, " "))
		return nil, fmt.Errorf("%q is no configuration; if it belongs to the query, put the query in quotes: --search %q", more, o.search+" "+more)
	case len(rest) > 1:
		return nil, fmt.Errorf("one configuration at most, got %q", rest)
	case len(rest) == 1 && strings.Contains(rest[0], "://"):
		return nil, fmt.Errorf("%q: the last argument names the configuration; a URL goes with -T, or -i -u", withoutPassword(rest[0]))
	case len(rest) == 1 && o.place != "":
		return nil, fmt.Errorf("configuration given twice: %q and %q", o.place, rest[0])
	case len(rest) == 1 && rest[0] == "":
		return nil, errors.New("the configuration's name is empty")
	case len(rest) == 1 && noPlace(rest[0]) && o.importFile == "":
		return nil, fmt.Errorf("%q is no configuration (no such file or directory) and no mode%s", rest[0], meantMode(rest[0]))
	case len(rest) == 1:
		o.place = rest[0]
	}
	if err := o.check(f); err != nil {
		return o, err
	}
	o.readParameters(f)
	return o, nil
}

// bareRealtime gives an empty URL to a -T without one, whose URLs are those of -f. It would take the next option for its URL.
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

// bareStatus makes --status without a value the question for the state of the crawl. With one it is -s.
func bareStatus(args []string) []string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--status" && (i+1 == len(args) || strings.Trim(args[i+1], "0123456789,") != "" || args[i+1] == "") {
			args = slices.Clone(args)
			args[i] = "--state"
		}
	}
	return args
}

// parseError returns what pflag found wrong, in the words of an operator.
func parseError(err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return fmt.Errorf("unknown option --%s%s", clean(unknown.GetSpecifiedName()), meantOption(unknown.GetSpecifiedName()))
	case errors.As(err, &unknown):
		return fmt.Errorf("unknown option -%s in -%s", clean(unknown.GetSpecifiedName()), clean(unknown.GetSpecifiedShortnames()))
	case errors.As(err, &missing):
		return fmt.Errorf("%s wants a value", spelling(missing.GetFlag()))
	case errors.As(err, &bad) && strings.HasPrefix(bad.GetFlag().Value.Type(), "int"):
		return fmt.Errorf("%s %s: not a whole number, or out of range", spelling(bad.GetFlag()), clean(bad.GetValue()))
	}
	return err
}

// spelling returns an option as operators write it: its letter, else its long name.
func spelling(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}
