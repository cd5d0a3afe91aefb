package config

import (
	"fmt"
	"net/netip"
	neturl "net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// Sets has the settings of sets.cnf: what to index.
type Sets struct {
	Servers []Server // in file order; empty when the file has none
	// Outside has the last values of the local directives in the file. With FollowOutside they rule the URLs
	// of sites that no Server names. It has no URL, AuthBasic, File or Line.
	Outside       Server
	Filters       []Filter // in file order: the first one that matches a URL decides, and without one the URL is allowed
	FollowOutside bool
	Project       string // the name by which the database knows this configuration; "" = the hosts of Servers
	// HostLoads begins with the default `* 0 24 4`, so that a matching line always exists; Load reads them.
	HostLoads []HostLoad
	// The pace directives, each in file order. A URL that matches two of them is CrawlFrequently's.
	Frequently   PaceLines // CrawlFrequently: visited every day
	Infrequently PaceLines // CrawlInfrequently: visited at a quarter of the usual pace at most
	ForceRecrawl PaceLines // ForceRecrawl: always requested without conditions
	// Lines about URLs that seem to be without end. A URL that matches both is NeverPause's.
	Pause      PaceLines // Pause: new URLs are not fetched, documents stay
	NeverPause PaceLines // NeverPause: exempt from the detector

	Archives       bool
	ArchiveMembers int         // of an archive that are visited
	SkipExtensions []string    // sorted, lower case, without dots: links to URLs that end so are not followed
	Converters     []Converter // in file order: the first that fits a type converts it
	DuplicateHosts []DuplicateHost
	DateRules      []DateRule // in file order: the first that fits a URL and finds a valid date dates the document
}

// Server is one start URL, whose site or directory is in scope, with the local directives above it.
type Server struct {
	URL       string        // absolute, http or https, with a host, or file; not normalized, and never with user:password@
	Period    time.Duration // base interval between two visits
	Adaptive  bool          // Schedule adaptive: the interval follows the changes seen
	Tag       int           // stored in urlword.tag
	MaxHops   int           // deeper URLs are not registered
	MaxURLs   int           // MaxURLsPerServer: registered URLs of the site; 0 = any number
	PerIndex  int           // MaxURLsPerServerPerIndex: URLs of the site that are fetched in one run; 0 = any number
	Index     bool          // whether pages are indexed (T-16)
	JumpPage  bool          // the page of the line itself is followed, not indexed
	Follow    bool          // whether links are followed (T-16)
	DeleteBad bool          // a 404 or 410 removes a document at once (T-13)
	HeadFirst bool          // a HEAD is sent before each GET
	// IgnoreMeta leaves noindex and nofollow of META robots unheeded, IgnoreRobots the host's robots.txt (Robots no).
	IgnoreMeta, IgnoreRobots bool
	KeepNavigation           bool          // navigation, headers, footers and hidden text are indexed
	LeaveOut                 LeaveOut      // more that is not
	Canonical                bool          // pages are united with the pages that they name by rel=canonical
	MinDelay                 time.Duration // pause between two requests to the host
	SaysMinDelay             bool          // a MinDelay line holds, which may say 0
	Charset                  string        // of pages that declare none, by its WHATWG name; "" = it is guessed
	Replace                  []Replace     // applied to each link of the pages, in this order
	AuthBasic                string        // "user:password" of this Server alone, "" = none
	Extent                   Extent        // what the line puts in scope
	Sitemaps                 []Sitemap     // of this Server alone, beside those that robots.txt names
	NoSitemaps               bool          // Sitemap no
	File                     string        // file of the Server line
	Line                     int
}

// Action is the effect of a Filter on the URLs that it matches.
type Action int

// The actions of the six pattern directives.
const (
	Allow     Action = iota // fetch and index
	Disallow                // not in the index (901, T-12)
	CheckOnly               // HEAD only, no content
)

// String returns the directive's keyword without NoMatch.
func (a Action) String() string {
	switch a {
	case Allow:
		return "Allow"
	case Disallow:
		return "Disallow"
	case CheckOnly:
		return "CheckOnly"
	}
	return fmt.Sprintf("Action(%d)", int(a))
}

// Filter is one Allow, Disallow or CheckOnly line, or one of their NoMatch forms. It is safe for concurrent use.
type Filter struct {
	Action   Action
	NoMatch  bool
	Patterns []*regexp.Regexp // at least one; RE2, ignoring case, unanchored
	File     string
	Line     int
	Text     string // the line as written, for --explain
}

// Match reports whether the line applies to the whole normalized URL: one of its patterns matches or, for a
// NoMatch line, none of them does.
func (f *Filter) Match(url string) bool {
	for _, p := range f.Patterns {
		if p.MatchString(url) {
			return !f.NoMatch
		}
	}
	return f.NoMatch
}

// The limits of sets.cnf's numbers. A period beyond ten years is a mistake; a tag and a hop count fit the
// integer columns.
const (
	maxPeriod   = 10 * 365 * day
	maxMinDelay = day
	maxTag      = 1<<31 - 1
	maxMaxHops  = 1<<15 - 1 // urlword.hops is a smallint
	maxMembers  = 100_000   // their names are held in memory
	maxSiteURLs = 1<<31 - 1 // url_ids
)

// setsReader fills Sets line by line; the order of the lines matters.
type setsReader struct {
	sets  Sets
	next  Server    // settings of the next Server line
	skips bool      // SkipExtensions was in the file
	auth  directive // the AuthBasic that no Server has used yet; its keyword is "" when there is none
	// sitemaps are the Sitemap lines that no Server has used yet.
	sitemaps []directive
}

// setsKeys has every directive of sets.cnf, with those that this version refuses.
var setsKeys = []key[setsReader]{
	{name: "Server", listed: true, set: (*setsReader).server},
	filterKey("Allow", Allow, false), filterKey("AllowNoMatch", Allow, true),
	filterKey("Disallow", Disallow, false), filterKey("DisallowNoMatch", Disallow, true),
	filterKey("CheckOnly", CheckOnly, false), filterKey("CheckOnlyNoMatch", CheckOnly, true),
	scalar("FollowOutside", "no", yesNo, func(r *setsReader) *bool { return &r.sets.FollowOutside }),
	{name: "Project", listed: true, set: (*setsReader).project},
	scalar("Period", "7d", span(0, maxPeriod), func(r *setsReader) *time.Duration { return &r.next.Period }),
	scalar("Schedule", "period", adaptive, func(r *setsReader) *bool { return &r.next.Adaptive }),
	scalar("Tag", "0", wholeNumber(0, maxTag), func(r *setsReader) *int { return &r.next.Tag }),
	scalar("MaxHops", "256", wholeNumber(0, maxMaxHops), func(r *setsReader) *int { return &r.next.MaxHops }),
	scalar("MaxURLsPerServer", "none", maxURLs, func(r *setsReader) *int { return &r.next.MaxURLs }),
	scalar("MaxURLsPerServerPerIndex", "none", maxURLs, func(r *setsReader) *int { return &r.next.PerIndex }),
	scalar("Index", "yes", yesNo, func(r *setsReader) *bool { return &r.next.Index }),
	scalar("Follow", "yes", yesNo, func(r *setsReader) *bool { return &r.next.Follow }),
	scalar("DeleteBad", "no", yesNo, func(r *setsReader) *bool { return &r.next.DeleteBad }),
	scalar("HeadFirst", "no", yesNo, func(r *setsReader) *bool { return &r.next.HeadFirst }),
	scalar("IgnoreMeta", "no", yesNo, func(r *setsReader) *bool { return &r.next.IgnoreMeta }),
	scalar("Canonical", "yes", yesNo, func(r *setsReader) *bool { return &r.next.Canonical }),
	scalar("Robots", "yes", noYes, func(r *setsReader) *bool { return &r.next.IgnoreRobots }),
	scalar("KeepNavigation", "no", yesNo, func(r *setsReader) *bool { return &r.next.KeepNavigation }),
	{name: "LeaveOut", def: "none", list: true, listed: true, set: (*setsReader).leaveOut},
	{name: "Sitemap", def: "yes", listed: true, set: (*setsReader).sitemap},
	{name: "AuthBasic", listed: true, set: (*setsReader).authBasic},
	absent[setsReader]("FormLogin"), absent[setsReader]("ClientCert"), absent[setsReader]("CAFile"),
	{name: "HostLoad", def: "* 0 24 4", listed: true, set: (*setsReader).hostLoad},
	{name: "MinDelay", listed: true, set: (*setsReader).minDelay},
	{name: "Charset", listed: true, set: (*setsReader).charset},
	{name: "Replace", listed: true, set: (*setsReader).replace},
	paceKey("CrawlFrequently", func(s *Sets) *PaceLines { return &s.Frequently }),
	paceKey("CrawlInfrequently", func(s *Sets) *PaceLines { return &s.Infrequently }),
	paceKey("ForceRecrawl", func(s *Sets) *PaceLines { return &s.ForceRecrawl }),
	paceKey("Pause", func(s *Sets) *PaceLines { return &s.Pause }),
	paceKey("NeverPause", func(s *Sets) *PaceLines { return &s.NeverPause }),
	{name: "DateRule", listed: true, set: (*setsReader).dateRule},
	{name: "DuplicateHost", listed: true, set: (*setsReader).duplicateHost},
	scalar("JumpPage", "no", yesNo, func(r *setsReader) *bool { return &r.next.JumpPage }),
	absent[setsReader]("DBSource"),
	{name: "SkipExtensions", def: skippedExtensions, list: true, listed: true, set: (*setsReader).skipExtensions},
	scalar("Archives", "no", yesNo, func(r *setsReader) *bool { return &r.sets.Archives }),
	scalar("MaxArchiveMembers", "10000", wholeNumber(1, maxMembers), func(r *setsReader) *int { return &r.sets.ArchiveMembers }),
	{name: "Converter", list: true, listed: true, set: (*setsReader).converter},
}

// readSets returns the Sets of the lines of sets.cnf; there may be none.
func readSets(lines []directive, errs *Errors) Sets {
	var r setsReader
	for _, k := range setsKeys {
		if k.def == "" {
			continue
		}
		if err := k.set(&r, defaultLine(k.name, k.def)); err != nil {
			panic("config: default of " + k.name + ": " + err.Error()) // the table above is wrong; every test finds it
		}
	}
	for _, d := range lines {
		k, ok := findKey(setsKeys, d.keyword)
		if !ok {
			if !errs.full() {
				errs.add(unknown(d, setsName))
			}
			continue
		}
		if err := k.set(&r, d); err != nil {
			errs.add(d.problem(k.name, err.Error()))
		}
	}
	r.unusedAuth(errs)
	r.unfinishedChains(errs)
	r.unusedSitemaps(errs)
	r.misplacedSitemaps(errs)
	r.next.Sitemaps = nil
	r.sets.Outside = r.next
	r.sets.Outside.IgnoreMeta, r.sets.Outside.IgnoreRobots = false, false // for sites that a Server line names
	return r.sets
}

// defaultLine returns a table's default as a line.
func defaultLine(name, def string) directive {
	return directive{keyword: name, args: strings.Fields(def)}
}

func (r *setsReader) server(d directive) error {
	extent, d, err := extentOf(d)
	if err != nil {
		return err
	}
	raw, err := one(d)
	if err != nil {
		return err
	}
	s := r.next
	s.Extent, s.File, s.Line = extent, d.file, d.line
	r.next.Sitemaps, r.sitemaps = nil, nil
	if r.auth.keyword != "" {
		s.AuthBasic = r.auth.args[0]
		r.auth = directive{} // used, even when the URL is bad: one mistake, one message
	}
	if strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") {
		return reasonf("%s is a path, no URL; write: Server %s", quote(raw), (&neturl.URL{Scheme: "file", Path: raw}).String())
	}
	var login string
	if s.URL, login, err = startURL(raw); err != nil {
		return err
	}
	if err := s.checkExtent(); err != nil {
		return err
	}
	if login != "" {
		if decoded, err := neturl.PathUnescape(login); err == nil { // as in any URL: p%40ss is p@ss
			login = decoded
		}
		if s.AuthBasic != "" {
			return reasonf("both AuthBasic and the URL contain a user name")
		}
		s.AuthBasic = login
	}
	r.sets.Servers = append(r.sets.Servers, s)
	return nil
}

