package program

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/internal/manual"
)

// otherNames are options of other programs, with ours.
var otherNames = map[string]string{
	"threads": "--workers (-N), or Threads in spider.cnf", "jobs": "--workers (-N)", "limit": "--count (-n)",
	"max-pages": "--count (-n)", "crawl": "index without a mode", "reindex": "--force (-m)", "stats": "--statistics (-S)",
	"status-code": "--status (-s)", "daemon": "--continuous", "schedule": "--continuous", "order": "--sort", "language": "--lang", "since": "--from", "within": "--dp", "database": "--db",
}

// meantOption returns "; did you mean ...?" for an option that does not exist, or nothing.
func meantOption(name string) string {
	meant, known := otherNames[strings.ToLower(name)]
	if known && meant == "" {
		return ""
	}
	if keyword, file := config.Keyword(strings.ReplaceAll(name, "-", "")); meant == "" && keyword != "" {
		meant = keyword + " in " + file
	}
	if meant == "" {
		meant = manual.Meant((&options{}).flags(), name)
	}
	if meant == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", meant)
}

// commands are commands of other programs, with our options.
var commands = map[string]string{
	"help": "index -h", "version": "index --version", "init": "index --init URL", "completion": "index --completion bash",
	"check-config": "index --check-config", "validate": "index --check-config", "config": "index --check-config", "purge": "index --purge-lost",
	"index": "index without arguments, which crawls", "run": "index without arguments, which crawls", "update": "index without arguments, which crawls",
	"recrawl": "index --recrawl PATTERN", "remove": "index --remove URL", "psql": "index --db psql", "sites": "index -S --sites", "crawl": "index without arguments, which crawls", "merge": "index -D", "search": "index --search QUERY",
	"status": "index --status", "pause": "index --pause", "resume": "index --resume", "daemon": "index --continuous", "continuous": "index --continuous", "stats": "index -S", "statistics": "index -S", "check": "index --check", "stop": "index -E", "start": "index --db start",
	"explain": "index --explain URL", "insert": "index -i -u URL", "add": "index -T URL", "clear": "index -C", "rebuild": "index --rebuild-index",
}

// meantMode returns "; did you mean ...?" for an argument that is no configuration, or nothing.
func meantMode(word string) string {
	meant := commands[strings.ToLower(word)]
	if meant == "" {
		least := 1 + len(word)/4
		for _, command := range slices.Sorted(maps.Keys(commands)) {
			if n := config.Slips(command, strings.ToLower(word)); n < least {
				least, meant = n, commands[command]
			}
		}
	}
	if option := manual.Meant((&options{}).flags(), word); meant == "" && option != "" {
		meant = "index " + option
	}
	if meant == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", meant)
}

// noPlace reports whether an argument is a single word that names no file: a mode was meant, rather than a configuration.
func noPlace(arg string) bool {
	if strings.ContainsAny(arg, "/\\. ") {
		return false
	}
	_, err := os.Stat(arg)
	return os.IsNotExist(err)
}
