package program

import (
	"context"
	"time"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
)

// ruleMatch holds what the configuration decides for one URL.
type ruleMatch struct {
	file    bool   // not of the Web
	barred  string // why this file is not read, or is not listed
	lists   string // what the document lists, when it is an archive or a directory whose names are not indexed
	missing string // no sets.cnf, or none with a Server: says so
	server  *spider.Server
	beside  string // the line of a Server path of its site, when it is outside of all of them
	verdict spider.FilterAction
	filter  *config.Filter // that decided, nil when none matched
	skipped bool           // SkipExtensions leaves it out, unless it is registered

	agent            string // UserAgent, for robots.txt
	gsa              bool   // RobotsPolicy gsa
	lostLimit        int    // refusals of robots.txt after which that closes a host
	lostPeriod       time.Duration
	askedAgain       func(time.Time) string // when a robots.txt that could not be had then is asked for again
	nofollowExcludes bool
}

// matchRules evaluates the configuration for a URL. It neither connects to the host nor looks up its address.
func (p *program) matchRules(ctx context.Context, u weburl.URL) (*ruleMatch, error) {
	cfg := &p.cfg.Spider
	r := &ruleMatch{
		agent: cfg.UserAgent, gsa: cfg.RobotsPolicy == "gsa", lostLimit: cfg.LostLimit, nofollowExcludes: cfg.NofollowExcludes, file: u.IsFile(),
		lostPeriod: cfg.LostPeriod, askedAgain: p.askedAgain,
	}
	if p.cfg.SetsFile == "" {
		r.missing = "there is no sets.cnf"
		return r, nil
	}
	servers, err := p.servers()
	if err != nil {
		return nil, err
	}
	filters := p.filters()
	scope := spider.NewScope(servers, p.outside(), filters)
	scope.InFileRoot = p.fileTree().Opens
	r.server = scope.Server(u)
	if manners := scope.Manners(u); r.server == nil && manners != nil {
		r.beside = manners.Where
	}
	var where string
	r.verdict, where = scope.Filter(u)
	scope.SkipExtensions = p.skipExtensions()
	r.skipped = scope.Skips(u)
	for i := range filters {
		if where != "" && filters[i].Where == where {
			r.filter = &p.cfg.Sets.Filters[i]
		}
	}
	if len(servers) == 0 {
		r.missing = p.cfg.SetsFile + " has no Server"
	}
	if err := p.outsideRoots(u); err != nil {
		r.missing = err.Error()
	}
	r.lists = p.listOf(u)
	r.barred = p.barredFile(ctx, u)
	return r, nil
}

// rulesPart adds the rules one by one, in the order in which a crawl evaluates them.
func (x *explanation) rulesPart() {
	r := x.rules
	switch {
	case r.missing != "" && r.server == nil:
		x.line("Server", "none: %s", r.missing)
	case r.beside != "":
		x.line("Server", "none: it is outside of the directory of Server path (%s)", r.beside)
	case r.server == nil:
		x.line("Server", "none for this site: it is out of scope")
	case r.server.URL.Text == "":
		x.line("Server", "none for this site; FollowOutside applies the last values of sets.cnf")
	case r.server.Path:
		x.line("Server", "path %s (%s)", r.server.URL.Text, r.server.Where)
	default:
		x.line("Server", "%s (%s)", r.server.URL.Text, r.server.Where)
	}
	switch {
	case r.filter != nil:
		x.line("Filter", "%s: %s", place(r.filter), r.filter.Text)
		x.detail("%s", verdicts[r.verdict])
	case r.server != nil:
		x.line("Filter", "no line matches: allowed")
	}
	switch {
	case r.server == nil:
	case x.ID == 0:
		x.line("MaxHops", "%d", r.server.MaxHops)
	case x.Hops > r.server.MaxHops:
		x.line("MaxHops", "%d: refused, it is at %d", r.server.MaxHops, x.Hops)
	default:
		x.line("MaxHops", "%d: allowed, it is at %d", r.server.MaxHops, x.Hops)
	}
	x.robots()
}

// verdicts are the effects of a pattern line.
var verdicts = map[spider.FilterAction]string{
	spider.Allow: "allowed", spider.Disallow: "refused", spider.CheckOnly: "fetched with HEAD only, content not indexed",
}

// admission adds whether the rules would admit a URL that is not registered.
func (x *explanation) admission() {
	r := x.rules
	allowed, line := x.robotsVerdict()
	switch {
	case r.server == nil && r.missing != "":
		x.line("Admitted", "no: %s", r.missing)
	case r.beside != "":
		x.line("Admitted", "no: outside of the directory of Server path")
	case r.server == nil:
		x.line("Admitted", "no: no Server for this site")
	case r.verdict == spider.Disallow:
		x.line("Admitted", "no: refused by %s", place(r.filter))
	case x.hostClosed():
		x.line("Admitted", "no: the host is closed, its robots.txt %s", line)
	case !allowed:
		x.line("Admitted", "no: refused by robots.txt line %s", line)
	case r.barred != "":
		x.line("Admitted", "no: %s", r.barred)
	case r.skipped:
		x.line("Admitted", "no: SkipExtensions leaves links to it out; an Allow line that fits it admits it")
	case r.server.MaxHops == 0:
		x.line("Admitted", "no: MaxHops 0 admits start URLs only")
	default:
		under := ""
		if x.Robots == nil && !r.file && !r.server.IgnoreRobots {
			under = " (robots.txt is not known yet)"
		}
		x.line("Admitted", "yes, once a page at less than %s links to it%s", plural(r.server.MaxHops, "hop"), under)
	}
}
