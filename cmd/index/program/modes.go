package program

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store"
	"github.com/spf13/pflag"
)

// mode is one of the things that index can do. Each call does one.
type mode struct {
	flag  string // the option that selects it
	value string // the value of the option that selects it; empty = any
	name  string // of its connections in pg_stat_activity, after "index "

	limits []string // the limits (limitNames) that it applies
	with   []string // other modes, and options of a crawl, that may be given with it
	own    []string // options that may be given with this mode only

	says bool // it is a run, whose first line names the database

	check func(*options, *pflag.FlagSet) error // what else its options have to be like; may be nil

	run    func(*program, context.Context, *store.DB) error
	alone  func(*program, context.Context) error // instead of run: a mode that opens the database itself, or does without
	noSets bool                                  // it does without sets.cnf, in which a mistake may be

	early func(*program, context.Context) error // instead of both: a mode that comes before a configuration that is right
}

// modes are the modes other than a crawl, in the order of the help.
var modes = []mode{
	{flag: "init", early: (*program).initMode},
	{flag: "check-config", early: (*program).checkConfig},
	{flag: "realtime", name: "-T", limits: []string{"file"}, with: []string{"force", "space", "adopt"}, says: true, check: checkRealtime, run: (*program).realtimeMode},
	{flag: "merge", name: "-D", own: []string{"batch-documents"}, says: true, run: (*program).merge},
	{flag: "insert", name: "-i", limits: []string{"url", "file"}, check: checkInsert, run: (*program).insert},
	{flag: "statistics", name: "-S", limits: limitNames, own: []string{"sites"}, check: checkStatistics, run: (*program).statistics},
	{flag: "path", name: "-P", run: (*program).path},
	{flag: "explain", name: "--explain", run: (*program).explain},
	{flag: "dry-run-rules", name: "--dry-run-rules", run: (*program).dryRunRules},
	{flag: "recrawl", name: "--recrawl", run: (*program).recrawl},
	{flag: "remove", name: "--remove", says: true, run: (*program).remove},
	{flag: "purge-lost", name: "--purge-lost", says: true, check: checkPurgeLost, run: (*program).purgeLost},
	{flag: "orphans", value: "list", name: "--orphans", run: (*program).listOrphans},
	{flag: "orphans", value: "purge", name: "--orphans", says: true, run: (*program).purgeOrphans},
	{flag: "release", name: "--release", run: (*program).release},
	{flag: "dump-word", name: "--dump-word", run: (*program).dumpWord},
	{flag: "examine", value: "1", name: "-X1", run: (*program).checkIndex},
	{flag: "examine", value: "2", name: "-X2", says: true, run: (*program).mendIndex},
	{flag: "check", name: "-X1", run: (*program).checkIndex},
	{flag: "rebuild-index", name: "--rebuild-index", says: true, run: (*program).rebuildIndex},
	{flag: "ranks", name: "-K", run: (*program).ranks},
	{flag: "relink", name: "-H", run: (*program).relink},
	{flag: "state", noSets: true, name: "--status", run: (*program).crawlState},
	{flag: "pause", noSets: true, name: "--pause", run: (*program).pause},
	{flag: "resume", noSets: true, name: "--resume", run: (*program).resume},
	{flag: "crawl-now", noSets: true, name: "--crawl-now", run: (*program).crawlNow},
	{flag: "stop", noSets: true, name: "-E", run: (*program).stopCrawl},
	{flag: "subsets", name: "-B", run: (*program).regroup},
	{flag: "totals", name: "-U", run: (*program).countTotals},
	{flag: "space", name: "-A", limits: []string{"url"}, check: checkSpace, run: (*program).spaceMode},
	{flag: "dump-markdel", name: "--dump-markdel", run: (*program).dumpMarkdel},
	{flag: "search", name: "--search", limits: []string{"tag"}, with: []string{"path"}, own: searchNames, check: checkSearch, alone: (*program).searchMode},
	{flag: "db", value: "start", alone: (*program).startDatabase},
	{flag: "db", value: "run", alone: (*program).runDatabase},
	{flag: "db", value: "status", alone: (*program).databaseStatus},
	{flag: "db", value: "stop", alone: (*program).stopDatabase},
	{flag: "db", value: "psql", alone: (*program).psqlMode},
	{flag: "db", value: "upgrade", name: "--db upgrade", own: []string{"finish", "back", "yes"}, check: checkUpgrade, alone: (*program).upgradeMode},
	{flag: "import-config", early: (*program).importConfig},
	{flag: "hash-password", early: (*program).hashPassword},
	{flag: "clear", name: "-C", limits: limitNames, with: []string{"adopt"}, own: []string{"yes"}, run: (*program).clear},
}

