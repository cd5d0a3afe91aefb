package reader

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	htmlType = "text/html; charset=utf-8"

	// headText bounds each text of the head, in bytes; no column of the index is wider.
	headText = 1000
)

// head is what a document says about itself.
type head struct {
	title, author, description, keywords string
	created, modified                    string // dates as they are written, mostly of ISO 8601
	lang, base                           string
	noIndex                              bool
}

// page writes a document as HTML. Beyond its limit it writes nothing.
type page struct {
	head
	body    []byte
	limit   int
	name    string // of the file
	naming  bool   // the name of the file is a better title than the text
	full    bool
	pending string // tag of a block that begins with the next text
	opened  string // tag of the open block
}

func newPage(s Source, o Options) *page { return &page{limit: int(o.Limit), name: s.Name} }

// raw writes markup.
func (p *page) raw(markup string) {
	if !p.full {
		p.body = append(p.body, markup...)
		p.full = len(p.body) > p.limit
	}
}

// block begins a block of text, such as p or h1. It is written when it has text.
func (p *page) block(tag string) {
	p.endBlock()
	p.pending = tag
}

// endBlock ends the open block.
func (p *page) endBlock() {
	if p.opened != "" {
		p.raw("</" + p.opened + ">\n")
	}
	p.opened, p.pending = "", ""
}

// begin writes the start tag of a block that has text.
func (p *page) begin() {
	if p.pending != "" {
		p.raw("<" + p.pending + ">")
		p.opened, p.pending = p.pending, ""
	}
}

// text writes text. Blanks alone begin no block.
func (p *page) text(s []byte) {
	if p.full || len(s) == 0 {
		return
	}
	if p.pending != "" {
		if len(bytes.TrimSpace(s)) == 0 {
			return
		}
		p.begin()
	}
	p.body = appendText(p.body, s)
	p.full = len(p.body) > p.limit
}

func (p *page) textString(s string) { p.text([]byte(s)) }

// paragraph writes a block of its own.
func (p *page) paragraph(tag, s string) {
	p.block(tag)
	p.textString(s)
	p.endBlock()
}

// link begins a link; an empty href is none.
func (p *page) link(href string) bool {
	if href = strings.TrimSpace(href); href == "" || p.full {
		return false
	}
	p.begin()
	p.raw(`<a href="` + escape(href) + `">`)
	return true
}

func (p *page) endLink() { p.raw("</a>") }

// done returns the document.
func (p *page) done() Text {
	p.endBlock()
	if strings.TrimSpace(p.title) == "" {
		p.title = p.titleOfText()
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html")
	if p.lang != "" {
		b.WriteString(` lang="` + escape(cut(p.lang, 35)) + `"`)
	}
	b.WriteString("><head>")
	if p.base != "" {
		b.WriteString(`<base href="` + escape(cut(p.base, headText)) + `">`)
	}
	if title := cut(blanks(p.title), headText); title != "" {
		b.WriteString("<title>" + escape(title) + "</title>")
	}
	for _, m := range [][2]string{
		{"author", p.author},
		{"description", p.description},
		{"keywords", p.keywords},
		{"dcterms.created", p.created},
		{"dcterms.modified", p.modified},
	} {
		if content := cut(blanks(m[1]), headText); content != "" {
			b.WriteString(`<meta name="` + m[0] + `" content="` + escape(content) + `">`)
		}
	}
	if p.noIndex {
		b.WriteString(`<meta name="robots" content="noindex">`)
	}
	b.WriteString("</head><body>\n")
	t := Text{ContentType: htmlType}
	if room := max(0, p.limit-b.Len()); len(p.body) > room {
		p.body, t.Truncated = cutMarkup(p.body, room), true
	}
	b.Write(p.body)
	t.Body = b.Bytes()[:min(b.Len(), max(0, p.limit))]
	return t
}

// cutMarkup cuts HTML outside of characters and tags.
func cutMarkup(s []byte, n int) []byte {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	s = s[:n]
	if open := bytes.LastIndexByte(s, '<'); open > bytes.LastIndexByte(s, '>') {
		s = s[:open]
	}
	return s
}

// special are the characters that appendText replaces.
var special = func() (is [256]bool) {
	for c := range ' ' {
		is[c] = c != '\n' && c != '\t'
	}
	is['<'], is['>'], is['&'] = true, true, true
	return is
}()

// appendText appends text as HTML. Characters that HTML does not allow become blanks.
func appendText(to, s []byte) []byte {
	if !utf8.Valid(s) {
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	from := 0 // what is before it has been appended
	for i, c := range s {
		if !special[c] {
			continue
		}
		to = append(to, s[from:i]...)
		from = i + 1
		switch c {
		case '<':
			to = append(to, "&lt;"...)
		case '>':
			to = append(to, "&gt;"...)
		case '&':
			to = append(to, "&amp;"...)
		default:
			to = append(to, ' ')
		}
	}
	return append(to, s[from:]...)
}

// escape returns text for an attribute or a title.
func escape(s string) string {
	return html.EscapeString(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", " "))
}

// blanks makes runs of white space one blank.
func blanks(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut returns the first bytes of a text, whole characters.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// heading returns the tag of a heading of a level, which counts from 1.
func heading(level int) string { return "h" + strconv.Itoa(max(1, min(level, 6))) }
