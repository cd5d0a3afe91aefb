package document

import (
	"bytes"
)

// A Text is a document as running text, from which excerpts and cached copies are made.
//
// Each section has all the text that its words were cut from. The words that Scan finds in it, counted from
// 0, have the ordinals of the index (those from 16,383 on share one there). So a match found by position is
// found in the text. Each Gap takes an ordinal, too: something between two words was left out, so that a phrase does not run over
// it. In Body a line end separates elements that separate words, and all other white space of
// HTML becomes blanks, as many as were written; in plain text a line end is kept before a blank line.
type Text struct {
	// Charset is the one used to decode the body, as in Document.Charset.
	Charset string
	// The sections, valid UTF-8. The caller owns them.
	Body, Description, Keywords, Title []byte
	// Lang and Base are the document's own declarations (<html lang> or META, and the href of its first
	// <base>); may be empty.
	Lang, Base string
	// Parts of Body that excerpts show only when there is nothing else (Aside), and never (Quiet): offsets of the first byte and of
	// the one behind the last, ascending.
	Aside, Quiet [][2]int
	// The instructions of META robots. With NoIndex the index has none of the words.
	NoIndex, NoArchive, NoSnippet bool
}

// A Visitor receives the tags and texts of a document from Walk, in order. Byte slices are valid only during
// the call.
type Visitor interface {
	// StartTag is called for elements of any name, known or not. Content of script, style, template, iframe
	// and noembed is left out.
	StartTag(tag *Tag)
	// EndTag is called for end tags, which need not match the start tags.
	EndTag(tag *Tag)
	// Text is called for text that is in Text.Body from offset at on, byte for byte except for white space;
	// at is -1 for text that is shown and not indexed (LeaveOut). It is not called for the title.
	Text(text []byte, at int)
}

// A Tag begins or ends an element.
type Tag struct {
	Name []byte // in lower case
	// Separates is true when a word cannot continue across the tag.
	Separates bool
	attrs     []attribute
}

// Attr returns the first attribute of a name in lower case, entities decoded, and whether there is one. End tags have none.
func (t *Tag) Attr(name string) (value string, ok bool) {
	for _, a := range t.attrs {
		if string(a.name) == name {
			return string(a.value), true
		}
	}
	return "", false
}

// ReadText returns the running text of a stored body, by the rules by which Parse read its words. contentType
// and charset are the stored values; an empty or unknown charset is detected as by Parse.
//
// It returns ErrUnreadable or ErrTooSlow, and no other error. It is safe for concurrent use.
func ReadText(body []byte, contentType, charset string, r *Rules) (*Text, error) {
	return Walk(body, contentType, charset, r, nil)
}

// Walk does the work of ReadText and passes all tags and texts to a visitor. Plain text is one text without
// tags.
func Walk(body []byte, contentType, charset string, r *Rules, v Visitor) (*Text, error) {
	k := kindOf(contentType)
	if k == unreadable {
		return nil, ErrUnreadable
	}
	reading := *r
	reading.linkTags = [tagCount]bool{} // links are not needed
	p := newParser(&reading)
	defer p.release()
	p.reader = &reader{}

	cut := len(body) >= r.IndexLimit
	body = body[:min(len(body), r.IndexLimit)]
	text, name := decodeStored(body, contentType, charset, k, cut)
	if k == plainText {
		p.reader.visitor = v
		p.readPlain(text)
		p.flush()
	} else if p.htmlOrWhole(text, k == xhtmlText); v != nil && !p.late() {
		whole := p.whole
		p.begin(&reading, p.deadline)
		p.reader, p.whole = &reader{visitor: v}, whole
		p.html(text, k == xhtmlText)
	}
	if p.late() {
		return nil, ErrTooSlow
	}
	s := &p.reader.text
	t := &Text{
		Charset: name, Body: s[sectionBody], Description: s[sectionDescription], Keywords: s[sectionKeywords], Title: s[sectionTitle],
		Aside: p.reader.aside, Quiet: p.reader.quiet,
		Lang: p.lang, Base: p.base.of(string(p.kept)), NoIndex: p.noIndex, NoArchive: p.noArchive, NoSnippet: p.noSnippet,
	}
	if t.Lang == "" {
		t.Lang = p.metaLang
	}
	return t, nil
}

