package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// A Site is a pattern for host names: whole labels at consecutive places anywhere in the name, so example.org
// matches www.example.org and example.org.uk. It is in lower case and ASCII, like the names in sites and
// wordsite, without empty labels. A port stays with the last label (docs/reference/behavior.md, Site labels).
type Site string

// Labels returns the labels from left to right, at least one.
func (s Site) Labels() []string { return strings.Split(string(s), ".") }

// A SiteFilter accepts documents whose site matches any of the patterns or, with Not, none of them.
type SiteFilter struct {
	Not bool
	Any []Site
}

// String returns the filter as it is written in a query.
func (f SiteFilter) String() string {
	var b strings.Builder
	if f.Not {
		b.WriteString("-")
	}
	if len(f.Any) != 1 {
		b.WriteString("(")
	}
	for i, s := range f.Any {
		if i > 0 {
			b.WriteString(" OR ")
		}
		b.WriteString(sitePrefix)
		b.WriteString(string(s))
	}
	if len(f.Any) != 1 {
		b.WriteString(")")
	}
	return b.String()
}

// Files is the site of the files of FileRoot. It has no host. "site:file" finds it, too.
const Files Site = "file:///"

// filesExtent returns the end of the name of Files that begins at start, or start if another name is there.
func filesExtent(text string, start int) int {
	for _, name := range []string{string(Files), "file://"} {
		if end := start + len(name); end <= len(text) && strings.EqualFold(text[start:end], name) {
			return end
		}
	}
	return start
}

const (
	sitePrefix = "site:"
	LinkPrefix = "link:"
)

// siteExtent returns the end of the site name that begins at start: behind letters, digits, . and -. An
// underscore and a port belong to it, too, because hosts and sites have them.
func siteExtent(text string, start int) int {
	i := start
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case inHost(r):
			i += size
		case r == ':':
			end := i + 1
			for end < len(text) && '0' <= text[end] && text[end] <= '9' {
				end++
			}
			next, _ := utf8.DecodeRuneInString(text[end:])
			if end == i+1 || i == start || end < len(text) && inHost(next) && next != '.' && next != '-' {
				return i
			}
			return end
		default:
			return i
		}
	}
	return i
}

func inHost(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '.' || r == '-' || r == '_'
}

// HostProfile maps a label as browsers do.
var HostProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(true))

// newSite returns the Site of a name, or false if the name has no label.
func newSite(name string) (Site, bool) {
	var labels []string
	for label := range strings.SplitSeq(strings.ToLower(name), ".") {
		if !IsASCII(label) {
			// A label that is no host name is kept as it is; it matches nothing.
			if ascii, err := HostProfile.ToASCII(label); err == nil {
				label = ascii
			}
		}
		if label != "" {
			labels = append(labels, label)
		}
	}
	return Site(strings.Join(labels, ".")), len(labels) > 0
}

func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
