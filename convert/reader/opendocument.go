package reader

import (
	"bytes"
	"context"
	"strconv"
)

// readOpenDocument reads texts, spreadsheets, presentations and drawings of OpenDocument.
func readOpenDocument(ctx context.Context, s Source, o Options) (Text, error) {
	z, err := openZip(ctx, s)
	if err != nil {
		return Text{}, err
	}
	manifest, err := z.small("META-INF/manifest.xml", 4<<20)
	if err != nil {
		return Text{}, err
	}
	if bytes.Contains(manifest, []byte("encryption-data")) || z.files["encrypted-package"] != nil {
		return Text{}, errEncrypted
	}
	if z.files["content.xml"] == nil {
		return Text{}, missing("content.xml")
	}
	t := &openText{page: newPage(s, o), hidden: map[string]bool{}}
	if err := z.properties("meta.xml", &t.head); err != nil {
		return Text{}, err
	}
	if err := z.walk(ctx, "content.xml", t.page, t.token); err != nil {
		return Text{}, err
	}
	t.endBlock()
	for _, note := range t.notes {
		t.paragraph("p", note)
	}
	out := t.done()
	out.Truncated = out.Truncated || t.left
	return out, nil
}

// openText is the state of an OpenDocument file that is being read.
type openText struct {
	*page
	inBlocks int // open text:p and text:h
	linked   []bool
	title    bool // inside the frame with the title of a slide
	cell     int
	sheets   bool     // the tables are sheets, whose names people see
	notes    []string // texts of footnotes, written behind the text
	kept     int      // bytes of them
	left     bool     // some were left out
	rowAt    int      // where the row of a sheet begins, and how often it occurs
	rows     int
	cellAt   int // the same of a cell
	cells    int
	deep     []string        // blocks that a nested one interrupted
	style    string          // the one that is being defined
	hidden   map[string]bool // styles of sheets and slides that are not shown
}

// openSkipped are elements whose text is not the document's: comments, deleted text, the sign of a note, how a word is pronounced.
var openSkipped = map[string]bool{
	"annotation": true, "tracked-changes": true, "note-citation": true, "ruby-text": true, "page-number": true, "page-count": true,
	"script": true, "forms": true, "desc": true,
}

func (t *openText) token(m *markup) {
	switch m.kind {
	case startTag:
		t.start(m)
	case endTag:
		t.end(m)
	case textToken:
		if t.inBlocks > 0 {
			t.text(m.text())
		}
	}
}

func (t *openText) start(m *markup) {
	name := string(m.name)
	if openSkipped[name] {
		m.skip()
		return
	}
	switch name {
	case "style":
		t.style = m.attr("name")
	case "table-properties", "drawing-page-properties":
		if (m.attr("display") == "false" || m.attr("visibility") == "hidden") && len(t.hidden) < mostParts && len(t.style) <= longestID {
			t.hidden[t.style] = true
		}
	case "page":
		if t.hidden[m.attr("style-name")] {
			m.skip()
		}
	case "p", "h":
		tag := "p"
		switch {
		case t.title:
			tag = "h2"
		case name == "h":
			level, _ := strconv.Atoi(m.attr("outline-level"))
			tag = heading(level)
		}
		if len(t.deep) < 1000 {
			t.deep = append(t.deep, t.opened+t.pending)
		}
		t.block(tag)
		t.inBlocks++
	case "a":
		t.linked = append(t.linked, t.inBlocks > 0 && t.link(m.attr("href")))
	case "s", "tab":
		if t.opened != "" {
			t.raw(" ")
		}
	case "line-break":
		if t.opened != "" {
			t.raw("<br>")
		}
	case "note-body":
		if note := blanks(m.content(64 << 10)); note != "" {
			if t.kept += len(note); t.kept > 1<<20 {
				t.left = true
				return
			}
			t.notes = append(t.notes, note)
		}
	case "table":
		t.endBlock()
		if t.cell == 0 && t.hidden[m.attr("style-name")] {
			m.skip()
			return
		}
		if string(m.space) == "table" {
			if t.cell == 0 && t.sheets {
				t.paragraph("h2", m.attr("name"))
			}
			t.raw("<table>\n")
		}
	case "table-row":
		t.endBlock()
		if t.cell == 0 {
			t.rowAt, t.rows = len(t.body), repeats(m.attr("number-rows-repeated"))
		}
		t.raw("<tr>")
	case "table-cell":
		t.endBlock()
		if t.cell == 0 {
			t.cellAt, t.cells = len(t.body), repeats(m.attr("number-columns-repeated"))
		}
		t.raw("<td>")
		t.cell++
	case "spreadsheet":
		t.sheets, t.naming = true, true
	case "frame":
		t.title = m.attr("class") == "title"
	}
}

func (t *openText) end(m *markup) {
	switch string(m.name) {
	case "p", "h":
		t.endBlock()
		t.inBlocks = max(0, t.inBlocks-1)
		if n := len(t.deep); n > 0 {
			if t.inBlocks > 0 {
				t.pending = t.deep[n-1]
			}
			t.deep = t.deep[:n-1]
		}
	case "a":
		if n := len(t.linked); n > 0 {
			if t.linked[n-1] {
				t.endLink()
			}
			t.linked = t.linked[:n-1]
		}
	case "table":
		t.endBlock()
		if string(m.space) == "table" {
			t.raw("</table>\n")
		}
	case "table-row":
		t.endBlock()
		t.raw("</tr>\n")
		if t.cell == 0 {
			t.again(t.rowAt, t.rows)
		}
	case "table-cell":
		t.endBlock()
		t.raw("</td>")
		if t.cell = max(0, t.cell-1); t.cell == 0 {
			t.again(t.cellAt, t.cells)
		}
	case "frame":
		t.title = false
	}
}

// mostRepeats bounds how often a cell or a row is written that occurs several times.
const mostRepeats = 1000

func repeats(s string) int {
	n, _ := strconv.Atoi(s)
	return min(n, mostRepeats)
}

// again repeats what was written from a place on, if that has text. Empty cells and rows fill sheets to their end.
func (t *openText) again(from, times int) {
	if times < 2 || from >= len(t.body) {
		return
	}
	part := string(t.body[from:])
	if !hasText(part) {
		return
	}
	for i := 1; i < times && !t.full; i++ {
		t.raw(part)
	}
}

// hasText reports whether HTML has more than tags and blanks.
func hasText(markup string) bool {
	inTag := false
	for _, c := range markup {
		switch {
		case c == '<':
			inTag = true
		case c == '>':
			inTag = false
		case !inTag && c > ' ':
			return true
		}
	}
	return false
}
