package foreign

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
)

// serverWord are the words that may stand before the URL of a Server or Realm line of mnoGoSearch.
var serverWord = map[string]bool{
	"allow": true, "disallow": true, "checkonly": true, "hrefonly": true, "checkmp3": true, "checkmp3only": true, "skip": true,
	"path": true, "site": true, "page": true, "world": true, "subsection": true,
}

// place is the part of the web that a start URL is in.
type place struct {
	scheme, site, dir, path string // "http", "http://host", "/docs/", "/docs/x.html"
	host                    string // in lower case, without port
}

// placeOf splits a URL; ok is false for one that cannot be a start URL here.
func placeOf(raw string) (p place, ok bool) {
	u, err := url.Parse(raw)
	if err != nil || strings.ContainsAny(raw, " \t") {
		return p, false
	}
	p.scheme, p.host = strings.ToLower(u.Scheme), strings.ToLower(u.Hostname())
	switch p.scheme {
	case "http", "https":
		ok = p.host != ""
	case "file":
		ok = p.host == "" && strings.HasPrefix(u.Path, "/")
	}
	p.path = u.EscapedPath()
	if p.path == "" {
		p.path = "/"
	}
	p.site = p.scheme + "://" + u.Host
	p.dir = p.path[:strings.LastIndexByte(p.path, '/')+1]
	return p, ok
}

const noScheme = "only http, https and file URLs, without blanks, can be start URLs"

// lookAhead notes what lines further down decide: the scopes of all servers, and the order of ASPseek's filters.
func (im *importer) lookAhead() {
	if im.in == aspseek {
		im.split = splitFilters(im.lines)
		return
	}
	for _, l := range im.lines {
		if l.broken != "" || !strings.EqualFold(l.keyword, "Server") {
			continue
		}
		s := readServer(words(l.rest))
		p, ok := placeOf(s.url)
		switch {
		case !ok || s.extent == "page" || s.method == "disallow" || s.method == "skip":
		case s.extent == "site":
			im.scopes = append(im.scopes, p.site+"/")
		default:
			im.scopes = append(im.scopes, p.site+p.dir)
		}
	}
}

// covered reports whether a Server line has the directory of a place in scope.
func (im *importer) covered(p place) bool {
	for _, scope := range im.scopes {
		if strings.HasPrefix(p.site+p.dir, scope) {
			return true
		}
	}
	return false
}

// server has the values of a Server or Realm line of mnoGoSearch.
type server struct{ method, extent, url, alias string }

func readServer(args []string) (s server) {
	s.method, s.extent = "allow", "path"
	for len(args) > 1 && serverWord[strings.ToLower(args[0])] {
		switch w := strings.ToLower(args[0]); w {
		case "path", "site", "page", "world":
			s.extent = w
		case "subsection":
		default:
			s.method = w
		}
		args = args[1:]
	}
	if len(args) > 0 {
		s.url = args[0]
	}
	if len(args) > 1 {
		s.alias = args[1]
	}
	return s
}

// serverASPseek writes a Server line: the whole site is in scope, whatever the URL.
func serverASPseek(im *importer, e *entry, _ *rule) {
	p, ok := placeOf(e.rest)
	switch {
	case !ok:
		im.noServer(e)
		return
	case p.path != "/" && p.scheme != "file":
		im.server(e, p, "site", e.rest)
		if e.outcome != LeftOut {
			e.why = "the whole site is in scope there, even if the URL names a directory; Server path limits it to the directory"
		}
		return
	}
	im.server(e, p, "", e.rest)
}

// noServer leaves a Server line out, with the password that belongs to it.
func (im *importer) noServer(e *entry) {
	e.leave(noScheme)
	if im.auth != nil {
		im.auth.leave("the Server line below it is left out")
		im.auth = nil
	}
}

// server writes the Server line, the password before it, and what spider.cnf needs for it.
func (im *importer) server(e *entry, p place, extent, raw string) {
	if im.auth != nil {
		e.write("AuthBasic", strings.Join(im.fields(im.auth), " "))
		e.secret, e.login, im.auth = true, im.auth, nil
	}
	if strings.Contains(raw, "@") {
		e.secret = e.secret || withoutSecrets(raw) != raw
	}
	if extent == "" {
		e.write("Server", raw)
	} else {
		e.write("Server", extent, raw)
	}
	if e.outcome != LeftOut {
		im.allow(e, p)
	}
}

