package foreign

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/config"
)

// file is one of the new files, with the entry of each line.
type file struct {
	text    strings.Builder
	entries []*entry // of the lines from 1; nil for others
}

func (f *file) line(text string, e *entry) {
	f.text.WriteString(text)
	f.text.WriteByte('\n')
	f.entries = append(f.entries, e)
}

// result writes the files. As long as package config refuses lines of them, the entries of these lines are left out.
func (im *importer) result(dir string) (*Result, error) {
	r := &Result{Program: im.in.name(), Comments: im.comments, Blank: im.blank, CommentsKept: im.kept, NotRead: im.notRead}
	for {
		sets, spider := im.file(false), im.file(true)
		r.Sets, r.Spider = []byte(sets.text.String()), []byte(spider.text.String())
		problems := config.Check(dir, r.Sets, r.Spider)
		if len(problems) == 0 {
			break
		}
		if !leaveRefused(problems, sets, spider, im) {
			return nil, problems // no line of ours: a mistake of this package
		}
	}
	for _, e := range im.entries {
		r.Directives = append(r.Directives, Directive{File: e.file, Line: e.number, Text: withoutSecrets(e.text), Outcome: e.outcome})
		r.Secret = r.Secret || e.secret && len(e.out) > 0
		for _, out := range e.out {
			if strings.HasPrefix(out.text, "Server ") {
				r.Servers++
			}
		}
	}
	r.OpenWeb = im.follows && im.lost > 0
	return r, nil
}

// leaveRefused leaves out the directives whose lines config refuses. It reports whether there were any.
func leaveRefused(problems config.Errors, sets, spider *file, im *importer) (any bool) {
	for _, p := range problems {
		f := sets
		if filepath.Base(p.File) == "spider.cnf" {
			f = spider
		}
		if p.Line < 1 || p.Line > len(f.entries) || f.entries[p.Line-1] == nil {
			continue
		}
		e := f.entries[p.Line-1]
		if len(e.out) == 0 {
			continue // another line of it was refused as well
		}
		if strings.Contains(strings.ToLower(e.keyword), "allow") || strings.EqualFold(e.keyword, "CheckOnly") {
			im.lost++
		}
		e.leave("not possible here: " + withoutSecrets(p.Reason))
		any = true
	}
	return any
}

// file writes one of the new files.
func (im *importer) file(spider bool) *file {
	f := &file{}
	what, other := "WHAT to index", "spider.cnf (HOW to index)"
	if spider {
		what, other = "HOW to index", "sets.cnf (WHAT to index)"
	}
	f.line("# "+what+". The other file is "+other+". The example files explain every directive.", nil)
	f.line(fmt.Sprintf("# Made from %s of %s by index --import-config. A line of it that is not the same here is a comment:", im.lines[0].file, im.in.name()), nil)
	f.line("# CHANGED gives the reason for the lines below it, LEFT OUT the reason why there are none.", nil)
	why := ""
	for _, first := range []bool{true, false} {
		for _, e := range im.entries {
			why = f.entry(e, spider, first, why)
		}
	}
	return f
}

// entry writes the comments and lines of an entry that are in this part of the file. why is the reason that stands above.
func (f *file) entry(e *entry, spider, first bool, why string) string {
	var lines []string
	for _, out := range e.out {
		if out.spider == spider && out.first == first {
			lines = append(lines, out.text)
		}
	}
	explained := len(e.out) == 0 && e.spider == spider && !first && e.outcome != Carried // it has no lines: the comment stands where they would be
	if len(lines) == 0 && !explained {
		return why
	}
	remarks := e.above
	if first || slices.ContainsFunc(e.out, func(o outLine) bool { return o.spider != e.spider && o.spider == spider }) {
		remarks = nil
	}
	if e.outcome == Carried {
		if why != "" {
			f.line("", nil)
		}
		for _, text := range remarks {
			f.line(text, nil)
		}
		for _, text := range lines {
			f.line(text, e)
		}
		return ""
	}
	title := map[Outcome]string{Changed: "# CHANGED: ", LeftOut: "# LEFT OUT: ", Unknown: "# LEFT OUT: "}[e.outcome] + withoutSecrets(e.why) + "."
	if title != why {
		f.line("", nil)
		f.line(title, nil)
	}
	for _, text := range remarks {
		f.line(text, nil)
	}
	f.line(fmt.Sprintf("#   %s:%d: %s", e.file, e.number, withoutSecrets(e.text)), nil)
	for _, text := range lines {
		f.line(text, e)
	}
	return title
}