// maxProject is the longest name of a project in bytes.
const maxProject = 100

func (r *setsReader) project(d directive) error {
	name, err := one(d)
	if err != nil {
		return err
	}
	if len(name) > maxProject || name != strings.TrimSpace(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return reasonf("want a name of at most %d bytes", maxProject)
	}
	r.sets.Project = name
	return nil
}

func (r *setsReader) authBasic(d directive) error {
	login, err := one(d)
	if err != nil {
		return err
	}
	if i := strings.IndexByte(login, ':'); i <= 0 {
		return reasonf("the value is not user:password")
	}
	r.auth = d
	return nil
}

// unusedAuth reports credentials that would never be sent.
func (r *setsReader) unusedAuth(errs *Errors) {
	if r.auth.keyword != "" {
		errs.add(r.auth.problem("AuthBasic", "no Server line follows; AuthBasic applies to the next Server only"))
	}
}

// noYes reads a switch and returns the opposite.
func noYes(s string) (bool, error) {
	yes, err := yesNo(s)
	return !yes, err
}

// adaptive reads the value of Schedule.
func adaptive(s string) (bool, error) {
	word, err := choice("period", "adaptive")(s)
	return word == "adaptive", err
}

// maxURLs reads the value of MaxURLsPerServer. ASPseek writes -1 for none.
func maxURLs(s string) (int, error) {
	if strings.EqualFold(s, "none") || s == "-1" {
		return 0, nil
	}
	n, ok := number(s)
	if !ok || n < 1 || n > maxSiteURLs {
		return 0, reasonf("%s is neither none nor a whole number from 1 to %d", quote(s), maxSiteURLs)
	}
	return int(n), nil
}

