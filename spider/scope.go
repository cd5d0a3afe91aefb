package spider

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider/weburl"
)

// Server is a Server line of sets.cnf with the local directives that hold for it.
type Server struct {
	URL       weburl.URL // normalized start URL; zero in Scope.Outside
	Period    time.Duration
	Tag       int
	MaxHops   int
	MaxURLs   int // registered URLs of the site, over all runs; 0 = any number
	PerIndex  int // fetched URLs of the site in one run; 0 = any number
	Index     bool
	Follow    bool
	JumpPage  bool // the page of the line itself is followed, not indexed
	HeadFirst bool
	DeleteBad bool // 404 and 410 take a document out at once (T-13); its contents are not kept
	Adaptive  bool // Schedule adaptive
	Excludes  bool // NofollowExcludes: a page with nofollow is not indexed
	// IgnoreMeta leaves noindex and nofollow of META robots unheeded, IgnoreRobots the host's robots.txt (Robots no).
	IgnoreMeta, IgnoreRobots bool
	Canonical                bool // a page is united with the one that it names by rel=canonical (T-19)
	MinDelay                 time.Duration
	SaysMinDelay             bool                     // a MinDelay line holds, so that there is no default pause
	Path                     bool                     // Server path: only the directory of the URL is in scope
	Replace                  func(link string) string // rewrites the links of its pages; nil = they stay
	Charset                  int                      // of its pages that declare none (document.CharsetNumber); 0 = guessed
	LeaveOut                 LeaveOut
	Sitemaps                 []Sitemap // Sitemap lines
	NoSitemaps               bool      // Sitemap no
	Auth                     string    // user:password, sent to this site only
	Where                    string    // file:line

	jump *Server // of the page of the line itself with JumpPage; else nil
}

// The bits of an indexing mode, as urlstate keeps it. Those of the X-Robots-Tag header belong to a version of a page.
const (
	modeWords       = 1 << iota // words are indexed
	modeLinks                   // links are followed
	modeExcludes                // no words of pages with nofollow
	modeIgnoreMeta              // noindex and nofollow of META robots are not heeded
	modeTagNoIndex              // X-Robots-Tag says noindex
	modeTagNoFollow             // X-Robots-Tag says nofollow
	modeEarlier                 // META robots says noindex since the version that is kept
	modeTagDate                 // X-Robots-Tag has a date (unavailable_after)
	modeCanonical               // the Link header names a canonical page
	modeProtected               // a file that others may not read (FilePrivate yes); view protected_files shows it

	modeTag = modeTagNoIndex | modeTagNoFollow | modeTagDate
)

// mode returns the indexing mode that the Server asks for.
func (s *Server) mode() int {
	mode := 0
	for _, part := range []struct {
		set bool
		bit int
	}{{s.Index, modeWords}, {s.Follow, modeLinks}, {s.Excludes, modeExcludes}, {s.IgnoreMeta, modeIgnoreMeta}} {
		if part.set {
			mode |= part.bit
		}
	}
	return mode
}

// dir returns the directory of the start URL, ending in a slash.
func (s *Server) dir() string {
	path, _, _ := strings.Cut(s.URL.Text, "?")
	return path[:strings.LastIndexByte(path, '/')+1]
}

// FilterAction is the action of a pattern rule.
type FilterAction int

// The actions of pattern rules.
const (
	Allow FilterAction = iota
	Disallow
	CheckOnly // ask with HEAD, keep no content
)

// Filter is an Allow, Disallow or CheckOnly line.
type Filter struct {
	Verdict FilterAction
	Match   func(url string) bool
	Where   string // file:line
}

// Scope decides what belongs to the document set: the sites of the Server lines, the pattern rules in
// file order, and which Server rules a URL. It does not change after NewScope and is safe for concurrent use.
type Scope struct {
	bySite  map[string][]*Server // in file order
	outside *Server              // nil unless FollowOutside
	filters []Filter
	depth   int  // the lowest MaxHops of all
	limited bool // some Server has MaxURLsPerServer

	// Patterns of the three pace directives; nil matches nothing .
	Frequently, Infrequently, ForceRecrawl func(url string) bool
	// InFileRoot reports whether a path is below a FileRoot; nil: there are none.
	InFileRoot func(path string) bool
	// Patterns of Pause and NeverPause; nil matches nothing.
	Pause, NeverPause func(url string) bool
	// DuplicateHosts has the canonical host of each duplicate one.
	DuplicateHosts map[string]string
	// SkipExtensions has the extensions of files that nothing reads, in lower case.
	SkipExtensions map[string]bool
	// Archives says whether archives are opened (Archives).
	Archives bool
}

// NewScope makes a scope. outside holds the last values of the local directives for sites without a Server
// line; nil keeps the crawl on the sites of the servers.
func NewScope(servers []Server, outside *Server, filters []Filter) *Scope {
	s := &Scope{bySite: make(map[string][]*Server), outside: outside, filters: filters, depth: math.MaxInt}
	for i := range servers {
		site := servers[i].URL.Site
		s.bySite[site] = append(s.bySite[site], servers[i].withJumpPage())
		s.depth = min(s.depth, servers[i].MaxHops)
		s.limited = s.limited || servers[i].MaxURLs > 0
	}
	if outside != nil {
		s.depth = min(s.depth, outside.MaxHops)
		s.limited = s.limited || outside.MaxURLs > 0
	}
	return s
}

