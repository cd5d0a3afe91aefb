package program

import (
	"fmt"
	"os"
	"strings"

	"github.com/pgseek/pgseek/config"
	"github.com/spf13/pflag"
)

// otherNames are options of other programs, with ours.
var otherNames = map[string]string{
	"threads": "--workers (-N), or Threads in spider.cnf", "jobs": "--workers (-N)", "version": "", "limit": "--count (-n)",
	"max-pages": "--count (-n)", "crawl": "index without a mode", "reindex": "--force (-m)", "stats": "--statistics (-S)",
	"status-code": "--status (-s)", "order": "--sort", "language": "--lang", "since": "--from", "within": "--dp", "database": "--db", "check-config": "--dry-run-rules",
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
		least := 1 + len(name)/4 // as in the configuration files
		(&options{}).flags().VisitAll(func(f *pflag.Flag) {
			n := config.Slips(f.Name, strings.ToLower(name))
			if n < least || n == least && meant == "" {
				least, meant = n, "--"+f.Name
				if f.Shorthand != "" {
					meant += " (-" + f.Shorthand + ")"
				}
			}
		})
	}
	if meant == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", meant)
}

// commands are commands of other programs, with our options.
var commands = map[string]string{
	"help": "index -h", "crawl": "index without arguments, which crawls", "merge": "index -D", "search": "index --search QUERY",
	"status": "index -S", "stats": "index -S", "statistics": "index -S", "check": "index --check", "stop": "index -E", "start": "index --db start",
	"explain": "index --explain URL", "insert": "index -i -u URL", "add": "index -T URL", "clear": "index -C", "rebuild": "index --rebuild-index",
}

// meantMode returns "; did you mean ...?" for an argument that is no configuration, or nothing.
func meantMode(word string) string {
	if meant := commands[strings.ToLower(word)]; meant != "" {
		return fmt.Sprintf("; did you mean %s?", meant)
	}
	return ""
}

// noPlace reports whether an argument is a single word that names no file: a mode was meant, rather than a configuration.
func noPlace(arg string) bool {
	if strings.ContainsAny(arg, "/\\. ") {
		return false
	}
	_, err := os.Stat(arg)
	return os.IsNotExist(err)
}
