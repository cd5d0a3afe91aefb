package snippet

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
)

// ErrNoArchive says that a document asks for no copies: there is none to show (rules.md 8: 404).
var ErrNoArchive = errors.New("the document forbids a cached copy")

// CopyPolicy is the Content-Security-Policy that a cached copy must be sent with. It needs nothing: no script, no image, no
// address but those of its links, which a person follows; and it is in no frame. The copy holds nothing that the policy would
// have to stop, so no browser complains about it; should something slip through, it is stopped.
//
// The other headers of a copy are Content-Type: text/html; charset=utf-8, X-Content-Type-Options: nosniff, Referrer-Policy:
// no-referrer (reliability.md 5, 7) and X-Robots-Tag: noindex.
const CopyPolicy = "sandbox; default-src 'none'; style-src 'sha256-" + copyStyleHash + "'; base-uri http: https:; form-action 'none'; frame-ancestors 'none'"

// A CopySource is what a cached copy is made of: a stored body and what is stored beside it.
type CopySource struct {
	URL         string    // the document's
	Title       string    // may be empty
	Body        []byte    // unpacked
	ContentType string    // with parameters
	Charset     string    // as it was decoded; empty = to be found out
	AsOf        time.Time // when the document was like this; zero = not known
	Truncated   bool      // Body is only its beginning (urlstate.marks)
	NoArchive   bool      // it said so in its headers or META when it was fetched (urlstate.marks)
}

// MakeCopy makes the page that shows a stored document, in UTF-8: at its top what it is and of which address and day, with a
// link to the original; below it the document with the terms of the query marked, by <mark> of class t0 to t7 for the number
// of the term modulo 8. HTML keeps its text, structure and links, which lead where they did in the original. What acts,
// loads or paints is left out: scripts, styles, forms, frames, images (their descriptions stay). Everything else is shown
// as text.
//
// f may be nil: nothing is marked. The error is ErrNoArchive, also when only META in the body says so, or document.ErrTooSlow.
func MakeCopy(s CopySource, f *Finder, r *document.Rules) ([]byte, error) {
	if s.NoArchive {
		return nil, ErrNoArchive
	}
	contentType := s.ContentType
	if !document.Readable(contentType) {
		_, parameters, _ := strings.Cut(contentType, ";")
		contentType = "text/plain;" + parameters
	}
	media, _, _ := strings.Cut(contentType, ";")
	asText := strings.EqualFold(strings.TrimSpace(media), "text/plain")
	text, err := document.ReadText(s.Body, contentType, s.Charset, r)
	switch {
	case err != nil:
		return nil, err
	case text.NoArchive:
		return nil, ErrNoArchive
	}
	c := &copier{}
	if f != nil {
		c.marks = f.marks(text.Body, maxMarks)
	}
	base := copyBase(s.URL, text.Base)
	c.links = base != ""
	c.head(s, base)
	if f != nil {
		c.legend(f)
	}
	c.write("</header>\n<main")
	if lang := languageTag(text.Lang); lang != "" {
		c.write(` lang="`, lang, `"`)
	}
	c.write(">\n")
	if asText {
		c.write("<pre>\n")
	}
	if _, err := document.Walk(s.Body, contentType, text.Charset, r, c); err != nil {
		return nil, err
	}
	if asText {
		c.write("</pre>")
	}
	c.write("\n</main>\n</body>\n</html>\n")
	return c.out.Bytes(), nil
}

// maxMarks bounds what a common word makes of a long document; what comes later is not marked.
const maxMarks = 10_000

// colours is the number of classes of marks.
const colours = 8

// head writes everything above the document.
func (c *copier) head(s CopySource, base string) {
	title := s.Title
	if title == "" {
		title = s.URL
	}
	c.write("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	if base != "" {
		c.write(`<base href="`, html.EscapeString(base), "\">\n")
	}
	c.write("<title>", html.EscapeString(strings.Join(strings.Fields(strings.ToValidUTF8(title, "\uFFFD")), " ")), " (copy)</title>\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"robots\" content=\"noindex, nofollow, noarchive\">\n",
		"<style>", copyStyle, "</style>\n</head>\n<body>\n<header class=\"copy\">\n<p>This is the cached copy of ")
	address := html.EscapeString(strings.ToValidUTF8(s.URL, "\uFFFD"))
	if c.links {
		c.write(`<a href="`, address, `" rel="nofollow noreferrer"><bdi>`, address, "</bdi></a>")
	} else {
		c.write("<bdi>", address, "</bdi>")
	}
	if !s.AsOf.IsZero() {
		at := s.AsOf.UTC()
		c.write(` as of <time datetime="`, at.Format(time.RFC3339), `">`, at.Format("2 January 2006, 15:04 UTC"), "</time>")
	}
	c.write("; the page may have changed.")
	if s.Truncated {
		c.write(" Only its beginning was stored.")
	}
	c.write(" Images, styles and scripts are left out.</p>\n")
}

// legend says what is marked, in its colours.
func (c *copier) legend(f *Finder) {
	if len(f.names) == 0 {
		return
	}
	c.write("<p>Marked:")
	for i, name := range f.names {
		fmt.Fprintf(&c.out, ` <mark class="t%d">%s</mark>`, i%colours, html.EscapeString(name))
	}
	c.write("</p>\n")
}

