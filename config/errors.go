package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is one problem of the configuration and its place.
//
// Line counts from 1; 0 means the whole file, or that File names no file but the environment variable
// (PGSEEK_THREADS) or the command line. Keyword has the spelling of the example files when it is known, and
// is empty when the problem belongs to no directive (a NUL byte, an unreadable file). A Reason never contains
// a password: values of DBAddr, AuthBasic and the like are not repeated.
type Error struct {
	File    string
	Line    int
	Keyword string
	Reason  string
}

// Error returns "file:line: keyword: reason" on one line, without the parts that are not known (B40).
func (e Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(printable(e.File))
		if e.Line > 0 {
			b.WriteString(":" + strconv.Itoa(e.Line))
		}
		b.WriteString(": ")
	}
	if e.Keyword != "" {
		b.WriteString(e.Keyword + ": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// Errors is the list of all problems found, those of sets.cnf first, each file's in the order of its lines,
// at most the first 1,000. It is never empty when it is returned as an error.
type Errors []Error

// Error returns one line for each problem.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// maxErrors bounds the report: of a wrong file with a million lines the first thousand problems are enough.
const maxErrors = 1000

// add appends e unless the list has it already: a line of spider.cnf is read once to check it, and again when
// its value is in force.
func (es *Errors) add(e Error) {
	if !es.full() && !slices.Contains(*es, e) {
		*es = append(*es, e)
	}
}

// sort groups the problems by file, in the order of the lines; files keep the order in which their first
// problems were found.
func (es Errors) sort() {
	rank := map[string]int{}
	for _, e := range es {
		if _, ok := rank[e.File]; !ok {
			rank[e.File] = len(rank)
		}
	}
	slices.SortStableFunc(es, func(a, b Error) int {
		return cmp.Or(cmp.Compare(rank[a.File], rank[b.File]), cmp.Compare(a.Line, b.Line))
	})
}

// full reports whether the list takes no more problems, so that the caller can stop searching.
func (es *Errors) full() bool { return len(*es) >= maxErrors }

// excerptRunes is the length of a bad value in a message: enough to find it in the line, and little enough
// that a line of a megabyte does not flood the terminal.
const excerptRunes = 60

// quote formats a value from outside for a message: cut to a readable length, with control characters
// escaped, so that they never reach a terminal.
func quote(s string) string {
	if utf8.RuneCountInString(s) <= excerptRunes {
		return strconv.Quote(s)
	}
	n := 0
	for i := range s {
		if n == excerptRunes {
			return strconv.Quote(s[:i]) + "..."
		}
		n++
	}
	return strconv.Quote(s)
}

// maxPathBytes is the longest path that a system opens; a longer "path" is a mistake.
const maxPathBytes = 4096

// printable returns a file name unchanged and whole when it can be printed, else quoted.
func printable(name string) string {
	if len(name) > maxPathBytes {
		return quote(name)
	}
	odd := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}

// cause strips the path from an error of the file system, because the message names the file already.
func cause(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// reasonf makes the reason of an Error; the caller, which knows file, line and keyword, completes it.
func reasonf(format string, args ...any) error { return fmt.Errorf(format, args...) }
