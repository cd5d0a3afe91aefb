package main

import (
	"fmt"
	"io"

	"github.com/pgseek/pgseek/internal/manual"
	"github.com/pgseek/pgseek/internal/version"
	"github.com/spf13/pflag"
)

// describe returns the description of the command line, from which the help, the manual page and the completions are made.
func describe(f *pflag.FlagSet) *manual.Program {
	return &manual.Program{
		Name: "searchd", Does: "answer searches of the index over HTTP, for browsers and programs",
		Flags: f, Groups: groups, Values: map[string][]string{"completion": {"bash", "zsh", "fish"}},
		Synopsis: []manual.Line{
			{What: "searchd [--listen address] [configuration]", Text: "answer searches"},
			{What: "searchd --report [--since time] [configuration]", Text: "show what was searched for"},
			{What: "searchd --check-config [configuration]", Text: "check the configuration"},
		},
		Examples: []manual.Line{
			{What: "searchd", Text: "answer searches at http://127.0.0.1:12345/"},
			{What: "searchd --listen :8080", Text: "at port 8080 of every address of this machine"},
			{What: "searchd --config /etc/pgseek", Text: "with the configuration of this directory"},
			{What: "searchd --check-config", Text: "list mistakes in the configuration"},
			{What: "searchd --report --since 7d", Text: "the searches of a week, and those without results"},
			{What: "searchd --stat-purge 1y", Text: "delete recorded searches older than a year"},
		},
		About: []string{
			"searchd answers searches over HTTP, by default at http://127.0.0.1:12345/.",
			"The configuration is the directory of searchd.conf and spider.cnf. Without it they are looked for in the current directory, " +
				"if that has one of them or sets.cnf, else in /etc/pgseek. While the database cannot be reached, searches are answered 503.",
		},
		Notes: []string{
			"A setting comes from the option, else the environment (PGSEEK_LISTEN), else searchd.conf, else the default. " +
				"At SIGHUP searchd reads searchd.conf and its files again.",
		},
		Files: []manual.Line{
			{What: "searchd.conf", Text: "how to search"},
			{What: "spider.cnf", Text: "the address of the database, and the rules for words"},
		},
		Exits: []manual.Line{
			{What: "0", Text: "done, also after a signal when all searches in progress were answered"},
			{What: "1", Text: "failed"},
			{What: "2", Text: "usage or configuration"},
			{What: "3", Text: "the database cannot be reached, or refuses"},
			{What: "130", Text: "interrupted"},
		},
		SeeAlso: []string{"index(1)", "searchd.conf(5)", "spider.cnf(5)"},
	}
}

// print prints what needs no configuration: help, version, manual page, completion. It reports whether something was asked for.
func (o *options) print(f *pflag.FlagSet, out io.Writer) (asked bool, err error) {
	switch {
	case o.help:
		describe(f).Help(out)
	case o.said:
		fmt.Fprintln(out, version.Line("searchd"))
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
	{Title: "Answer searches", Options: []string{"listen"}},
	{Title: "Searches so far", Options: []string{"report", "since", "stat-purge"}},
	{Title: "Common", Options: []string{"check-config", "config", "verbose", "completion", "man", "version", "help"}},
}
