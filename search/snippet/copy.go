package snippet

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
)

// ErrNoArchive is the error for a document that forbids cached copies. searchd answers it with 404.
var ErrNoArchive = errors.New("the document forbids a cached copy")

// CopyPolicy returns the Content-Security-Policy of cached copies with a style and, in their heads, images of a source; empty = of
// none. A copy needs no scripts and no addresses but those of its links, which a person follows, and must not be in a frame. It
// contains nothing that the policy has to stop, so no browser reports violations; the policy is a second line of defense.
//
// The other headers of a copy are Content-Type: text/html; charset=utf-8, X-Content-Type-Options: nosniff,
// Referrer-Policy: no-referrer and X-Robots-Tag: noindex.
func CopyPolicy(style, images string) string {
	sum := sha256.Sum256([]byte(copyStyle + style))
	policy := "sandbox; default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri http: https:; form-action 'none'; frame-ancestors 'none'"
	if images != "" {
		policy += "; img-src " + images
	}
	return policy
}

// A CopySource is a stored body with the stored values that a cached copy needs.
type CopySource struct {
	URL         string    // of the document
	Title       string    // may be empty
	Body        []byte    // unpacked
	ContentType string    // with parameters
	Charset     string    // of the body; empty = to be detected
	AsOf        time.Time // when the document was fetched; zero = unknown
	Truncated   bool      // Body is only its beginning (urlstate.marks)
	NoArchive   bool      // its headers or META had noarchive when it was fetched (urlstate.marks)

	// Prose is set for text that a converter made of pages, such as those of PDF: lines are in the type of other text, and a form
	// feed is the end of a page.
	Prose bool

	Style string // CSS rules behind those of the copy: the colors of a site

	// Head writes the texts above the document in the language of the reader; nil = in English.
	Head CopyHead
}

// A CopyHead returns the texts above a document: the language, the title of the window, HTML about the copy, and
// the word before the marked terms. address is HTML, a link where possible.
type CopyHead func(s *CopySource, title, address string) (lang, window, about, marked string)

// englishHead is the CopyHead of no language.
func englishHead(s *CopySource, title, address string) (lang, window, about, marked string) {
	about = "<p>This is the cached copy of " + address
	if !s.AsOf.IsZero() {
		at := s.AsOf.UTC()
		about += ` as of <time datetime="` + at.Format(time.RFC3339) + `">` + at.Format("2 January 2006, 15:04 UTC") + "</time>"
	}
	about += "; the page may have changed."
	if s.Truncated {
		about += " Only its beginning was stored."
	}
	return "en", title + " (copy)", about + " Images, styles and scripts are left out.</p>", "Marked:"
}

