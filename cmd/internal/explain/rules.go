package explain

import (
	"context"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/cmd/internal/wording"
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
	beside  string     // the line of a Server path of its site, when it is outside of all of them
	instead weburl.URL // the URL of the canonical host, by which its rules are asked; none when its host is no duplicate
	verdict spider.FilterAction
	filter  *config.Filter // that decided, nil when none matched
	skipped bool           // SkipExtensions leaves it out, unless it is registered

	agent            string // UserAgent, for robots.txt
	gsa              bool   // RobotsPolicy gsa
	lostLimit        int    // refusals of robots.txt after which that closes a host
	lostPeriod       time.Duration
	robotsTTL        time.Duration
	nofollowExcludes bool
}

// matchRules evaluates the configuration for a URL. It neither connects to the host nor looks up its address.
func matchRules(ctx context.Context, c *config.Config, u weburl.URL) (*ruleMatch, error) {
	cfg := &c.Spider
	r := &ruleMatch{
		agent: cfg.UserAgent, gsa: cfg.RobotsPolicy == "gsa", lostLimit: cfg.LostLimit, nofollowExcludes: cfg.NofollowExcludes, file: u.IsFile(),
		lostPeriod: cfg.LostPeriod, robotsTTL: cfg.RobotsTTL,
	}
	if c.SetsFile == "" {
		r.missing = "there is no sets.cnf"
		return r, nil
	}
	servers, err := settings.Servers(c)
	if err != nil {
		return nil, err
	}
	filters := settings.Filters(&c.Sets)
	scope := spider.NewScope(servers, settings.Outside(c), filters)
	scope.InFileRoot = settings.FileTree(cfg).Opens
	scope.DuplicateHosts = settings.DuplicateHosts(&c.Sets)
	if canonical := scope.Unduplicated(u); canonical.Text != u.Text {
		u, r.instead = canonical, canonical
	}
	r.server = scope.Server(u)
	if manners := scope.Manners(u); r.server == nil && manners != nil {
		r.beside = manners.Where
	}
	var where string
	r.verdict, where = scope.Filter(u)
	scope.SkipExtensions = settings.SkipExtensions(&c.Sets)
	r.skipped = scope.Skips(u)
	for i := range filters {
		if where != "" && filters[i].Where == where {
			r.filter = &c.Sets.Filters[i]
		}
	}
	if len(servers) == 0 {
		r.missing = c.SetsFile + " has no Server"
	}
	if err := settings.OutsideRoots(cfg, u); err != nil {
		r.missing = err.Error()
	}
	r.lists = listOf(c, u)
	r.barred = barredFile(ctx, cfg, u)
	return r, nil
}

// rulesPart adds the rules one by one, in the order in which a crawl evaluates them.
func (x *explanation) rulesPart() {
	r := x.rules
	if r.instead.Text != "" {
		x.Line("Duplicate", "its host is a duplicate of %s (DuplicateHost): a link to it becomes one to %s, whose rules follow", r.instead.Host, r.instead.Text)
	}
	switch {
	case r.missing != "" && r.server == nil:
		x.Line("Server", "none: %s", r.missing)
	case r.beside != "":
		x.Line("Server", "none: it is outside of the directory of Server path (%s)", r.beside)
	case r.server == nil:
		x.Line("Server", "none for this site: it is out of scope")
	case r.server.URL.Text == "":
		x.Line("Server", "none for this site; FollowOutside applies the last values of sets.cnf")
	case r.server.Path:
		x.Line("Server", "path %s (%s)", r.server.URL.Text, r.server.Where)
	default:
		x.Line("Server", "%s (%s)", r.server.URL.Text, r.server.Where)
	}
	switch {
	case r.filter != nil:
		x.Line("Filter", "%s: %s", place(r.filter), r.filter.Text)
		x.Detail("%s", verdicts[r.verdict])
	case r.server != nil:
		x.Line("Filter", "no line matches: allowed")
	}
	switch {
	case r.server == nil:
	case x.ID == 0:
		x.Line("MaxHops", "%d", r.server.MaxHops)
	case x.Hops > r.server.MaxHops:
		x.Line("MaxHops", "%d: refused, it is at %d", r.server.MaxHops, x.Hops)
	default:
		x.Line("MaxHops", "%d: allowed, it is at %d", r.server.MaxHops, x.Hops)
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
		x.Line("Admitted", "no: %s", r.missing)
	case r.beside != "":
		x.Line("Admitted", "no: outside of the directory of Server path")
	case r.server == nil:
		x.Line("Admitted", "no: no Server for this site")
	case r.verdict == spider.Disallow:
		x.Line("Admitted", "no: refused by %s", place(r.filter))
	case x.hostClosed():
		x.Line("Admitted", "no: the host is closed, its robots.txt %s", line)
	case !allowed:
		x.Line("Admitted", "no: refused by robots.txt line %s", line)
	case r.barred != "":
		x.Line("Admitted", "no: %s", r.barred)
	case r.skipped:
		x.Line("Admitted", "no: SkipExtensions leaves links to it out; an Allow line that fits it admits it")
	case r.server.MaxHops == 0:
		x.Line("Admitted", "no: MaxHops 0 admits start URLs only")
	default:
		under := ""
		if x.Robots == nil && !r.file && !r.server.IgnoreRobots {
			under = " (robots.txt is not known yet)"
		}
		x.Line("Admitted", "yes, once a page at less than %s links to it%s", wording.Plural(r.server.MaxHops, "hop"), under)
	}
}
