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
	sheets   bool            // the tables are sheets, whose names people see
	notes    []string        // texts of footnotes, written behind the text
	kept     int             // bytes of them
	left     bool            // some were left out
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
		t.raw("<tr>")
	case "table-cell":
		t.endBlock()
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
	case "table-cell":
		t.endBlock()
		t.raw("</td>")
		t.cell = max(0, t.cell-1)
	case "frame":
		t.title = false
	}
}