// MakeCopy returns the page that shows a stored document, in UTF-8. The head of the page has the address and
// the date, with a link to the original. Below it is the document with the terms of the query marked, by
// <mark> of class t0 to t7 for the number of the term modulo 8. HTML keeps its text, structure and links,
// which are resolved as in the original. Everything that acts, loads or paints is left out: scripts, styles,
// forms, frames, images (their descriptions stay). All other types are shown as text.
//
// f may be nil, then nothing is marked. The error is ErrNoArchive, also if only META in the body has
// noarchive, or document.ErrTooSlow.
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
	if s.Head == nil {
		s.Head = englishHead
	}
	c := &copier{}
	if f != nil {
		c.marks = f.marks(text.Body, maxMarks)
	}
	base := copyBase(s.URL, text.Base)
	c.links = base != ""
	marked := c.head(&s, base)
	if f != nil {
		c.legend(f, marked)
	}
	c.write("</header>\n<main")
	if lang := languageTag(text.Lang); lang != "" {
		c.write(` lang="`, lang, `"`)
	}
	c.write(">\n")
	if c.page = s.Prose && asText; c.page {
		c.write(beginPage)
	} else if asText {
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

// maxMarks is the maximum number of marks in a copy. Later occurrences of a common word are not marked.
const maxMarks = 10_000

// colors is the number of classes of marks.
const colors = 8

// head writes everything above the document and returns the word before the marked terms.
func (c *copier) head(s *CopySource, base string) (marked string) {
	title := s.Title
	if title == "" {
		title = s.URL
	}
	title = strings.Join(strings.Fields(strings.ToValidUTF8(title, "\uFFFD")), " ")
	address := html.EscapeString(strings.ToValidUTF8(s.URL, "\uFFFD"))
	if c.links {
		address = `<a href="` + address + `" rel="nofollow noreferrer"><bdi>` + address + "</bdi></a>"
	} else {
		address = "<bdi>" + address + "</bdi>"
	}
	lang, window, about, marked := s.Head(s, title, address)
	c.write("<!DOCTYPE html>\n<html lang=\"", html.EscapeString(lang), "\">\n<head>\n<meta charset=\"utf-8\">\n")
	if base != "" {
		c.write(`<base href="`, html.EscapeString(base), "\">\n")
	}
	c.write("<title>", html.EscapeString(window), "</title>\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"robots\" content=\"noindex, nofollow, noarchive\">\n",
		"<style>", copyStyle, s.Style, "</style>\n</head>\n<body>\n<header class=\"copy\">\n", about, "\n")
	return marked
}

// legend writes the marked terms in their colors.
func (c *copier) legend(f *Finder, marked string) {
	if len(f.names) == 0 {
		return
	}
	c.write("<p>", html.EscapeString(marked))
	for i, name := range f.names {
		fmt.Fprintf(&c.out, ` <mark class="t%d">%s</mark>`, i%colors, html.EscapeString(name))
	}
	c.write("</p>\n")
}

// copyBase returns the base of relative links: the document's own base, or its URL. It returns an empty
// string if that is not http or https, and then no link is kept.
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

// languageTag returns a tag that is safe in an attribute, or an empty string.
func languageTag(tag string) string {
	if len(tag) > 35 || strings.ContainsFunc(tag, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) {
		return ""
	}
	return tag
}

// A copier is a document.Visitor that writes a document without anything that acts, loads or paints: known
// elements with known attributes, and text.
type copier struct {
	out   bytes.Buffer
	marks []mark // of the rest of the body, ascending
	links bool
	page  bool // a form feed ends a page
}

// beginPage is the beginning of a page of text.
const beginPage = "<pre class=\"prose\">\n"

func (c *copier) write(texts ...string) {
	for _, t := range texts {
		c.out.WriteString(t)
	}
}

// StartTag writes a start tag.
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

// EndTag writes an end tag.
func (c *copier) EndTag(tag *document.Tag) {
	name, ok := copied[string(tag.Name)]
	if !ok || voids[name] {
		c.apart(tag)
		return
	}
	c.write("</", name, ">")
}

// apart writes a blank if a tag that is left out separates words.
func (c *copier) apart(tag *document.Tag) {
	if tag.Separates && !bytes.HasSuffix(c.out.Bytes(), []byte("\n")) {
		c.write("\n")
	}
}

// attributes writes the known attributes.
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

// number writes attributes that are numbers of up to four digits.
func (c *copier) number(tag *document.Tag, put func(name, value string), names ...string) {
	for _, name := range names {
		value, ok := tag.Attr(name)
		if ok && value != "" && len(value) <= 4 && strings.Trim(value, "0123456789") == "" {
			put(name, value)
		}
	}
}

// copyLink returns a link as it is written in a copy, and whether it is allowed: relative, or http or https.
// Browsers ignore blanks and control characters before the scheme, so these are removed first.
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

// Text writes text and marks terms in it. A word that is interrupted by tags is marked in pieces.
func (c *copier) Text(text []byte, at int) {
	if at < 0 { // not in the index
		c.between(text)
		return
	}
	end := at + len(text)
	for len(c.marks) > 0 && c.marks[0].start < end {
		m := c.marks[0]
		if from := max(m.start, at); from < m.end {
			to := min(m.end, end)
			c.between(text[len(text)-(end-at):][:from-at])
			fmt.Fprintf(&c.out, `<mark class="t%d">`, m.term%colors)
			c.escape(text[len(text)-(end-from):][:to-from])
			c.write("</mark>")
			at = to
		}
		if m.end > end {
			break // continues in the next text
		}
		c.marks = c.marks[1:]
	}
	c.between(text[len(text)-(end-at):])
}

// between writes text outside of marks.
func (c *copier) between(text []byte) {
	for c.page {
		before, after, ok := bytes.Cut(text, []byte("\f"))
		if !ok {
			break
		}
		c.escape(before)
		if text = after; len(bytes.TrimSpace(after)) > 0 || len(c.marks) > 0 { // behind the last page is none
			c.write("</pre>\n<hr>\n", beginPage)
		}
	}
	c.escape(text)
}

// escape writes text with all special characters escaped.
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
