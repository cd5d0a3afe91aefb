package reader

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"
)

// sharedBytes bounds the texts of a workbook that are held in memory. Those beyond are left out.
const sharedBytes = 8 << 20

// readWorkbook reads Excel workbooks (Office Open XML).
func readWorkbook(ctx context.Context, s Source, o Options) (Text, error) {
	z, err := openZip(ctx, s)
	if err != nil {
		return Text{}, err
	}
	root, err := z.relations("")
	if err != nil {
		return Text{}, err
	}
	w := &workbook{page: newPage(s, o)}
	w.naming = true
	if err := z.properties(root.first("core-properties", "docProps/core.xml"), &w.head); err != nil {
		return Text{}, err
	}
	main := root.first("officeDocument", "xl/workbook.xml")
	if z.files[main] == nil {
		return Text{}, missing(main)
	}
	links, err := z.relations(main)
	if err != nil {
		return Text{}, err
	}
	type sheet struct{ name, part string }
	var sheets []sheet
	err = z.walk(ctx, main, &page{limit: 1}, func(m *markup) {
		switch {
		case m.kind != startTag:
		case m.is("sheet"):
			if state := m.attr("state"); state == "" || state == "visible" {
				if r := links[m.reference()]; r.kind == "worksheet" && len(sheets) < mostParts {
					sheets = append(sheets, sheet{cut(m.attr("name"), headText), r.target})
				}
			}
		case m.is("workbookpr"):
			w.from1904 = m.attr("date1904") == "1" || m.attr("date1904") == "true"
		}
	})
	if err != nil {
		return Text{}, err
	}
	if err := w.styles(ctx, z, links.first("styles", "xl/styles.xml")); err != nil {
		return Text{}, err
	}
	if err := w.strings(ctx, z, links.first("sharedStrings", "xl/sharedStrings.xml")); err != nil {
		return Text{}, err
	}
	for _, one := range sheets {
		if w.full {
			break
		}
		if w.links, err = z.relations(one.part); err != nil {
			return Text{}, err
		}
		w.paragraph("h2", one.name)
		w.raw("<table>\n")
		w.row = false
		err := z.walk(ctx, one.part, w.page, w.token)
		w.endBlock()
		w.endRow()
		w.raw("</table>\n")
		for _, href := range w.hrefs {
			w.block("p")
			if w.link(href[0]) {
				w.textString(href[1])
				w.endLink()
			}
			w.endBlock()
		}
		w.hrefs = nil
		if err != nil {
			return Text{}, err
		}
		// The texts of drawings.
		for _, name := range w.links.parts("drawing") {
			d := &slideText{page: w.page}
			if d.links, err = z.relations(name); err != nil {
				return Text{}, err
			}
			if err := z.walk(ctx, name, w.page, d.token); err != nil {
				return Text{}, err
			}
			w.endBlock()
		}
	}
	t := w.done()
	t.Truncated = t.Truncated || w.left
	return t, nil
}

// workbook is the state of a workbook that is being read.
type workbook struct {
	*page
	links    relations
	from1904 bool
	dates    []bool // by cell style
	shared   []string
	left     bool // some shared texts were left out

	row     bool   // a row has begun
	kind    string // of the current cell
	style   int
	value   []byte
	inValue bool
	phonics int
	hrefs   [][2]string
}

// styles notes which cell styles are those of dates.
func (w *workbook) styles(ctx context.Context, z *zipped, name string) error {
	custom, inCells := map[string]bool{}, false
	return z.walk(ctx, name, &page{limit: 1}, func(m *markup) {
		switch {
		case m.is("cellxfs"):
			inCells = m.kind == startTag
		case m.kind != startTag:
		case m.is("numfmt"):
			if id := m.attr("numfmtid"); len(custom) < mostParts && len(id) <= longestID {
				custom[id] = isDateFormat(m.attr("formatcode"))
			}
		case m.is("xf") && inCells && len(w.dates) < 100000:
			id := m.attr("numfmtid")
			n, _ := strconv.Atoi(id)
			w.dates = append(w.dates, custom[id] || n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58)
		}
	})
}

// isDateFormat reports whether a format code shows a date or a time: it has one of their letters outside of quotes and brackets.
func isDateFormat(code string) bool {
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\':
			i++
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case bracket:
		case strings.IndexByte("yYmMdDhHsS", c) >= 0:
			return !strings.EqualFold(code, "general")
		}
	}
	return false
}