// crawlDefault is the mode of a call that names no other.
var crawlDefault = mode{says: true, limits: limitNames, with: crawlNames, check: checkCrawl, alone: (*program).crawlMode}

// Options that are no modes.
var (
	limitNames = []string{"status", "tag", "url", "file"} // which URLs
	crawlNames = []string{"continuous", "once", "all", "respider", "force", "hops-first", "count", "tmpurl", "no-merge", "takeover", "accept-rules", "adopt"}
	// acceptedNames have an effect on crawls only. Other modes accept them, as those of ASPseek do.
	acceptedNames = []string{"workers", "quick", "dns-processes", "statistics-log"}
	commonNames   = []string{"config", "log", "verbose", "completion", "man", "version", "help"}
)

// modeNames are the options that select a mode, in the order of the table.
func modeNames() (names []string) {
	for i := range modes {
		if !slices.Contains(names, modes[i].flag) {
			names = append(names, modes[i].flag)
		}
	}
	return names
}

// isSet reports whether an option was given; one of two values not if that is false.
func isSet(f *pflag.FlagSet, name string) bool {
	flag := f.Lookup(name)
	return flag.Changed && (flag.Value.Type() != "bool" || flag.Value.String() == "true")
}

// choose sets the mode that the command line selects.
func (o *options) choose(f *pflag.FlagSet) error {
	given := slices.DeleteFunc(modeNames(), func(name string) bool { return !isSet(f, name) })
	for i := range modes { // one that goes with another is an option of that
		if slices.Contains(given, modes[i].flag) {
			given = slices.DeleteFunc(given, func(name string) bool { return slices.Contains(modes[i].with, name) })
		}
	}
	if len(given) == 0 {
		o.mode = &crawlDefault
		return nil
	}
	flag := f.Lookup(given[0])
	if len(given) > 1 {
		return fmt.Errorf("%s and %s do not go together", spelling(flag), spelling(f.Lookup(given[1])))
	}
	var values []string
	for i := range modes {
		switch m := &modes[i]; {
		case m.flag != flag.Name:
		case m.value == "" || m.value == flag.Value.String():
			o.mode = m
			return nil
		default:
			values = append(values, m.value)
		}
	}
	last := len(values) - 1
	return fmt.Errorf("%s %s: want %s or %s", spelling(flag), flag.Value, strings.Join(values[:last], ", "), values[last])
}

// check refuses options that do not go together: an option without effect is a mistake.
func (o *options) check(f *pflag.FlagSet) (err error) {
	f.Visit(func(flag *pflag.Flag) {
		if err == nil && flag.Value.Type() == "string" && flag.Value.String() == "" {
			err = fmt.Errorf("%s wants a value", spelling(flag))
		}
	})
	if err != nil {
		return err
	}
	if err := o.choose(f); err != nil {
		return err
	}
	if err := o.checkOwn(f); err != nil {
		return err
	}
	for _, name := range []string{"count", "workers", "batch-documents"} {
		if value := f.Lookup(name).Value.String(); f.Changed(name) && (value == "0" || strings.HasPrefix(value, "-")) {
			return fmt.Errorf("%s %s: want at least 1", spelling(f.Lookup(name)), value)
		}
	}
	for i := range modes {
		if m := &modes[i]; m.check != nil && isSet(f, m.flag) {
			if err := m.check(o, f); err != nil {
				return err
			}
		}
	}
	if o.mode == &crawlDefault {
		return crawlDefault.check(o, f)
	}
	for _, name := range crawlNames {
		if f.Changed(name) && !slices.Contains(o.mode.with, name) {
			return fmt.Errorf("%s goes with a crawl, not with %s", spelling(f.Lookup(name)), spelling(f.Lookup(o.mode.flag)))
		}
	}
	for _, name := range limitNames {
		if f.Changed(name) && !slices.Contains(o.mode.limits, name) {
			return fmt.Errorf("%s does not go with %s", spelling(f.Lookup(name)), spelling(f.Lookup(o.mode.flag)))
		}
	}
	return nil
}

