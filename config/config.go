// Package config reads the three configuration files into plain typed structs: sets.cnf (what to index),
// spider.cnf (how to crawl and merge) and searchd.conf (how to search).
//
// The package owns the grammar, the defaults, the limits of every value and the messages about them. It
// refuses what it does not fully understand: an unknown keyword, a bad value, and a keyword that is reserved
// but not supported by this version, because a setting without effect misleads the operator. All problems of
// the files that a program needs are reported together, each with file and line, before anything else is
// touched (B40).
//
//	sets.cnf     --parse--> lines --setsKeys-----------------------------> Sets
//	spider.cnf   --parse--> lines --viper (flag > env > file > default)--> lines --spiderKeys--> Spider
//	searchd.conf --parse--> lines --viper (flag > env > file > default)--> lines --searchKeys--> Search
//
// The three tables of keywords, setsKeys, spiderKeys and searchKeys, have one row for each directive. The
// grammar is above type directive (parse.go) and in docs/reference/behavior.md, Configuration.
//
// No other package uses viper. Of the module this package imports internal/version alone.
package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// systemDir is the directory of the files when neither an argument nor the current directory has them.
const systemDir = "/etc/pgseek"

// Config has all settings of an indexing program. It is not changed after Load and may be shared.
type Config struct {
	Sets   Sets
	Spider Spider
	// The files that were read, as named in messages; "" when there is none.
	SetsFile, SpiderFile string
	// Hash identifies the settings in force that can change links or words of an unchanged document: filters,
	// servers, link tags, the policy of robots.txt, indexing modes, word rules, limits of links and text. It
	// does not depend on files, lines, spelling or comments.
	Hash [16]byte
	// ReadingHash identifies the lines by which stored documents are read again: DateRule, KeepNavigation, LeaveOut.
	ReadingHash [16]byte

	lookedFor string // path of sets.cnf, whether it exists or not
}

// Load reads sets.cnf and spider.cnf.
//
// place is the value of --config or the last argument. It is a directory, or a file that is used as sets.cnf
// and has spider.cnf in the same directory; it must exist. "" is the current directory if it holds one of the
// three files, so that index and searchd use the same directory, else /etc/pgseek. A missing file counts as
// empty.
//
// overrides are the flags given on the command line, spider.cnf keyword (any case) -> value; a list's values
// are separated as in a line of the file. Precedence: flag > environment (PGSEEK_ and the keyword in
// capitals; empty counts as unset) > spider.cnf > default. sets.cnf has neither flags nor environment. Three
// intervals of Spider come from the environment alone.
//
// An error is of type Errors: every problem of both files, the environment and the flags at once. The Config
// is nil in that case.
func Load(place string, overrides map[string]string) (*Config, error) {
	return loadFiles(place, overrides, true)
}

// LoadSpider is Load without sets.cnf, for programs that only need to find the database: a mistake in sets.cnf does not matter to them.
func LoadSpider(place string, overrides map[string]string) (*Config, error) {
	return loadFiles(place, overrides, false)
}

func loadFiles(place string, overrides map[string]string, withSets bool) (*Config, error) {
	setsPath, spiderPath, err := find(place)
	if err != nil {
		return nil, Errors{{File: place, Reason: err.Error()}}
	}
	var errs Errors
	c := &Config{lookedFor: setsPath}

	var lines []directive
	if withSets {
		var there bool
		if lines, there = readLines(setsPath, &errs); there {
			c.SetsFile = setsPath
		}
	}
	c.Sets = readSets(lines, &errs)

	if isThere(spiderPath) {
		c.SpiderFile = spiderPath
	}
	c.Spider = readSpider(c.SpiderFile, overrides, &errs)
	readIntervals(&c.Spider, &errs)
	ownHosts(c, &errs)

	if len(errs) > 0 {
		errs.sort()
		return nil, errs
	}
	c.Hash, c.ReadingHash = hash(c), readingHash(c)
	return c, nil
}

// Place returns the directory of the files in the form that LoadSearch takes, so that a search uses the same
// one.
func (c *Config) Place() string { return filepath.Dir(c.lookedFor) }

// RequireStartURLs returns Errors that name the file when there is no Server. A mode that needs start URLs
// then ends with exit code 2 (B41).
func (c *Config) RequireStartURLs() error {
	if len(c.Sets.Servers) > 0 {
		return nil
	}
	if c.SetsFile == "" {
		looked := c.lookedFor
		if looked == "" {
			looked = setsName
		}
		return Errors{{
			File: looked, Keyword: "Server",
			Reason: "no start URL: the file does not exist; write one line such as `Server https://www.example.org/` into it",
		}}
	}
	return Errors{{
		File: c.SetsFile, Keyword: "Server",
		Reason: "no start URL: add a line such as `Server https://www.example.org/`",
	}}
}

// find returns the paths of the two files, whether they exist or not.
func find(place string) (sets, spider string, err error) {
	if place == "" {
		dir := usualDir()
		return filepath.Join(dir, setsName), filepath.Join(dir, spiderName), nil
	}
	info, err := os.Stat(place)
	if err != nil {
		return "", "", reasonf("%s", cause(err))
	}
	if info.IsDir() {
		return filepath.Join(place, setsName), filepath.Join(place, spiderName), nil
	}
	if base := filepath.Base(place); base == spiderName || base == searchName {
		// Taken literally spider.cnf would be read as both files.
		return "", "", reasonf("name the directory, or a file to use as %s; %s is read from its directory", setsName, spiderName)
	}
	return place, filepath.Join(filepath.Dir(place), spiderName), nil
}

// usualDir returns the directory that is used when none is given; "" is the current directory.
func usualDir() string {
	if isThere(setsName) || isThere(spiderName) || isThere(searchName) {
		return ""
	}
	return systemDir
}

// PlaceForNew returns the directory into which a new sets.cnf goes when none is given: the one where the program would look for it, but
// the current directory instead of the system's when that does not exist or cannot be written.
func PlaceForNew() string {
	if dir := usualDir(); dir != "" && writable(dir) {
		return dir
	}
	return "."
}

// writable reports whether this account can make files in a directory.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return false
	}
	_ = f.Close() // it is empty
	return os.Remove(f.Name()) == nil
}

// isThere returns false only for a file that does not exist. A file whose state cannot be read counts as
// existing; reading it reports the cause.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// readLines parses the file at path if it exists.
func readLines(path string, errs *Errors) (lines []directive, there bool) {
	if !isThere(path) {
		return nil, false
	}
	lines, problems := parseFile(path)
	for _, e := range problems {
		errs.add(e)
	}
	return lines, true
}
