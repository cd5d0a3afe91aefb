package reader

import (
	"encoding/xml"
	"strings"
	"time"
)

// entry is an entry of a feed, or the feed itself.
type entry struct {
	title, link, date, author string
	texts                     []string // HTML
}

// entryText bounds each text of an entry, in bytes.
const entryText = 1 << 20

// feed writes a feed of RSS 0.9 to 2.0 or of Atom: its entries with their links.
func (x *xmlText) feed(root xml.StartElement) {
	x.declared(root)
	var channel entry
	x.members(&channel, true)
	x.title, x.author, x.modified = channel.title, channel.author, isoDate(channel.date)
	x.description = blanks(plain(strings.Join(channel.texts, " ")))
}

// members reads the children of a feed or of an entry; the entries of a feed are written at once.
func (x *xmlText) members(e *entry, isFeed bool) {
	for until := x.depth; !x.full; {
		switch token := x.next().(type) {
		case nil:
			return
		case xml.EndElement:
			if x.depth < until {
				return
			}
		case xml.StartElement:
			name := token.Name
			switch name.Local {
			case "channel":
				if !isFeed {
					x.content(0)
				}
				// Its children are read as those of the feed.
			case "item", "entry":
				var one entry
				x.members(&one, false)
				x.entry(&one)
			case "image", "textinput", "textInput", "cloud", "source", "skipHours", "skipDays":
				x.content(0)
			case "language":
				if s := x.content(100); isFeed && x.lang == "" {
					x.lang = strings.TrimSpace(s)
				}
			case "title":
				if s := x.construct(token); e.title == "" && name.Space != "http://search.yahoo.com/mrss/" {
					e.title = blanks(plain(s))
				}
			case "link":
				x.feedLink(e, token)
			case "guid":
				s := strings.TrimSpace(x.content(headText))
				if permanent := attributeOf(token, "isPermaLink") != "false"; e.link == "" && permanent && isAbsolute(s) {
					e.link = s
				}
			case "description", "encoded", "summary", "content", "subtitle", "tagline":
				if s := x.construct(token); strings.TrimSpace(s) != "" && name.Space != "http://search.yahoo.com/mrss/" {
					e.texts = append(e.texts, s)
				}
			case "pubDate", "lastBuildDate", "date", "updated", "modified", "published", "issued":
				if s := strings.TrimSpace(x.content(100)); e.date == "" {
					e.date = s
				}
			case "author", "creator", "managingEditor":
				if s := blanks(x.personOf()); e.author == "" {
					e.author = s
				}
			default:
				x.content(0)
			}
		}
	}
}

// personOf returns the name of an author: the element name of Atom, else the text.
func (x *xmlText) personOf() string {
	name, all := "", ""
	for until := x.depth; ; {
		switch token := x.next().(type) {
		case nil:
			return name + all
		case xml.StartElement:
			if s := x.content(headText); token.Name.Local == "name" {
				name = s
			}
		case xml.CharData:
			if len(all) < headText {
				all += string(token)
			}
		case xml.EndElement:
			if x.depth < until {
				if name != "" {
					return name
				}
				return all
			}
		}
	}
}

// feedLink reads a link, which RSS has as text and Atom as an attribute. Atom's links to other things than the entry are left out.
func (x *xmlText) feedLink(e *entry, token xml.StartElement) {
	s := strings.TrimSpace(x.content(4096))
	if href := attributeOf(token, "href"); href != "" {
		if rel := attributeOf(token, "rel"); rel != "" && rel != "alternate" {
			return
		}
		s = href
	}
	if e.link == "" || token.Name.Space == "" {
		e.link = s
	}
}

// construct returns the HTML of an element that holds text, escaped HTML, or XHTML.
func (x *xmlText) construct(token xml.StartElement) string {
	if attributeOf(token, "type") == "xhtml" {
		return x.markup()
	}
	s := x.content(entryText)
	if kind := attributeOf(token, "type"); kind == "text" || kind == "" && token.Name.Space == atomSpace {
		return escape(s)
	}
	return s
}

// markup returns the XHTML inside of an element as HTML.
func (x *xmlText) markup() string {
	var b strings.Builder
	for until := x.depth; ; {
		switch token := x.next().(type) {
		case nil:
			return b.String()
		case xml.CharData:
			if b.Len() < entryText {
				b.WriteString(escape(string(token)))
			}
		case xml.StartElement:
			if b.Len() < entryText {
				b.WriteString("<" + token.Name.Local)
				if href := attributeOf(token, "href"); href != "" {
					b.WriteString(` href="` + escape(href) + `"`)
				}
				b.WriteString(">")
			}
		case xml.EndElement:
			if x.depth < until {
				return b.String()
			}
			if b.Len() < entryText {
				b.WriteString("</" + token.Name.Local + ">")
			}
		}
	}
}

// entry writes an entry. Of several texts the longest one is written: the others are its summary.
func (x *xmlText) entry(e *entry) {
	x.block("h2")
	linked := x.link(e.link)
	if e.title != "" {
		x.textString(e.title)
	} else if linked {
		x.textString(e.link)
	}
	if linked {
		x.endLink()
	}
	x.endBlock()
	x.paragraph("p", strings.TrimSpace(e.date+" "+e.author))
	longest := ""
	for _, s := range e.texts {
		if len(s) > len(longest) {
			longest = s
		}
	}
	if longest != "" {
		_ = x.fragment(strings.NewReader(longest), func(string) bool { return true }) // reading a string has no errors
	}
}

// plain returns the text of HTML.
func plain(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	p := &page{limit: entryText}
	_ = p.fragment(strings.NewReader(s), func(string) bool { return false })
	m := newMarkup(strings.NewReader(string(p.body)))
	var b strings.Builder
	for m.next() {
		if m.kind == textToken {
			b.Write(m.text())
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func attributeOf(token xml.StartElement, name string) string {
	for _, a := range token.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// isoDate returns a date of RSS in the form of ISO 8601; one of another form as it is.
func isoDate(s string) string {
	for _, layout := range []string{time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.Format(time.RFC3339)
		}
	}
	return s
}