// Server returns the Server that rules a URL, nil when it is out of scope: of its site the one with the longest matching
// directory, else the first that is no Server path.
func (s *Scope) Server(u weburl.URL) (best *Server) {
	u = s.Unduplicated(u)
	if u.IsFile() && (!s.opensFile(u) || !s.hasServer(u.Site)) {
		return nil
	}
	servers := s.bySite[u.Site]
	if len(servers) == 0 {
		return s.outside
	}
	defer func() {
		if best != nil && best.jump != nil && best.URL.Text == u.Text {
			best = best.jump
		}
	}()
	length := -1
	for _, server := range servers {
		dir := server.dir()
		switch inside := strings.HasPrefix(u.Text, dir); {
		case inside && len(dir) > length:
			best, length = server, len(dir)
		case !inside && best == nil && !server.Path:
			best = server
		}
	}
	return best
}

// withJumpPage returns the Server with what holds for its own page.
func (s *Server) withJumpPage() *Server {
	if s.JumpPage {
		page := *s
		page.Index, page.Follow = false, true
		s.jump = &page
	}
	return s
}

// ignoresRobots reports whether the robots.txt of a URL's host is not obeyed for it (Robots no).
func (s *Scope) ignoresRobots(u weburl.URL) bool {
	server := s.Server(u)
	return u.IsFile() || server != nil && server.IgnoreRobots
}

// hasServer reports whether a site has a Server line.
func (s *Scope) hasServer(site string) bool { return len(s.bySite[site]) > 0 }

// Manners returns the Server whose pause and password hold for a request to a site: that of the URL, else the first of the site.
// robots.txt and sitemaps may be outside of the directory of a Server path. nil = none.
func (s *Scope) Manners(u weburl.URL) *Server {
	if server := s.Server(u); server != nil {
		return server
	}
	if servers := s.bySite[u.Site]; len(servers) > 0 {
		return servers[0]
	}
	return nil
}

// Filter applies the pattern rules in file order: the first that matches decides, and without a match a URL
// is allowed. where names the line that decided, empty when none did.
func (s *Scope) Filter(u weburl.URL) (v FilterAction, where string) {
	for i := range s.filters {
		if s.filters[i].Match(u.Text) {
			return s.filters[i].Verdict, s.filters[i].Where
		}
	}
	return Allow, ""
}

// Pace returns the pace of a URL: 1 = frequently, -1 = infrequently, 0 = by its Period. The first wins over
// the second.
func (s *Scope) Pace(u weburl.URL) int {
	switch {
	case s.Frequently != nil && s.Frequently(u.Text):
		return 1
	case s.Infrequently != nil && s.Infrequently(u.Text):
		return -1
	}
	return 0
}

// Forced reports whether a URL is always requested without conditions (ForceRecrawl).
func (s *Scope) Forced(u weburl.URL) bool { return s.ForceRecrawl != nil && s.ForceRecrawl(u.Text) }

// Why a URL out of scope is refused.
const (
	NoServer = "no Server line for this site"
	NoPath   = "outside of the directory of Server path"
)

// ruleMatch is the result of testing a URL against the configuration.
type ruleMatch struct {
	page    weburl.URL
	server  *Server      // that rules it, nil for none
	verdict FilterAction // of the pattern rules
	refused string       // why it does not belong to the document set, empty when it does
	where   string       // file:line that decided, empty when none did

	canonical weburl.URL // that replaces a URL of a duplicate host; zero for others
	duplicate bool       // it is refused because canonical is in the index
}

// rule tests a URL of the tables against Server, patterns and MaxHops.
func (s *Scope) rule(url string, hops int) ruleMatch {
	page, err := weburl.ParseNormalized(url)
	if err != nil {
		return ruleMatch{refused: err.Error()}
	}
	return s.match(page, hops)
}

// match tests a parsed URL against Server, patterns and MaxHops.
func (s *Scope) match(page weburl.URL, hops int) (r ruleMatch) {
	if to := s.Unduplicated(page); to.Text != page.Text {
		return s.matchDuplicate(page, to, hops)
	}
	r.page, r.server = page, s.Server(page)
	if r.server == nil {
		r.refused = NoServer
		if servers := s.bySite[page.Site]; page.IsFile() && !s.opensFile(page) {
			r.refused = noFileRoot
		} else if len(servers) > 0 {
			r.refused, r.where = NoPath, servers[0].Where
		}
		return r
	}
	var where string
	r.verdict, where = s.Filter(page)
	in, isMember := archiveOf(page.Text)
	switch {
	case isMember && !s.Archives:
		r.refused = "a member of an archive, and Archives is no"
	case isMember && s.refusesArchive(in):
		r.refused = "its archive is refused"
	case r.verdict == Disallow:
		r.refused, r.where = "refused by "+where, where
	case hops > r.server.MaxHops:
		r.refused, r.where = fmt.Sprintf("deeper than MaxHops %d", r.server.MaxHops), r.server.Where
	case where != "":
		r.where = where
	default:
		r.where = r.server.Where
	}
	return r
}
