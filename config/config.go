// Package config reads what an operator writes: sets.cnf (what to index), spider.cnf (how) and searchd.conf (how to
// search), by the grammar of rules.md 2, into plain typed structs.
//
// It owns the grammar, the defaults, the limits of every value and the messages about them. It refuses what it does not
// wholly understand: an unknown keyword, a bad value, and also a keyword that the rules have but this version does not
// carry out, for a setting that does nothing in silence is worse than none. All problems of the files that a program needs
// are reported together, each with file and line, before anything else is touched (B40).
//
//	sets.cnf     --parse--> lines --setsKeys-----------------------------> Sets
//	spider.cnf   --parse--> lines --viper (flag > env > file > default)--> lines --spiderKeys--> Spider
//	searchd.conf --parse--> lines --viper (flag > env > file > default)--> lines --searchKeys--> Search
//
// The three tables of keywords, setsKeys, spiderKeys and searchKeys, are rules.md 2.1, 2.2 and 2.4 row for row.
//
// viper stays in this package, and this package imports nothing of ours.
package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// systemDir is where the files lie when neither an argument nor the current directory has them.
const systemDir = "/etc/pgseek"

// Config is everything that the files of an indexer say. It is not changed after Load and may be shared.
type Config struct {
	Sets   Sets
	Spider Spider
	// The files that were read, as named in messages; "" when there is none.
	SetsFile, SpiderFile string
	// Hash stands for the settings in force that can change links or words of an unchanged document (C-04, GSA-110):
	// filters, servers, link tags, the policy of robots.txt, indexing modes, word rules, limits of links and text. It does
	// not depend on files, lines, spelling or comments.
	Hash [16]byte

	lookedFor string // where sets.cnf lies or would lie
}

// Load reads sets.cnf and spider.cnf.
//
// place is what --config or the last argument named: a directory, or a file that stands for sets.cnf and has spider.cnf
// beside it; it must exist. "" is the current directory if it holds one of the three files, so that index and searchd
// look in the same one, else /etc/pgseek. A file that is not there counts as empty.
//
// overrides are the flags given on the command line, spider.cnf keyword (any case) -> value; a list's values are
// separated as in a line of the file. Precedence: flag > environment (PGSEEK_ and the keyword in capitals; empty counts
// as unset) > spider.cnf > default. sets.cnf has neither flags nor environment. Three intervals of Spider come from the
// environment alone.
//
// An error is of type Errors: every problem of both files, the environment and the flags at once. The Config is nil
// then.
func Load(place string, overrides map[string]string) (*Config, error) {
	setsPath, spiderPath, err := find(place)
	if err != nil {
		return nil, Errors{{File: place, Reason: err.Error()}}
	}
	var errs Errors
	c := &Config{lookedFor: setsPath}

	lines, there := readLines(setsPath, &errs)
	if there {
		c.SetsFile = setsPath
	}
	c.Sets = readSets(lines, &errs)

	if isThere(spiderPath) {
		c.SpiderFile = spiderPath
	}
	c.Spider = readSpider(c.SpiderFile, overrides, &errs)
	readIntervals(&c.Spider, &errs)

	if len(errs) > 0 {
		errs.sort()
		return nil, errs
	}
	c.Hash = hash(c)
	return c, nil
}

// Place is the directory of the files, as LoadSearch takes it: the same one for a program that searches.
func (c *Config) Place() string { return filepath.Dir(c.lookedFor) }

// RequireStartURLs returns Errors that name the file when there is no Server: a mode that needs start URLs ends with
// exit code 2 then (B41, rules.md 2).
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

// usualDir is where the files are looked for when nobody says where; "" is the current directory.
func usualDir() string {
	if isThere(setsName) || isThere(spiderName) || isThere(searchName) {
		return ""
	}
	return systemDir
}

// isThere is false only for a file that does not exist: one that cannot be looked at is there, and reading it will say
// what is wrong.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// readLines parses the file at path if it is there.
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