// strings reads the shared texts.
func (w *workbook) strings(ctx context.Context, z *zipped, name string) error {
	var item []byte
	size, inText := 0, false
	return z.walk(ctx, name, &page{limit: 1}, func(m *markup) {
		switch {
		case m.is("rph") && m.kind != textToken: // how it is pronounced
			w.phonics = 0
			if m.kind == startTag {
				w.phonics = 1
			}
		case m.kind == textToken:
			if inText && w.phonics == 0 && len(item) < sharedBytes {
				item = append(item, m.text()...)
			}
		case m.is("t"):
			inText = m.kind == startTag
		case m.is("si") && m.kind == startTag:
			item = item[:0]
		case m.is("si"):
			// A text that is left out keeps its place.
			if size += len(item) + 16; size > sharedBytes {
				w.left = true
				if size < 2*sharedBytes {
					w.shared = append(w.shared, "")
				}
				return
			}
			w.shared = append(w.shared, string(item))
		}
	})
}

func (w *workbook) token(m *markup) {
	switch m.kind {
	case startTag:
		switch string(m.name) {
		case "row":
			w.endRow()
		case "c":
			w.kind, w.value = m.attr("t"), w.value[:0]
			w.style, _ = strconv.Atoi(m.attr("s"))
		case "v", "t":
			w.inValue = w.phonics == 0
		case "rph":
			w.phonics = 1
		case "hyperlink":
			if r := w.links[m.reference()]; r.external && len(w.hrefs) < mostParts {
				name := cut(m.attr("display"), headText)
				if name == "" {
					name = r.target
				}
				w.hrefs = append(w.hrefs, [2]string{r.target, name})
			}
		}
	case endTag:
		switch string(m.name) {
		case "c":
			w.cell()
		case "v", "t":
			w.inValue = false
		case "rph":
			w.phonics = 0
		}
	case textToken:
		if w.inValue && len(w.value) < sharedBytes {
			w.value = append(w.value, m.text()...)
		}
	}
}

// cell writes the cell that ends. Empty ones are left out.
func (w *workbook) cell() {
	shown := string(w.value)
	switch w.kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(shown))
		if err != nil || i < 0 || i >= len(w.shared) {
			return
		}
		shown = w.shared[i]
	case "inlineStr", "str", "d":
	case "b":
		shown = map[string]string{"1": "TRUE", "0": "FALSE"}[strings.TrimSpace(shown)]
	case "e":
		return
	default:
		shown = w.number(strings.TrimSpace(shown))
	}
	if shown = unescaped(shown); strings.TrimSpace(shown) == "" {
		return
	}
	if !w.row {
		w.row = true
		w.raw("<tr>")
	}
	w.paragraph("td", shown)
}

func (w *workbook) endRow() {
	if w.row {
		w.raw("</tr>\n")
	}
	w.row = false
}

// number returns a number as it is shown: a date if its style is one, else with at most 15 digits, as in spreadsheets.
func (w *workbook) number(s string) string {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return s
	}
	if w.style >= 0 && w.style < len(w.dates) && w.dates[w.style] && n >= 0 && n < 2958466 {
		return serialDate(n, w.from1904)
	}
	if short := strconv.FormatFloat(n, 'g', 15, 64); !strings.Contains(short, "e") {
		return short
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// serialDate returns a date that is a number of days, in the form of ISO 8601.
func serialDate(n float64, from1904 bool) string {
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if n < 60 && n >= 1 {
		n++ // Excel counts a 29th of February 1900
	}
	days, part := math.Modf(n)
	at := epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	switch {
	case days == 0:
		return at.Format("15:04:05")
	case part == 0:
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04:05")
}

// unescaped undoes the escapes of control characters, such as _x000D_.
func unescaped(s string) string {
	const length = len("_x000D_")
	i := strings.Index(s, "_x")
	if i < 0 {
		return s
	}
	var b strings.Builder
	for ; i >= 0 && i+length <= len(s); i = strings.Index(s, "_x") {
		code, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
		if err != nil || s[i+6] != '_' {
			b.WriteString(s[:i+2])
			s = s[i+2:]
			continue
		}
		b.WriteString(s[:i])
		b.WriteRune(max(' ', rune(code)))
		s = s[i+length:]
	}
	return b.String() + s
}
