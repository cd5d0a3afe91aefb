package manual

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A File is a configuration file whose page is made from its example.
type File struct {
	Name    string // sets.cnf
	Does    string // in half a sentence
	Example string // the text of the example file
	SeeAlso []string
}

var (
	ruler     = regexp.MustCompile(`^# -{10,} *(.*)$`)
	directive = regexp.MustCompile(`^#?([A-Z][A-Za-z0-9]+)( |$)`)
	// onPage are sentences about the example file that the page has in its own words.
	onPage = regexp.MustCompile(`(?:In this example a|A) line of the form #Keyword is a directive with its default value, unless its text says that there is no default\.`)
	// column splits an indented line of the form "term   text".
	column = regexp.MustCompile(`^(\S+(?: \S+){0,3}?) {2,}(\S.*)$`)
)

// Page writes the manual page of the file: what the example says before the first directive, then a paragraph for each group of directives.
func (f *File) Page(w io.Writer) error {
	out := &page{}
	out.head(f.Name, 5, f.Does)
	out.macro("SH", "DESCRIPTION")
	section := false
	for i, block := range blocks(f.Example) {
		if m := ruler.FindStringSubmatch(block[0]); m != nil {
			if !section {
				out.macro("SH", "DIRECTIVES")
				section = true
			}
			out.macro("SS", strings.ToUpper(m[1][:1])+m[1][1:])
			block = block[1:]
		}
		prose, lines := split(block)
		if i == 0 && len(prose) > 0 && strings.HasPrefix(prose[0], f.Name+":") {
			prose = prose[1:]
		}
		if len(prose) > 0 && strings.HasPrefix(prose[0], "Copy this file") {
			prose = nil
		}
		f.block(out, prose, lines)
	}
	out.seeAlso(f.SeeAlso)
	_, err := w.Write(out.Bytes())
	return err
}

// block writes a comment and the directives below it.
func (f *File) block(out *page, prose, lines []string) {
	var names []string
	for _, l := range lines {
		if name := directive.FindStringSubmatch(l)[1]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(prose) == 0 && len(lines) == 0 {
		return
	}
	if len(names) > 0 {
		out.macro("TP")
		out.line(bold(strings.Join(names, ", ")))
		if len(prose) > 0 {
			if rest, is := strings.CutPrefix(prose[0], names[0]+": "); is { // which stands there already
				if prose[0] = rest; !strings.HasPrefix(rest, "yes ") && !strings.HasPrefix(rest, "no ") {
					prose[0] = strings.ToUpper(rest[:1]) + rest[1:]
				}
			}
		}
		f.prose(out, prose, "IP")
	} else {
		out.macro("PP")
		f.prose(out, prose, "PP")
	}
	if len(lines) > 0 {
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "#")
		}
		if len(prose) == 0 {
			out.line("For example:")
		}
		out.macro("RS")
		out.literal(lines)
		out.macro("RE")
	}
}

// prose writes the lines of a comment: paragraphs, which the macro begins, and lists, whose lines are indented.
func (f *File) prose(out *page, lines []string, paragraph string) {
	var kept []string
	flush := func() {
		if text := onPage.ReplaceAllString(strings.Join(kept, " "), "Below each text stand lines with the defaults, unless the text says that there is no default."); text != "" {
			out.text(text)
		}
		kept = nil
	}
	indented := false // the last line was one of a list
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		if len(line)-len(text) < 2 {
			if indented && text != "" {
				flush()
				out.macro("RE")
				out.macro(paragraph)
				indented = false
			}
			kept = append(kept, text)
			continue
		}
		term, rest := "", ""
		if what, is := strings.CutPrefix(text, "- "); is {
			term, rest = "\u2022", what
		} else if m := column.FindStringSubmatch(text); m != nil {
			term, rest = m[1], m[2]
		}
		if term == "" {
			kept = append(kept, text)
			continue
		}
		flush()
		if !indented {
			out.macro("RS")
			indented = true
		}
		if term == "\u2022" {
			out.WriteString(".IP \\(bu 2\n")
		} else {
			out.macro("TP")
			out.line(term)
		}
		kept = append(kept, rest)
	}
	flush()
	if indented {
		out.macro("RE")
	}
}

// blocks returns the lines of a text that stand together: between empty lines, empty comments, and before a ruler. A comment behind a
// directive begins a block.
func blocks(text string) (list [][]string) {
	var block []string
	end := func() {
		if len(block) > 0 {
			list = append(list, block)
		}
		block = nil
	}
	directives := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		is := directive.MatchString(line)
		switch {
		case line == "" || line == "#":
			if len(block) != 1 || !ruler.MatchString(block[0]) { // a ruler goes with what follows
				end()
			}
			directives = false
			continue
		case ruler.MatchString(line), directives && !is:
			end()
		}
		directives = is
		block = append(block, line)
	}
	end()
	return list
}

// split returns the comment of a block without its marks, and its directives.
func split(block []string) (prose, lines []string) {
	for _, line := range block {
		if directive.MatchString(line) {
			lines = append(lines, line)
			continue
		}
		prose = append(prose, strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
	}
	return prose, lines
}

// Files returns the three configuration files; example gives the text of one by its name.
func Files(example func(name string) (string, error)) (list []File, err error) {
	for _, f := range []File{
		{Name: "sets.cnf", Does: "what pgseek indexes", SeeAlso: []string{"index(1)", "spider.cnf(5)"}},
		{Name: "spider.cnf", Does: "how pgseek indexes", SeeAlso: []string{"index(1)", "sets.cnf(5)", "searchd.conf(5)"}},
		{Name: "searchd.conf", Does: "how pgseek searches", SeeAlso: []string{"searchd(1)", "spider.cnf(5)"}},
	} {
		if f.Example, err = example(f.Name + ".example"); err != nil {
			return nil, fmt.Errorf("example of %s: %w", f.Name, err)
		}
		list = append(list, f)
	}
	return list, nil
}
