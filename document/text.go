package document

import (
	"bytes"
)

// A Text is what a document says, as running text: what excerpts and cached copies are made of.
//
// Each section holds all the text that its words were cut from. The words that Scan finds in it, counted from 0, have
// the ordinals that they have in the index (those from 16,383 on share one there, D-12). So what was found by position is
// found in the text. In Body a line end stands where an element that separates words begins or ends, and all other white
// space of HTML is blanks, as many as were written; in plain text a line end is kept where a blank line is.
type Text struct {
	// Charset is the one used to decode the body, as Document.Charset.
	Charset string
	// The sections, valid UTF-8. They are the caller's.
	Body, Description, Keywords, Title []byte
	// Lang and Base are as the document itself says (<html lang> or META, and the href of its first <base>); may be empty.
	Lang, Base string
	// What META robots asks for. With NoIndex the index has none of the words.
	NoIndex, NoArchive, NoSnippet bool
}

// A Visitor is told by Walk what a document is made of, in its order. Byte slices are valid during the call only.
type Visitor interface {
	// StartTag is called for elements of any name; what does not belong to a document is for the visitor to know. Nothing
	// inside of script, style, template, iframe and noembed is told of.
	StartTag(tag *Tag)
	// EndTag is called for end tags, which need not fit the start tags.
	EndTag(tag *Tag)
	// Text is called for what stands in Text.Body from at on, byte for byte but for white space; at is -1 for text that is
	// shown and not indexed (<!--noindex-->). The title is not told of.
	Text(text []byte, at int)
}

// A Tag begins or ends an element.
type Tag struct {
	Name []byte // in lower case
	// Separates says that words do not go on across the tag.
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

// ReadText reads the running text of a stored body, by the rules by which Parse read its words. contentType and charset
// are what is stored beside it; an empty or unknown charset is found out as Parse does it.
//
// It returns ErrUnreadable or ErrTooSlow, and no other error. It is safe for concurrent use.
func ReadText(body []byte, contentType, charset string, r *Rules) (*Text, error) {
	return Walk(body, contentType, charset, r, nil)
}

// Walk is ReadText, and tells a visitor of all tags and texts on the way. Plain text is one text without tags.
func Walk(body []byte, contentType, charset string, r *Rules, v Visitor) (*Text, error) {
	k := kindOf(contentType)
	if k == unreadable {
		return nil, ErrUnreadable
	}
	reading := *r
	reading.linkTags = [tagCount]bool{} // links are not asked for
	p := newParser(&reading)
	defer p.release()
	p.reader = &reader{visitor: v}

	cut := len(body) >= r.IndexLimit
	body = body[:min(len(body), r.IndexLimit)]
	text, name := decodeStored(body, contentType, charset, k, cut)
	if k == plainText {
		p.readPlain(text)
		p.flush()
	} else {
		p.html(text, k == xhtmlText)
	}
	if p.late() {
		return nil, ErrTooSlow
	}
	s := &p.reader.text
	t := &Text{
		Charset: name, Body: s[sectionBody], Description: s[sectionDescription], Keywords: s[sectionKeywords], Title: s[sectionTitle],
		Lang: p.lang, Base: p.base.of(string(p.kept)), NoIndex: p.noIndex, NoArchive: p.noArchive, NoSnippet: p.noSnippet,
	}
	if t.Lang == "" {
		t.Lang = p.metaLang
	}
	return t, nil
}

// decodeStored decodes a body by the charset that was found when it was indexed.
func decodeStored(body []byte, contentType, charset string, k kind, cut bool) (text []byte, name string) {
	if enc, name := lookup(charset); name != "" {
		return decodeBy(enc, name, body), name
	}
	return decode(body, contentType, k, cut)
}

// A reader collects text where Parse notes words.
type reader struct {
	text    [sections][]byte
	visitor Visitor // or nil
}

// add takes text of a section. The body comes in pieces that end where words do; the others get a line end between them.
func (r *reader) add(text []byte, section int) {
	r.text[section] = append(r.text[section], text...)
	if section != sectionBody {
		r.text[section] = append(r.text[section], '\n')
	}
}

// visits reports whether there is somebody to tell of tags.
func (p *parser) visits() bool { return p.reader != nil && p.reader.visitor != nil }

// readText takes body text of HTML for a reader.
func (p *parser) readText(text []byte) {
	at := -1
	if !p.hidden {
		at = len(p.reader.text[sectionBody]) + len(p.pending)
		n := len(p.pending)
		p.pending = append(p.pending, text...)
		for i, c := range p.pending[n:] {
			if c < ' ' && isBlank(c) {
				p.pending[n+i] = ' '
			}
		}
	}
	if p.visits() {
		p.reader.visitor.Text(text, at)
	}
}

// readPlain takes a plain text. Of its line ends those stay that end a paragraph.
func (p *parser) readPlain(text []byte) {
	p.pending = append(p.pending, text...)
	for rest := p.pending; len(rest) > 0; {
		line, next, ended := bytes.Cut(rest, []byte("\n"))
		below, _, _ := bytes.Cut(next, []byte("\n"))
		if ended && (isBlankLine(line) || !isBlankLine(below)) {
			rest[len(line)] = ' '
		}
		for i, c := range line {
			if c < ' ' && isBlank(c) {
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

// visitStart and visitEnd tell of a tag. What a template holds is no part of the document.

func (p *parser) visitStart(z *tokenizer, separates bool) {
	if p.templates > 0 {
		return
	}
	z.readAttributes()
	tag := Tag{Name: nameOf(z.net.Raw()[len("<"):]), Separates: separates, attrs: z.all}
	p.reader.visitor.StartTag(&tag)
}

func (p *parser) visitEnd(z *tokenizer, separates bool) {
	if p.templates > 0 {
		return
	}
	tag := Tag{Name: nameOf(z.net.Raw()[len("</"):]), Separates: separates}
	p.reader.visitor.EndTag(&tag)
}

// nameOf returns the name that a tag begins with, in lower case.
func nameOf(tag []byte) []byte {
	n := 0
	for n < len(tag) && tag[n] != '>' && tag[n] != '/' && !isBlank(tag[n]) {
		n++
	}
	return bytes.ToLower(tag[:n])
}
