package manual

import (
	"fmt"
	"io"
	"strings"
)

// helpWidth is the width of the help, in columns.
const helpWidth = 100

// textColumn is where the texts of options begin. A longer option has its text on the next line.
const textColumn = 27

// Help writes the help: the synopsis and the examples first, then the options by purpose.
func (p *Program) Help(w io.Writer) {
	for _, about := range p.About[:min(1, len(p.About))] {
		writeWrapped(w, "", "", about)
	}
	writeLines(w, "Usage:", p.Synopsis)
	writeLines(w, "Examples:", p.Examples)
	for _, about := range p.About[min(1, len(p.About)):] {
		fmt.Fprintln(w)
		writeWrapped(w, "", "", about)
	}
	for _, g := range p.groups() {
		title := g.Title
		if g.Note != "" {
			title += " (" + g.Note + ")"
		}
		fmt.Fprintln(w)
		writeWrapped(w, "", "", title+":")
		for _, f := range p.flags(g) {
			letter := "    "
			if f.Shorthand != "" {
				letter = "-" + f.Shorthand + ", "
			}
			writeItem(w, "  "+letter+p.spelled(f), text(f, g), textColumn)
		}
	}
	for _, note := range p.Notes {
		fmt.Fprintln(w)
		writeWrapped(w, "", "", note)
	}
	writeLines(w, "Exit codes:", p.Exits)
}

// writeLines writes a title and lines of two columns.
func writeLines(w io.Writer, title string, lines []Line) {
	if len(lines) == 0 {
		return
	}
	column := 0
	for _, l := range lines {
		column = max(column, len(l.What)+4)
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, l := range lines {
		writeItem(w, "  "+l.What, l.Text, column)
	}
}

// writeItem writes what stands in the left column and its text in the right one.
func writeItem(w io.Writer, left, text string, column int) {
	indent := strings.Repeat(" ", column)
	if text == "" {
		fmt.Fprintln(w, left)
		return
	}
	if len(left)+2 > column {
		fmt.Fprintln(w, left)
		left = ""
	}
	writeWrapped(w, left+indent[min(len(left), column):], indent, text)
}

// writeWrapped writes a text in lines: the first begins with first, the others with next.
func writeWrapped(w io.Writer, first, next, text string) {
	line := first
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && len(line)+1+len(word) > helpWidth {
			fmt.Fprintln(w, line)
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(w, line)
}
