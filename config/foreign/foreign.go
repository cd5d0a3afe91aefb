// Package foreign turns a configuration of ASPseek, mnoGoSearch or DataparkSearch into sets.cnf and spider.cnf.
//
// It is pure: files come through a function, the two files are returned as bytes. Every line of the old files is accounted for.
// A directive is carried over, changed, or left out; a changed one stands above its new lines as a comment, with the reason, and one
// that is left out is a comment with the reason and what does its work here. The table of directives (table*.go) says what happens to
// each; docs/coming-from.md shows it, and a test compares them. The result is read by package config before it is returned: a line
// that config refuses becomes a comment, with what config says.
//
//	lines (read.go) -> which program (dialect.go) -> an entry for each directive (table.go and the actions) -> files (write.go)
package foreign

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/config"
)

// Result is an imported configuration.
type Result struct {
	Program      string // the name of the program that the files were for
	Sets, Spider []byte
	Secret       bool // the files contain a password
	Directives   []Directive
	// Lines that are no directives.
	Comments, Blank int
	CommentsKept    int      // short comments directly above a directive go with it
	NotRead         []string // files that an Include line names, each with the reason
	Servers         int      // Server lines
	// OpenWeb says that links to all sites are followed although a line about URLs was left out.
	OpenWeb bool
}

// Directive is one directive of the old files.
type Directive struct {
	File    string // relative to the directory of the first one
	Line    int
	Text    string // fit for a terminal, without passwords
	Outcome Outcome
}

// Outcome says what became of a directive.
type Outcome int

// The outcomes.
const (
	Carried Outcome = iota // the line is the same, but for blanks and the case of the keyword
	Changed                // there are other lines for it
	LeftOut                // a comment says why
	Unknown                // the program that the files are for has no such directive
)

// Count returns the number of directives with an outcome.
func (r *Result) Count(o Outcome) (n int) {
	for _, d := range r.Directives {
		if d.Outcome == o {
			n++
		}
	}
	return n
}

// Import reads the file at path, and the files that it includes, by read. dir is the directory for the new files.
func Import(path, dir string, read func(string) ([]byte, error)) (*Result, error) {
	src, err := readAll(path, read)
	if err != nil {
		return nil, err
	}
	im := &importer{source: src, index: "yes", maxHops: "256", tags: map[string]int{}, allowed: map[string]bool{}}
	if im.in, err = tell(src.lines, path); err != nil {
		return nil, err
	}
	im.lookAhead()
	for _, l := range src.lines {
		e := &entry{line: l}
		im.entries = append(im.entries, e)
		im.directive(e)
	}
	if im.auth != nil {
		im.auth.leave("no Server line follows")
	}
	im.limitRealms()
	return im.result(dir)
}

// importer is one import.
type importer struct {
	*source
	in      program
	entries []*entry

	// Values in force for the next Server line.
	index, maxHops string
	robotsOff      bool
	follows        bool   // links to all sites
	auth           *entry // AuthBasic that waits for its Server line

	tags    map[string]int  // texts of Tag lines as numbers
	allowed map[string]bool // hosts and addresses that spider.cnf allows already
	scopes  []string        // of the Server lines: beginnings of URLs
	realms  []string        // patterns of the Realm lines
	realm   *entry          // the first of them
	lost    int             // patterns that could not be used
	split   *filterSplit    // of ASPseek's filters; nil when their order needs no change
}

// entry is a directive with what becomes of it.
type entry struct {
	line
	outcome Outcome
	why     string // of a change, or why it is left out
	out     []outLine
	spider  bool   // a comment about it stands in spider.cnf
	secret  bool   // an output line contains a password
	login   *entry // the AuthBasic line of this Server line, which is among its lines
}

// outLine is a line of the new files.
type outLine struct {
	text   string
	spider bool // of spider.cnf
	first  bool // at the beginning of its file
}

// directive finds the rule for a line and applies it.
func (im *importer) directive(e *entry) {
	if e.broken != "" {
		e.leave(e.broken)
		return
	}
	r := find(e.keyword, im.in)
	if r == nil {
		e.outcome, e.why = Unknown, "not a directive of "+im.in.name()
		if name, home := config.Keyword(e.keyword); name != "" {
			e.why += "; " + home + " has a directive of this name"
		}
		return
	}
	e.spider = r.spider
	if r.do == nil {
		e.leave(plain(r.here))
		return
	}
	r.do(im, e, r)
	if e.outcome == Carried && len(e.out) == 0 && im.auth != e {
		e.leave(plain(r.here))
	}
	if e.outcome == Carried && len(e.out) > 0 && !e.same() {
		e.outcome = Changed
		if e.why == "" {
			e.why = plain(r.here)
		}
	}
}

// same reports whether the one new line is the old one, but for blanks and the case of the keyword.
func (e *entry) same() bool {
	out := e.out
	if e.login != nil { // its AuthBasic line is above
		out = out[1:]
	}
	if len(out) != 1 {
		return false
	}
	was, is := strings.Fields(e.text), strings.Fields(out[0].text)
	return len(was) > 0 && len(is) > 0 && strings.EqualFold(was[0], is[0]) && slices.Equal(was[1:], is[1:])
}

// leave leaves the directive out.
func (e *entry) leave(why string) {
	e.outcome, e.why, e.out = LeftOut, why, nil
	if e.login != nil {
		e.login.leave("the Server line below it is left out")
	}
}

// write adds a line to sets.cnf: a keyword and its values.
func (e *entry) write(keyword string, values ...string) { e.add(false, keyword, values...) }

// writeSpider adds a line to spider.cnf.
func (e *entry) writeSpider(keyword string, values ...string) { e.add(true, keyword, values...) }

func (e *entry) add(spider bool, keyword string, values ...string) {
	text := keyword
	for _, v := range values {
		shown, ok := quoted(v)
		if !ok {
			e.leave("it has a value that cannot be written here: " + withoutSecrets(v))
			return
		}
		text += " " + shown
	}
	if strings.HasSuffix(text, `\`) {
		e.leave(`it ends in \, which continues a line here`)
		return
	}
	e.out = append(e.out, outLine{text: text, spider: spider})
}

// quoted returns a value as it is written in a line.
func quoted(v string) (string, bool) {
	switch {
	case v == "":
		return `""`, true
	case !strings.ContainsAny(v, " \t") && v[0] != '"':
		return v, true
	case strings.Contains(v, `\"`) || strings.HasSuffix(v, `\`):
		return "", false
	}
	return `"` + strings.ReplaceAll(v, `"`, `\"`) + `"`, true
}

// plain returns the text of a table of the documentation without its marks.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }

// errTold wraps no cause: its text is for the operator.
func errTold(text string) error { return errors.New(text) }

// under returns a name below the directory of the first file as it is shown.
func (s *source) under(path string) string {
	if rel, err := filepath.Rel(s.dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
