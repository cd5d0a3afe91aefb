package reader

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// readWord reads Word documents (Office Open XML).
func readWord(ctx context.Context, s Source, o Options) (Text, error) {
	z, err := openZip(ctx, s)
	if err != nil {
		return Text{}, err
	}
	root, err := z.relations("")
	if err != nil {
		return Text{}, err
	}
	w := &wordText{page: newPage(s, o)}
	if err := z.properties(root.first("core-properties", "docProps/core.xml"), &w.head); err != nil {
		return Text{}, err
	}
	main := root.first("officeDocument", "word/document.xml")
	if z.files[main] == nil {
		return Text{}, missing(main)
	}
	links, err := z.relations(main)
	if err != nil {
		return Text{}, err
	}
	if w.levels, err = z.headingStyles(ctx, links.first("styles", "word/styles.xml")); err != nil {
		return Text{}, err
	}
	// Notes come behind the text, so that they part no sentence.
	w.links = links
	if err := z.walk(ctx, main, w.page, w.token); err != nil {
		return Text{}, err
	}
	for _, kind := range []string{"footnotes", "endnotes", "header", "footer"} {
		for _, name := range links.parts(kind) {
			if err := w.part(ctx, z, name, kind); err != nil {
				return Text{}, err
			}
		}
	}
	return w.done(), nil
}

// part writes a part that is not the main one. Headers and footers are marked as what they are.
func (w *wordText) part(ctx context.Context, z *zipped, name, kind string) (err error) {
	if w.links, err = z.relations(name); err != nil {
		return err
	}
	w.skipped, w.runs, w.inText, w.command = 0, nil, 0, false
	w.endBlock()
	framed := kind == "header" || kind == "footer"
	if framed {
		w.raw("<" + kind + ">\n")
	}
	err = z.walk(ctx, name, w.page, w.token)
	w.endBlock()
	if framed {
		w.raw("</" + kind + ">\n")
	}
	return err
}

// parts returns the parts of a kind in order.
func (r relations) parts(kind string) []string {
	var names []string
	for _, one := range r {
		if one.kind == kind && !one.external {
			names = append(names, one.target)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// headingStyles returns the levels of the paragraph styles that are headings. Their ids are of any language, their names are not.
func (z *zipped) headingStyles(ctx context.Context, name string) (map[string]int, error) {
	levels, id := map[string]int{}, ""
	err := z.walk(ctx, name, &page{limit: 1}, func(m *markup) {
		if m.kind != startTag {
			return
		}
		switch {
		case m.is("style"):
			id = m.attr("styleid")
		case m.is("name"):
			name := strings.ToLower(m.attr("val"))
			if rest, ok := strings.CutPrefix(name, "heading "); ok {
				if level, err := strconv.Atoi(rest); err == nil && len(levels) < mostParts && len(id) <= longestID {
					levels[id] = level
				}
			} else if name == "title" && len(levels) < mostParts && len(id) <= longestID {
				levels[id] = 1
			}
		}
	})
	return levels, err
}

// wordText is the state of a Word document that is being read.
type wordText struct {
	*page
	links   relations
	levels  map[string]int
	skipped int      // open elements inside one that is left out
	inText  int      // open w:t
	runs    []string // open complex fields: the instruction of each
	linked  int      // open links
	command bool     // between the beginning of a field and its result
}

// leftOut are elements whose text is not the document's: deleted and moved text, what older programs show instead of a drawing.
var leftOut = map[string]bool{"del": true, "movefrom": true, "fallback": true}

func (w *wordText) token(m *markup) {
	if w.skipped > 0 {
		switch m.kind {
		case startTag:
			w.skipped++
		case endTag:
			w.skipped--
		}
		return
	}
	switch m.kind {
	case startTag:
		w.start(m)
	case endTag:
		w.end(m)
	case textToken:
		switch {
		case w.inText > 0:
			w.text(m.text())
		case w.command && len(w.runs) > 0:
			// The text of w:instrText, in pieces.
			if last := &w.runs[len(w.runs)-1]; len(*last) < 4096 {
				*last += string(m.text())
			}
		}
	}
}

func (w *wordText) start(m *markup) {
	switch name := string(m.name); name {
	case "p":
		w.block("p")
	case "pstyle":
		if level := w.levels[m.attr("val")]; level > 0 && w.pending != "" {
			w.pending = heading(level)
		}
	case "outlinelvl":
		if level, err := strconv.Atoi(m.attr("val")); err == nil && level < 9 && w.pending == "p" {
			w.pending = heading(level + 1)
		}
	case "t":
		w.inText++
	case "tab", "ptab":
		if w.pending == "" {
			w.raw(" ")
		}
	case "br", "cr":
		if w.opened != "" {
			w.raw("<br>")
		}
	case "nobreakhyphen":
		w.textString("-")
	case "tbl":
		w.endBlock()
		w.raw("<table>\n")
	case "tr":
		w.endBlock()
		w.raw("<tr>")
	case "tc":
		w.endBlock()
		w.raw("<td>")
	case "hyperlink":
		if r := w.links[m.reference()]; r.external && w.link(r.target) {
			w.linked++
		}
	case "fldsimple":
		if href := fieldLink(m.attr("instr")); w.link(href) {
			w.linked++
		}
	case "fldchar":
		w.field(m.attr("fldchartype"))
	default:
		if leftOut[name] {
			w.skipped = 1
		}
	}
}

func (w *wordText) end(m *markup) {
	switch string(m.name) {
	case "p":
		w.closeLinks()
		w.endBlock()
	case "t":
		w.inText = max(0, w.inText-1)
	case "tbl":
		w.endBlock()
		w.raw("</table>\n")
	case "tr":
		w.endBlock()
		w.raw("</tr>\n")
	case "tc":
		w.endBlock()
		w.raw("</td>")
	case "hyperlink", "fldsimple":
		if w.linked > 0 {
			w.linked--
			w.endLink()
		}
	}
}

func (w *wordText) closeLinks() {
	for ; w.linked > 0; w.linked-- {
		w.endLink()
	}
}

// field follows the parts of a complex field: begin, instruction, separate, result, end.
func (w *wordText) field(part string) {
	switch part {
	case "begin":
		if len(w.runs) < 100 {
			w.runs = append(w.runs, "")
		}
		w.command = true
	case "separate":
		w.command = false
		if n := len(w.runs); n > 0 && w.link(fieldLink(w.runs[n-1])) {
			w.linked++
		}
	case "end":
		w.command = false
		if n := len(w.runs); n > 0 {
			if fieldLink(w.runs[n-1]) != "" && w.linked > 0 {
				w.linked--
				w.endLink()
			}
			w.runs = w.runs[:n-1]
		}
	}
}

// fieldLink returns the URL of a field HYPERLINK "url".
func fieldLink(instruction string) string {
	words := strings.Fields(instruction)
	if len(words) < 2 || !strings.EqualFold(words[0], "HYPERLINK") || strings.HasPrefix(words[1], `\`) {
		return ""
	}
	return strings.Trim(words[1], `"`)
}
