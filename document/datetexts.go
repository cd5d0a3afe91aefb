package document

import (
	"bytes"
	"strings"
)

// dateTexts are the texts of elements in which dates are looked for.
type dateTexts struct {
	titles, times []string
	metas         []dateMeta
}

type dateMeta struct{ name, content string }

// maxDateTexts bounds the number of elements of each kind that are kept.
const maxDateTexts = 1000

// readDateTexts reads the title, META and time elements of a document. Content that cannot be read has none.
func readDateTexts(p *DatedPage) *dateTexts {
	d := &dateTexts{}
	p.tokens(func(z *tokenizer, kind tokenKind) {
		switch {
		case kind == startTag:
			d.element(z)
		case kind == textToken && z.textOf == tagTitle && len(d.titles) < maxDateTexts:
			if title := strings.TrimSpace(string(z.text())); title != "" {
				d.titles = append(d.titles, title)
			}
		}
	})
	return d
}

// tokens calls f with the tags and texts of an HTML document outside of templates.
func (p *DatedPage) tokens(f func(z *tokenizer, kind tokenKind)) {
	k := kindOf(p.ContentType)
	if k != htmlText && k != xhtmlText {
		return
	}
	cut := len(p.Body) >= p.Rules.IndexLimit
	text, _ := decodeStored(p.Body[:min(len(p.Body), p.Rules.IndexLimit)], p.ContentType, p.Charset, k, cut)
	z := newTokenizer(text, k == xhtmlText)
	z.keepAll = true
	for templates := 0; ; {
		kind := z.next()
		switch {
		case kind == endOfText:
			return
		case kind == startTag && z.tag == tagTemplate && !(z.xml && z.closed):
			templates++
		case kind == endTag && z.tag == tagTemplate:
			templates = max(0, templates-1)
		case templates == 0:
			f(z, kind)
		}
	}
}

// elementText bounds the text of an element in which a date is looked for, in bytes.
const elementText = 4096

// elements returns the texts of the elements that a selector names, indexed or not.
func (p *DatedPage) elements(text string) (list []string) {
	s, err := parseSelector(text)
	if err != nil {
		return nil
	}
	var (
		of   []byte // the name of the element that is read; nil for none
		open int    // elements of that name that are open in it, itself included
		out  []byte
	)
	end := func() {
		if of = nil; len(list) < maxDateTexts {
			list = append(list, string(out))
		}
		out = out[:0]
	}
	p.tokens(func(z *tokenizer, kind tokenKind) {
		switch kind {
		case textToken:
			if of != nil && z.textOf == tagOther {
				out = append(out, z.text()...)
			}
		case startTag:
			name := nameOf(z.raw[len("<"):])
			switch closed := z.closed && (z.xml || z.foreign); {
			case of == nil && !closed && s.names(z, name):
				of, open = bytes.Clone(name), 1
			case of != nil && !closed && bytes.Equal(name, of):
				open++
			}
		case endTag:
			if of != nil && bytes.Equal(nameOf(z.raw[len("</"):]), of) {
				open--
			}
		}
		if of != nil && kind != textToken && tagFlags[z.tag]&inline == 0 {
			out = append(out, ' ')
		}
		if of != nil && (open == 0 || len(out) >= elementText) {
			end()
		}
	})
	if of != nil {
		end()
	}
	return list
}

// names reports whether a selector names the element of a start tag.
func (s *selector) names(z *tokenizer, name []byte) bool {
	if s.tag != "" && string(name) != s.tag {
		return false
	}
	if s.attr == "" {
		return true
	}
	z.readAttributes()
	for _, a := range z.all {
		if string(a.name) == s.attr {
			return s.fits(a.name, a.value)
		}
	}
	return false
}

// element notes META elements, by name, property, itemprop or http-equiv, and time elements.
func (d *dateTexts) element(z *tokenizer) {
	isTime := z.nameLen == len("time") && bytes.EqualFold(nameOf(z.raw[len("<"):]), []byte("time"))
	if z.tag != tagMeta && !isTime {
		return
	}
	z.readAttributes()
	tag := Tag{attrs: z.all}
	if isTime {
		if at, ok := tag.Attr("datetime"); ok && len(d.times) < maxDateTexts {
			d.times = append(d.times, at)
		}
		return
	}
	content, ok := tag.Attr("content")
	for _, attr := range []string{"name", "property", "itemprop", "http-equiv"} {
		if name, named := tag.Attr(attr); ok && named && len(d.metas) < maxDateTexts {
			d.metas = append(d.metas, dateMeta{strings.TrimSpace(name), content})
		}
	}
}

// text returns the indexed text of the document, empty for one that cannot be read.
func (p *DatedPage) text() string {
	if p.body == nil {
		body := ""
		if t, err := ReadText(p.Body, p.ContentType, p.Charset, p.Rules.Patient()); err == nil {
			body = string(t.Body)
		}
		p.body = &body
	}
	return *p.body
}