// allow writes the lines of spider.cnf without which a start URL of one's own network or of files is refused.
func (im *importer) allow(e *entry, p place) {
	keyword, value := "", p.host
	addr, err := netip.ParseAddr(p.host)
	switch {
	case p.scheme == "file":
		dir, err := url.PathUnescape(p.dir)
		if err != nil {
			return
		}
		keyword, value = "FileRoot", path.Clean(dir)
	case err == nil && (addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast()):
		keyword = "AllowNetwork"
	case err != nil && ownName(p.host):
		keyword = "AllowHost"
	}
	if keyword == "" || im.allowed[keyword+value] {
		return
	}
	im.allowed[keyword+value] = true
	e.writeSpider(keyword, value)
	if e.why == "" && e.outcome != LeftOut {
		e.outcome, e.why = Changed, "hosts of one's own network are named in spider.cnf"
		if p.scheme == "file" {
			e.why = "directories of files are named in spider.cnf"
		}
	}
}

// ownName reports whether a host name is one of a network of one's own.
func ownName(host string) bool {
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range []string{".local", ".lan", ".internal", ".intranet", ".home.arpa", ".localdomain", ".localhost", ".corp"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// authBasic keeps the password for the next Server line, so that it never goes to another one.
func authBasic(im *importer, e *entry, _ *rule) {
	if len(im.fields(e)) == 0 {
		e.leave("it has no value")
		return
	}
	if im.auth != nil {
		im.auth.leave("another AuthBasic line follows")
	}
	im.auth = e
}

// serverMnogo writes a Server line with its method and extent.
func serverMnogo(im *importer, e *entry, _ *rule) {
	s := readServer(im.fields(e))
	if file, ok := strings.CutPrefix(s.url, "file:/"); ok {
		s.url = "file:///" + strings.TrimLeft(file, "/")
	}
	p, ok := placeOf(s.url)
	if !ok {
		im.noServer(e)
		return
	}
	switch s.method {
	case "disallow":
		e.write("Disallow", s.pattern(p))
		e.why = byPattern
		return
	case "skip", "checkmp3", "checkmp3only":
		im.noServer(e)
		e.leave("no counterpart for " + s.method)
		return
	}
	switch {
	case s.extent == "world":
		e.write("FollowOutside", "yes")
		e.why, im.follows = "links to all sites are followed", true
		im.server(e, p, "", s.url)
	case s.extent == "page" && !im.covered(p):
		e.write("MaxHops", "0")
		e.why = "MaxHops 0 keeps the crawl to this page"
		im.server(e, p, extentWord(p), s.url)
		e.write("MaxHops", im.maxHops)
	case s.extent == "page":
		e.why = "another Server line has its directory in scope, so it is one more start URL"
		im.server(e, p, extentWord(p), s.url)
	case s.extent == "site":
		im.server(e, p, "site", s.url)
	case p.path == "/":
		im.server(e, p, "", s.url)
	default:
		im.server(e, p, extentWord(p), s.url)
		if e.why == "" {
			e.why = "without a word it is the directory there, the site here"
		}
	}
	if e.outcome == LeftOut {
		return
	}
	switch s.method {
	case "checkonly":
		e.write("CheckOnly", s.pattern(p))
		e.why = byPattern
	case "hrefonly":
		e.out = slices.Insert(e.out, 0, outLine{text: "Index no"})
		e.write("Index", im.index)
		e.why = "Index no reads pages for their links alone"
	}
	if s.alias != "" {
		e.outcome, e.why = Changed, "documents are shown with the URLs from which they were read; the second URL is left out"
	}
}

// byPattern is why a method becomes a line of its own.
const byPattern = "a line with the pattern of these URLs does it"

// extentWord returns the word for a directory. Server path with a URL whose directory is the site is refused.
func extentWord(p place) string {
	switch {
	case p.scheme == "file":
		return ""
	case p.dir == "/":
		return "site"
	}
	return "path"
}

// pattern returns a pattern for the URLs of a line.
func (s *server) pattern(p place) string {
	switch s.extent {
	case "page":
		return "^" + literal(s.url) + "$"
	case "site":
		return "^" + literal(p.site+"/")
	}
	return "^" + literal(p.site+p.dir)
}

// startURL writes a URL line, which is another start URL of what Server and Realm lines have in scope.
func startURL(im *importer, e *entry, _ *rule) {
	raw := strings.Join(im.fields(e), " ")
	p, ok := placeOf(raw)
	switch {
	case !ok:
		e.leave(noScheme)
	case !im.covered(p) && !im.hasRealm():
		e.leave("no Server line has it in scope, so it would be removed there")
	case p.path == "/":
		im.server(e, p, "", raw)
	default:
		im.server(e, p, extentWord(p), raw)
	}
}
