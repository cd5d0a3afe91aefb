package config

import (
	neturl "net/url"
	"regexp"
	"strings"
)

// Extent is what a Server line puts in scope.
type Extent int

// The words before the URL of a Server line, which mnoGoSearch has, too.
const (
	ExtentDefault Extent = iota // none: the site
	ExtentSite                  // site: scheme, host and port
	ExtentPath                  // path: the directory of the URL
)

// plainWord matches what is no part of a URL or password.
var plainWord = regexp.MustCompile(`^[A-Za-z]{1,20}$`)

// extentOf takes the word before the URL off a Server line.
func extentOf(d directive) (Extent, directive, error) {
	if len(d.args) != 2 {
		return ExtentDefault, d, nil
	}
	word := d.args[0]
	switch strings.ToLower(word) {
	case "site":
		d.args = d.args[1:]
		return ExtentSite, d, nil
	case "path":
		d.args = d.args[1:]
		return ExtentPath, d, nil
	case "page":
		return 0, d, reasonf("Server page is %s; write above the line: MaxHops 0", notYet)
	case "world":
		return 0, d, reasonf("Server world is %s; write: FollowOutside yes", notYet)
	case "subsection":
		return 0, d, reasonf("Server %s is %s; write: Server path", word, notYet)
	}
	if plainWord.MatchString(word) && strings.Contains(d.args[1], "://") {
		return 0, d, reasonf("%s is neither site nor path; write: Server site URL, or Server path URL", quote(word))
	}
	return ExtentDefault, d, nil // one complains, and repeats nothing: a blank may be in a password
}

// checkExtent refuses Server path with a URL whose directory is the root although it names something: the last slash is missing.
func (s *Server) checkExtent() error {
	if s.Extent != ExtentPath || s.Dir() != "/" {
		return nil
	}
	u, err := neturl.Parse(s.URL)
	if err != nil { // the spider refuses it
		return nil
	}
	if name := strings.TrimPrefix(u.EscapedPath(), "/"); name != "" {
		return reasonf("the directory of this URL is the whole site; write: Server path %s://%s/%s/", u.Scheme, u.Host, name)
	}
	return nil
}

// Dir returns the directory of the start URL on its site, "/" for the whole site.
func (s *Server) Dir() string {
	_, rest, _ := strings.Cut(s.URL, "://")
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	begin, end := strings.IndexByte(rest, '/'), strings.LastIndexByte(rest, '/')
	if begin < 0 {
		return "/"
	}
	return rest[begin : end+1]
}

// minDelay reads MinDelay, which is a pause and the word that the default pause does not hold.
func (r *setsReader) minDelay(d directive) error {
	text, err := one(d)
	if err != nil {
		return err
	}
	pause, err := span(0, maxMinDelay)(text)
	if err != nil {
		return err
	}
	r.next.MinDelay, r.next.SaysMinDelay = pause, true
	return nil
}
