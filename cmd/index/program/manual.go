package program

import (
	"fmt"
	"io"
	"slices"

	"github.com/pgseek/pgseek/internal/manual"
	"github.com/pgseek/pgseek/internal/version"
	"github.com/spf13/pflag"
)

// describe returns the description of the command line, from which the help, the manual page and the completions are made.
func describe(f *pflag.FlagSet) *manual.Program {
	return &manual.Program{
		Name: "index", Does: "crawl sites into PostgreSQL tables, merge them into the index, and look at both",
		Flags: f, Groups: groups, Values: values,
		Synopsis: []manual.Line{
			{What: "index [options] [configuration]", Text: "crawl the URLs that are due, then merge"},
			{What: "index --continuous [configuration]", Text: "crawl and merge without end, in rounds"},
			{What: "index -T URL [configuration]", Text: "index one page, so that searches find it at once"},
			{What: "index --search QUERY [configuration]", Text: "search"},
			{What: "index -S | --explain URL [configuration]", Text: "look at what is indexed, and why"},
			{What: "index -X1 | -X2 | --purge-lost | -C", Text: "check, repair, remove"},
			{What: "index --db start|run|status|stop|psql|upgrade", Text: "the embedded database"},
		},
		Examples: []manual.Line{
			{What: "index --init https://www.example.org/", Text: "write sets.cnf for a site"},
			{What: "index", Text: "crawl what is due, then merge"},
			{What: "index -n 100 -u 'https://www.example.org/docs/%'", Text: "crawl at most 100 documents below docs"},
			{What: "index --search 'opening hours'", Text: "find documents"},
			{What: "index -S --sites", Text: "documents and errors of each site"},
			{What: "index --explain https://www.example.org/a.html", Text: "why a page is found, or is not"},
		},
		About: []string{
			"index crawls the start URLs of sets.cnf and all URLs that are due, then merges them into the index.",
			"The configuration is the directory of sets.cnf and spider.cnf, or a file to use instead of sets.cnf. " +
				"Without it they are looked for in the current directory, if that has one of them or searchd.conf, else in /etc/pgseek.",
		},
		Notes: []string{
			"A setting comes from the option, else the environment (PGSEEK_THREADS), else spider.cnf, else the default.",
		},
		Files: []manual.Line{
			{What: "sets.cnf", Text: "what to index"},
			{What: "spider.cnf", Text: "how to index"},
			{What: "searchd.conf", Text: "how to search; also for --search"},
		},
		Exits: []manual.Line{
			{What: "0", Text: "done"},
			{What: "1", Text: "failed, or no start URL brought anything"},
			{What: "2", Text: "usage or configuration"},
			{What: "3", Text: "the database cannot be reached, or refuses"},
			{What: "4", Text: "another process holds the lock"},
			{What: "5", Text: "the network is down; nothing of what failed was recorded"},
			{What: "6", Text: "damaged data"},
			{What: "130", Text: "interrupted"},
		},
		SeeAlso: []string{"searchd(1)", "sets.cnf(5)", "spider.cnf(5)", "searchd.conf(5)"},
	}
}

// print prints what needs no configuration: help, version, manual page, completion. It reports whether something was asked for.
func (o *options) print(f *pflag.FlagSet, out io.Writer) (asked bool, err error) {
	switch {
	case o.help:
		describe(f).Help(out)
	case o.said:
		fmt.Fprintln(out, version.Line("index"))
	case o.man:
		err = describe(f).Page(out)
	case f.Changed("completion"):
		err = describe(f).Completion(out, o.shell)
	default:
		return false, nil
	}
	return true, err
}

// groups are the options by purpose, in the order of the help. Each option stands in one.
var groups = []manual.Group{
	{Title: "Begin", Options: []string{"init", "check-config", "import-config", "hash-password"}},
	{Title: "Crawl and merge", Options: []string{
		"all", "respider", "force", "hops-first", "count", "workers", "quick", "no-merge", "takeover", "accept-rules", "adopt", "tmpurl",
		"realtime", "insert", "recrawl", "stop", "merge", "batch-documents",
	}},
	{Title: "Crawl without end", Options: []string{"continuous", "once", "state", "pause", "resume", "crawl-now"}},
	{Title: "Which URLs", Note: "also of other modes; several values of one option: any of them; several options: all of them", Options: []string{
		"status", "tag", "url", "file",
	}},
	{Title: "Look", Options: []string{"statistics", "sites", "explain", "path", "dry-run-rules", "dump-word", "dump-markdel"}},
	{Title: "Search", Options: []string{"search"}},
	{Title: "With --search", With: "with --search: ", Options: slices.Clone(searchNames)},
	{Title: "Check and repair", Options: []string{"examine", "check", "rebuild-index", "ranks", "relink", "subsets", "totals", "space"}},
	{Title: "Remove", Options: []string{"remove", "purge-lost", "orphans", "release", "clear", "yes"}},
	{Title: "Database", Options: []string{"db", "finish", "back"}},
	{Title: "Of ASPseek, without effect", Options: []string{"dns-processes", "statistics-log"}},
	{Title: "Common", Options: []string{"config", "log", "verbose", "completion", "man", "version", "help"}},
}

// values are the values of options that take only these, or these among others.
var values = map[string][]string{
	"db": {"start", "run", "status", "stop", "psql", "upgrade"}, "examine": {"1", "2"}, "orphans": {"list", "purge"}, "format": {"text", "json"},
	"dt": {"back", "older"}, "sort": {"rate", "date"}, "match": {"any", "all"}, "gr": {"on", "off"}, "completion": {"bash", "zsh", "fish"},
}