// copyBase is the address that relative links begin at: the document's own base, or its URL; empty when it is not of the
// web, and then no link is kept.
func copyBase(address, base string) string {
	u, err := url.Parse(address)
	if err != nil || !ofWeb(u) {
		return ""
	}
	if base != "" {
		if ref, err := u.Parse(base); err == nil && ofWeb(ref) {
			return ref.String()
		}
	}
	return u.String()
}

func ofWeb(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

// languageTag returns a tag that is fit for an attribute, or an empty string.
func languageTag(tag string) string {
	if len(tag) > 35 || strings.ContainsFunc(tag, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) {
		return ""
	}
	return tag
}

// A copier writes a document without what acts, loads or paints: the elements that it knows, with the attributes that it knows,
// and text. It is a document.Visitor.
type copier struct {
	out   bytes.Buffer
	marks []mark // of the body, ascending; those that are behind us are taken off
	links bool
}

func (c *copier) write(texts ...string) {
	for _, t := range texts {
		c.out.WriteString(t)
	}
}

// StartTag writes a tag.
func (c *copier) StartTag(tag *document.Tag) {
	source := string(tag.Name)
	if source == "img" || source == "image" {
		if alt, ok := tag.Attr("alt"); ok && strings.TrimSpace(alt) != "" {
			c.write(`<span class="alt">[`)
			c.escape([]byte(alt))
			c.write("]</span>")
			return
		}
	}
	name, ok := copied[source]
	if !ok {
		c.apart(tag)
		return
	}
	c.write("<", name)
	c.attributes(source, tag)
	c.write(">")
}

// EndTag writes a tag.
func (c *copier) EndTag(tag *document.Tag) {
	name, ok := copied[string(tag.Name)]
	if !ok || voids[name] {
		c.apart(tag)
		return
	}
	c.write("</", name, ">")
}

// apart keeps words apart that a tag kept apart which is left out.
func (c *copier) apart(tag *document.Tag) {
	if tag.Separates && !bytes.HasSuffix(c.out.Bytes(), []byte("\n")) {
		c.write("\n")
	}
}

// attributes writes those that are worth keeping.
func (c *copier) attributes(element string, tag *document.Tag) {
	put := func(name, value string) { c.write(" ", name, `="`, html.EscapeString(value), `"`) }
	if value, ok := tag.Attr("lang"); ok && languageTag(value) != "" {
		put("lang", value)
	}
	if value, ok := tag.Attr("dir"); ok {
		if value = strings.ToLower(value); value == "ltr" || value == "rtl" || value == "auto" {
			put("dir", value)
		}
	}
	switch element {
	case "a":
		if href, ok := tag.Attr("href"); ok && c.links {
			if href, ok = copyLink(href); ok {
				put("href", href)
				put("rel", "nofollow noreferrer")
			}
		}
	case "abbr", "acronym":
		if value, ok := tag.Attr("title"); ok {
			put("title", value)
		}
	case "details":
		c.write(" open")
	case "td", "th":
		c.number(tag, put, "colspan", "rowspan")
	case "ol":
		c.number(tag, put, "start")
	case "li":
		c.number(tag, put, "value")
	}
}

// Plural writes attributes that are numbers of up to four digits.
func (c *copier) number(tag *document.Tag, put func(name, value string), names ...string) {
	for _, name := range names {
		value, ok := tag.Attr(name)
		if ok && value != "" && len(value) <= 4 && strings.Trim(value, "0123456789") == "" {
			put(name, value)
		}
	}
}

// copyLink returns a link as it may stand in a copy, and whether it may: relative, or of the web. Browsers pass over
// blanks and control characters where they look for the scheme, so these are taken out first.
func copyLink(href string) (string, bool) {
	href = strings.Map(func(r rune) rune {
		if r < ' ' || 0x7F <= r && r < 0xA0 {
			return -1
		}
		return r
	}, href)
	href = strings.TrimSpace(href)
	i := strings.IndexAny(href, ":/?#\\")
	if i < 0 || href[i] != ':' {
		return href, href != ""
	}
	scheme := strings.ToLower(href[:i])
	return href, scheme == "http" || scheme == "https"
}

// Text writes text, and marks in it what is to be marked. A word that goes on over tags is marked in pieces.
func (c *copier) Text(text []byte, at int) {
	if at < 0 { // not in the index
		c.escape(text)
		return
	}
	end := at + len(text)
	for len(c.marks) > 0 && c.marks[0].start < end {
		m := c.marks[0]
		if from := max(m.start, at); from < m.end {
			to := min(m.end, end)
			c.escape(text[len(text)-(end-at):][:from-at])
			fmt.Fprintf(&c.out, `<mark class="t%d">`, m.term%colours)
			c.escape(text[len(text)-(end-from):][:to-from])
			c.write("</mark>")
			at = to
		}
		if m.end > end {
			break // it goes on in the next text
		}
		c.marks = c.marks[1:]
	}
	c.escape(text[len(text)-(end-at):])
}

// escape writes text so that it is nothing else.
func (c *copier) escape(text []byte) {
	for {
		i := bytes.IndexAny(text, "&<>\x00\r")
		if i < 0 {
			c.out.Write(text)
			return
		}
		c.out.Write(text[:i])
		switch text[i] {
		case '&':
			c.write("&amp;")
		case '<':
			c.write("&lt;")
		case '>':
			c.write("&gt;")
		case '\r':
			c.write(" ")
		default:
			c.write("\uFFFD")
		}
		text = text[i+1:]
	}
}