// decodeStored decodes a body by the charset that was detected when it was indexed.
func decodeStored(body []byte, contentType, charset string, k kind, cut bool) (text []byte, name string) {
	if enc, name := lookup(charset); name != "" {
		return decodeBy(enc, name, body), name
	}
	return decode(body, contentType, k, cut, "")
}

// A reader collects the text from which Parse cuts words.
type reader struct {
	text         [sections][]byte
	aside, quiet [][2]int
	visitor      Visitor // or nil
}

// add appends text of a section. The body comes in pieces that end between words; pieces of other sections
// are separated by a line end.
func (r *reader) add(text []byte, section int) {
	r.text[section] = append(r.text[section], text...)
	if section != sectionBody {
		r.text[section] = append(r.text[section], '\n')
	}
}

// visits reports whether there is a visitor.
func (p *parser) visits() bool { return p.reader != nil && p.reader.visitor != nil }

// readText passes body text of HTML to a reader.
func (p *parser) readText(text []byte) {
	n := len(p.pending)
	at := len(p.reader.text[sectionBody]) + n
	p.pending = append(p.pending, text...)
	for i, c := range p.pending[n:] {
		if c < ' ' && (isBlank(c) || c == Gap) {
			p.pending[n+i] = ' '
		}
	}
	if p.visits() {
		p.reader.visitor.Text(text, at)
	}
}

// readPlain reads a plain text. It keeps the line ends that end a paragraph.
func (p *parser) readPlain(text []byte) {
	p.pending = append(p.pending, text...)
	for rest := p.pending; len(rest) > 0; {
		line, next, ended := bytes.Cut(rest, []byte("\n"))
		below, _, _ := bytes.Cut(next, []byte("\n"))
		if ended && (isBlankLine(line) || !isBlankLine(below)) {
			rest[len(line)] = ' '
		}
		for i, c := range line {
			if c < ' ' && (isBlank(c) || c == Gap) {
				line[i] = ' '
			}
		}
		rest = next
	}
	if p.visits() {
		p.reader.visitor.Text(text, 0)
	}
}

func isBlankLine(line []byte) bool { return len(bytes.TrimLeft(line, " \t\r\f")) == 0 }

// visitStart and visitEnd pass a tag to the visitor. The content of a template is not part of the document.

func (p *parser) visitStart(z *tokenizer, separates bool) {
	if p.templates > 0 {
		return
	}
	z.readAttributes()
	tag := Tag{Name: nameOf(z.raw[len("<"):]), Separates: separates, attrs: z.all}
	p.reader.visitor.StartTag(&tag)
}

func (p *parser) visitEnd(z *tokenizer, separates bool) {
	if p.templates > 0 {
		return
	}
	tag := Tag{Name: nameOf(z.raw[len("</"):]), Separates: separates}
	p.reader.visitor.EndTag(&tag)
}

// nameOf returns the name at the beginning of a tag, in lower case.
func nameOf(tag []byte) []byte { return lowerName(tag[:nameLength(tag)]) }

// nameLength returns the length of the name at the beginning of a tag.
func nameLength(tag []byte) (n int) {
	for n < len(tag) && tag[n] != '>' && tag[n] != '/' && !isBlank(tag[n]) {
		n++
	}
	return n
}

// lowerName returns the name of a tag or an attribute in lower case. It copies a name with capitals only.
func lowerName(name []byte) []byte {
	for i, c := range name {
		if 'A' > c || c > 'Z' {
			continue
		}
		lower := bytes.Clone(name)
		for j := i; j < len(lower); j++ {
			if c := lower[j]; 'A' <= c && c <= 'Z' {
				lower[j] = c | 0x20
			}
		}
		return lower
	}
	return name
}