func filterKey(name string, action Action, noMatch bool) key[setsReader] {
	return key[setsReader]{name: name, listed: true, set: func(r *setsReader, d directive) error {
		patterns, err := patterns(d)
		if err != nil {
			return err
		}
		r.sets.Filters = append(r.sets.Filters,
			Filter{Action: action, NoMatch: noMatch, Patterns: patterns, File: d.file, Line: d.line, Text: d.text})
		return nil
	}}
}

// startURL checks the parts of a Server line that identify its site: an http or https URL with a host and a
// valid port, or a file URL. Everything else about a URL is checked by the spider's normalizer, which follows the Web's
// rules and is more lenient than net/url. A user:password@ in the URL is removed (B9) and returned as login.
// Messages never repeat a URL that contains one.
func startURL(raw string) (url, login string, err error) {
	if scheme, _, ok := strings.Cut(raw, ":"); ok && strings.EqualFold(scheme, "file") {
		return fileURL(raw)
	}
	shown := quote(raw)
	if strings.ContainsRune(raw, '@') {
		shown = "the value"
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", "", reasonf("%s is not an absolute http or https URL", shown)
	}
	end := strings.IndexAny(rest, `/\?#`)
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		login, host = host[:i], host[i+1:]
		if !strings.Contains(login, ":") {
			login += ":"
		}
		if login == ":" {
			login = ""
		}
	}
	url = scheme + "://" + host + rest[end:]
	name, port := host, ""
	if strings.HasPrefix(host, "[") {
		inside, after, closed := strings.Cut(host[1:], "]")
		if addr, err := netip.ParseAddr(inside); err != nil || !closed || !addr.Is6() || addr.Zone() != "" ||
			after != "" && after[0] != ':' {
			return "", "", reasonf("%s has a bad IPv6 address", shown)
		}
		name, port = inside, strings.TrimPrefix(after, ":")
	} else if i := strings.LastIndexByte(host, ':'); i >= 0 {
		name, port = host[:i], host[i+1:]
	}
	if name == "" {
		return "", "", reasonf("%s has no host", shown)
	}
	if n, ok := number(port); port != "" && (!ok || n < 1 || n > 65535) {
		return "", "", reasonf("%s has a bad port", shown)
	}
	return url, login, nil
}
