package sitemap

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// Bounds of what the XML decoder holds in memory. No sitemap comes near them.
const (
	maxToken = 1 << 20 // bytes of a tag, a text or a comment
	maxDepth = 100
)

// forms are the XML sitemaps by the name of their root: the path of an entry below it, and the elements of an entry that hold
// its URL and its date.
var forms = map[string]struct {
	kind  Kind
	path  []string
	dates []string
}{
	"sitemapindex": {Index, []string{"sitemap"}, []string{"lastmod"}},
	"urlset":       {URLs, []string{"url"}, []string{"lastmod"}},
	"rss":          {Feed, []string{"channel", "item"}, []string{"pubDate"}},
	"RDF":          {Feed, []string{"item"}, []string{"date"}},
	"feed":         {Feed, []string{"entry"}, []string{"updated", "modified"}},
}

// xmlReading is the reading of an XML sitemap.
type xmlReading struct {
	*reading
	decoder *xml.Decoder
	bound   *tokenBound
	open    []xml.Name // the elements that are open
	path    []string   // of an entry below the root
	dates   []string   // names of the element with its date
	entry   Entry
	text    *string // where the text of the open element goes, nil for nowhere
	date    string
}

func (t *reading) readXML() error {
	x := &xmlReading{reading: t, bound: &tokenBound{in: t.in}}
	x.decoder = xml.NewDecoder(x.bound)
	x.decoder.Entity = xml.HTMLEntity
	x.decoder.CharsetReader = charset.NewReaderLabel
	for {
		x.bound.used = 0
		token, err := x.decoder.Token()
		if err == nil {
			err = x.token(token)
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && t.Kind != "":
			return nil
		case errors.Is(err, errEnough), errors.As(err, new(*callerError)):
			return unwrapped(err)
		default:
			line, _ := x.decoder.InputPos()
			return &Error{line, reason(err)}
		}
	}
}

// callerError is an error of the function that gets the entries.
type callerError struct{ err error }

func (e *callerError) Error() string { return e.err.Error() }

// unwrapped returns the error of the caller as it was.
func unwrapped(err error) error {
	if c := (*callerError)(nil); errors.As(err, &c) {
		return c.err
	}
	return err
}

// reason returns what is wrong with the XML, without the line.
func reason(err error) string {
	if s := (*xml.SyntaxError)(nil); errors.As(err, &s) {
		return "XML: " + s.Msg
	}
	if errors.Is(err, io.EOF) {
		return "XML: no element"
	}
	return err.Error()
}

func (x *xmlReading) token(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		if len(x.open) == maxDepth {
			return fmt.Errorf("more than %d elements in one another", maxDepth)
		}
		x.open = append(x.open, token.Name)
		if len(x.open) == 1 {
			return x.root(token)
		}
		x.start(token)
	case xml.CharData:
		if x.text != nil && len(*x.text) < maxLine {
			*x.text += string(token)
		}
	case xml.EndElement:
		x.text = nil
		if x.atEntry(len(x.open)) {
			if err := x.end(); err != nil {
				return err
			}
		}
		x.open = x.open[:len(x.open)-1]
	}
	return nil
}

// root recognizes the sitemap by its root element.
func (x *xmlReading) root(token xml.StartElement) error {
	form, ok := forms[token.Name.Local]
	switch {
	case strings.EqualFold(token.Name.Local, "html"):
		return errors.New("an HTML page, no sitemap")
	case !ok:
		return fmt.Errorf("the element <%.40s> is no sitemap: want <urlset> or <sitemapindex>", token.Name.Local)
	case x.Kind != "":
		return errors.New("a second root element")
	}
	x.Kind, x.path, x.dates = form.kind, form.path, form.dates
	return nil
}

// atEntry reports whether the innermost depth elements are the path of an entry.
func (x *xmlReading) atEntry(depth int) bool {
	if depth != len(x.path)+1 {
		return false
	}
	for i, name := range x.path {
		if x.open[i+1].Local != name || !x.ours(x.open[i+1]) {
			return false
		}
	}
	return true
}

// ours reports whether a name is in the namespace of the sitemap, not in that of an extension. RSS 1.0 has its elements in
// another one than its root.
func (x *xmlReading) ours(name xml.Name) bool {
	return name.Space == x.open[0].Space || x.open[0].Local == "RDF"
}

// start looks at an element within an entry.
func (x *xmlReading) start(token xml.StartElement) {
	depth := len(x.open)
	if x.atEntry(depth) {
		x.entry, x.date = Entry{}, ""
		return
	}
	x.text = nil
	if !x.atEntry(depth-1) || depth != len(x.path)+2 || !x.ours(token.Name) {
		return
	}
	switch name := token.Name.Local; {
	case name == "link" && x.open[0].Local == "feed":
		if x.entry.URL == "" {
			x.entry.URL = atomLink(token)
		}
	case x.entry.URL == "" && (name == "loc" && x.Kind != Feed || name == "link" && x.Kind == Feed):
		x.text = &x.entry.URL
	case x.date == "" && (name == x.dates[0] || name == x.dates[len(x.dates)-1]):
		x.text = &x.date
	}
}

// atomLink returns the target of a link of an Atom entry, if it is the entry's page.
func atomLink(token xml.StartElement) (href string) {
	for _, a := range token.Attr {
		switch {
		case a.Name.Local == "rel" && a.Value != "alternate" && a.Value != "":
			return ""
		case a.Name.Local == "href":
			href = a.Value
		}
	}
	return strings.TrimSpace(href)
}

// end hands an entry out.
func (x *xmlReading) end() error {
	x.entry.URL = strings.TrimSpace(x.entry.URL)
	x.entry.LastMod = parseDate(strings.TrimSpace(x.date))
	if x.entry.URL == "" && x.Kind == Feed { // a feed may have entries without a page
		return nil
	}
	err := x.add(x.entry)
	if err != nil && !errors.Is(err, errEnough) {
		return &callerError{err}
	}
	return err
}

// tokenBound bounds the bytes that the decoder reads for one token.
type tokenBound struct {
	in   *bufio.Reader
	used int
}

var errLongToken = fmt.Errorf("a tag, a text or a comment of more than %d bytes", maxToken)

// Read implements io.Reader, for the decoder of a charset.
func (b *tokenBound) Read(p []byte) (int, error) {
	if b.used > maxToken {
		return 0, errLongToken
	}
	n, err := b.in.Read(p)
	b.used += n
	return n, err
}

// ReadByte implements io.ByteReader, so that the decoder reads no further than it has to.
func (b *tokenBound) ReadByte() (byte, error) {
	if b.used > maxToken {
		return 0, errLongToken
	}
	b.used++
	return b.in.ReadByte()
}
