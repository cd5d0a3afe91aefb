package document

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
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
	k := kindOf(p.ContentType)
	if k != htmlText && k != xhtmlText {
		return d
	}
	cut := len(p.Body) >= p.Rules.IndexLimit
	text, _ := decodeStored(p.Body[:min(len(p.Body), p.Rules.IndexLimit)], p.ContentType, p.Charset, k, cut)
	z := newTokenizer(text, k == xhtmlText)
	z.keepAll = true
	for templates := 0; ; {
		switch z.next() {
		case html.ErrorToken:
			return d
		case html.TextToken:
			if z.textOf == tagTitle && templates == 0 && len(d.titles) < maxDateTexts {
				if title := strings.TrimSpace(string(z.text())); title != "" {
					d.titles = append(d.titles, title)
				}
			}
		case html.StartTagToken:
			switch {
			case z.tag == tagTemplate && !(z.xml && z.closed):
				templates++
			case templates == 0:
				d.element(z)
			}
		case html.EndTagToken:
			if z.tag == tagTemplate {
				templates = max(0, templates-1)
			}
		}
	}
}

// element notes META elements, by name, property, itemprop or http-equiv, and time elements.
func (d *dateTexts) element(z *tokenizer) {
	isTime := z.nameLen == len("time") && bytes.EqualFold(nameOf(z.net.Raw()[len("<"):]), []byte("time"))
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
