package manual

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/pgseek/pgseek/internal/version"
)

// sourceWidth is the width of a line of roff.
const sourceWidth = 74

// page is a manual page in the macros of man(7).
type page struct {
	bytes.Buffer
	titled bool // the last line was a title
}

// head begins a page: its name and section, and what it is about in half a sentence.
func (p *page) head(name string, section int, does string) {
	fmt.Fprintf(p, ".\\\" Made by make man from the tables of the program and the example files.\n")
	fmt.Fprintf(p, ".TH \"%s\" %d %s \"pgseek %s\" \"pgseek manual\"\n.ad l\n.nh\n", strings.ToUpper(name), section, version.Day, version.Number())
	p.macro("SH", "NAME")
	p.text(name + " - " + does)
}

// macro writes a request with its arguments in quotes.
func (p *page) macro(name string, args ...string) {
	if name == "PP" && p.titled {
		return
	}
	p.titled = name == "SH" || name == "SS"
	fmt.Fprintf(p, ".%s", name)
	for _, a := range args {
		fmt.Fprintf(p, " \"%s\"", strings.ReplaceAll(roff(a), `"`, `\(dq`))
	}
	p.WriteByte('\n')
}

// text writes a paragraph: sentences begin on lines of their own, and no line is longer than mandoc wants.
func (p *page) text(s string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && len(roff(line))+1+len(roff(word)) > sourceWidth {
			p.line(line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
		if end := strings.TrimRight(word, `"')`); strings.HasSuffix(end, ".") {
			p.line(line)
			line = ""
		}
	}
	if line != "" {
		p.line(line)
	}
}

// line writes one line of text, which no request can be taken for.
func (p *page) line(s string) {
	s, p.titled = roff(s), false
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	fmt.Fprintln(p, s)
}

// item writes a term in bold, and its text indented below it.
func (p *page) item(term, text string) {
	p.macro("TP")
	p.line(term)
	if text == "" {
		text = " "
	}
	p.text(text)
}

// literal writes lines as they are, indented.
func (p *page) literal(lines []string) {
	p.WriteString(".PP\n.RS 4\n.nf\n")
	for _, l := range lines {
		p.line(l)
	}
	p.WriteString(".fi\n.RE\n")
}

// roff escapes what roff would read. Text between bold and roman (the marks of bold) is bold.
func roff(s string) string { return escapes.Replace(s) }

// A hyphen is a minus, so that options can be copied.
var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\x01", `\fB`, "\x02", `\fR`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// bold marks a text as bold.
func bold(s string) string { return "\x01" + s + "\x02" }

// Page writes the manual page of the program.
func (p *Program) Page(w io.Writer) error {
	out := &page{}
	out.head(p.Name, 1, p.Does)
	out.macro("SH", "SYNOPSIS")
	for i, l := range p.Synopsis {
		if i > 0 {
			out.WriteString(".br\n")
		}
		name, rest, _ := strings.Cut(l.What, " ")
		out.line(bold(name) + " " + rest)
	}
	out.macro("SH", "DESCRIPTION")
	for i, about := range p.About {
		if i > 0 {
			out.macro("PP")
		}
		out.text(about)
	}
	out.macro("SH", "OPTIONS")
	for _, g := range p.groups() {
		out.macro("SS", g.Title)
		if g.Note != "" {
			out.text(strings.ToUpper(g.Note[:1]) + g.Note[1:] + ".")
		}
		for _, f := range p.flags(g) {
			term, argument := bold("--"+f.Name), strings.TrimPrefix(p.spelled(f), "--"+f.Name)
			if f.Shorthand != "" {
				term = bold("-"+f.Shorthand) + ", " + term
			}
			what := text(f, Group{}) // with what it goes with
			out.item(term+argument, strings.ToUpper(what[:1])+what[1:]+".")
		}
	}
	for _, note := range p.Notes {
		out.macro("PP")
		out.text(note)
	}
	for _, part := range []struct {
		title string
		lines []Line
	}{{"EXAMPLES", p.Examples}, {"FILES", p.Files}, {"EXIT STATUS", p.Exits}} {
		if len(part.lines) > 0 {
			out.macro("SH", part.title)
		}
		for _, l := range part.lines {
			out.item(bold(l.What), strings.ToUpper(l.Text[:1])+l.Text[1:]+".")
		}
	}
	out.seeAlso(p.SeeAlso)
	_, err := w.Write(out.Bytes())
	return err
}

// seeAlso ends a page with the names of others.
func (p *page) seeAlso(pages []string) {
	if len(pages) == 0 {
		return
	}
	p.macro("SH", "SEE ALSO")
	for i, name := range pages {
		comma := ","
		if i == len(pages)-1 {
			comma = ""
		}
		name, section, _ := strings.Cut(name, "(")
		p.line(bold(name) + "(" + section + comma)
	}
}