// checkOwn refuses options of modes that were not chosen. Several modes may have the same option.
func (o *options) checkOwn(f *pflag.FlagSet) error {
	owners := map[string][]string{}
	var names []string
	for i := range modes {
		for _, name := range modes[i].own {
			if owners[name] == nil {
				names = append(names, name)
			}
			owners[name] = append(owners[name], strings.TrimSpace(spelling(f.Lookup(modes[i].flag))+" "+modes[i].value))
		}
	}
	for _, name := range names {
		if f.Changed(name) && !slices.Contains(o.mode.own, name) {
			return fmt.Errorf("%s goes with %s", spelling(f.Lookup(name)), strings.Join(owners[name], " or "))
		}
	}
	return nil
}

// limited reports whether a limit was given.
func limited(f *pflag.FlagSet) bool { return slices.ContainsFunc(limitNames, f.Changed) }

// oneCrawlNames are the options of one crawl, beside the limits.
var oneCrawlNames = []string{"all", "respider", "force", "count", "tmpurl", "no-merge", "takeover", "accept-rules", "quick"}

func checkCrawl(o *options, f *pflag.FlagSet) error {
	o.oneCrawl = limited(f)
	for _, name := range oneCrawlNames {
		if isSet(f, name) {
			o.oneCrawl = true
			if o.continuous {
				return fmt.Errorf("%s is for one crawl; it does not go with --continuous", spelling(f.Lookup(name)))
			}
		}
	}
	switch {
	case o.continuous && o.once:
		return errors.New("--continuous and --once do not go together")
	case o.continuous && o.oneCrawl:
		return errors.New("-s, -t, -u and -f do not go with --continuous")
	case o.respider && (o.all || o.quick || o.tmpurl):
		return errors.New("--respider does not go with -a, -q or -M")
	case o.file != "" && !o.all:
		return errors.New("-f goes with -a, -C, -i, -S or -T") // ASPseek's crawl of due URLs ignored it
	case o.acceptRules != "" && !rulesHash.MatchString(o.acceptRules):
		return fmt.Errorf("--accept-rules=%s: want the hash that the crawl or --dry-run-rules showed", o.acceptRules)
	}
	return nil
}

// rulesHash is a hash of a configuration as it is shown.
var rulesHash = regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d}$`, shownHash))

func checkRealtime(o *options, _ *pflag.FlagSet) error {
	if o.file == "" && slices.Contains(o.realtime, "") {
		return errors.New("-T wants a URL, or -f FILE")
	}
	return nil
}

func checkInsert(o *options, _ *pflag.FlagSet) error {
	if len(o.urls) == 0 && o.file == "" {
		return errors.New("-i wants -u URL or -f FILE")
	}
	return nil
}

func checkStatistics(o *options, f *pflag.FlagSet) error {
	if o.sites && limited(f) {
		return errors.New("--sites does not go with -s, -t, -u or -f")
	}
	return nil
}

// lossCount is a number of losses that fits urlword.status.
var lossCount = regexp.MustCompile(`^([1-9]|1[0-5])$`)

func checkPurgeLost(o *options, _ *pflag.FlagSet) error {
	if o.purgeLost != lossLimit && !lossCount.MatchString(o.purgeLost) {
		return fmt.Errorf("--purge-lost=%s: want 1 to 15", o.purgeLost)
	}
	return nil
}

func checkSpace(o *options, f *pflag.FlagSet) error {
	switch {
	case o.space == 0:
		return errors.New("-A 0: want the number of a web space, negative to remove sites from it")
	case f.Changed("realtime") && o.space < 0:
		return fmt.Errorf("-A %d: -T can only add its sites", o.space)
	case !f.Changed("realtime") && len(o.urls) == 0:
		return errors.New("-A wants -u URL or -T URL")
	}
	return nil
}

// checkSearch leaves it to the search to say whether a page is too deep.
func checkSearch(o *options, _ *pflag.FlagSet) error {
	switch {
	case o.format != "text" && o.format != "json":
		return fmt.Errorf("--format %s: want text or json", o.format)
	case o.page < 1 || o.page > search.MaxResults:
		return fmt.Errorf("--page %d: want 1 to %d", o.page, search.MaxResults)
	case o.perPage < 1 || o.perPage > search.MaxPerPage:
		return fmt.Errorf("--per-page %d: want 1 to %d", o.perPage, search.MaxPerPage)
	}
	return nil
}

func checkUpgrade(o *options, _ *pflag.FlagSet) error {
	if o.finish && o.back {
		return errors.New("--finish and --back do not go together")
	}
	return nil
}
