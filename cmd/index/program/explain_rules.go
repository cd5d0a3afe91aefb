package program

import (
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
)

// ruling is what the configuration says of one URL.
type ruling struct {
	missing string // no sets.cnf, or none with a Server: says so
	server  *spider.Server
	verdict spider.Verdict
	filter  *config.Filter // that decided, nil when none matched

	agent            string // UserAgent, for robots.txt
	gsa              bool   // RobotsPolicy gsa
	lostLimit        int    // refusals of robots.txt after which that closes a host
	nofollowExcludes bool
}

// ruling asks the configuration about a URL. Nothing is connected to or looked up.
func (p *program) ruling(u weburl.URL) (*ruling, error) {
	cfg := &p.cfg.Spider
	r := &ruling{
		agent: cfg.UserAgent, gsa: cfg.RobotsPolicy == "gsa", lostLimit: cfg.LostLimit, nofollowExcludes: cfg.NofollowExcludes,
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
	r.server = scope.Server(u)
	var where string
	r.verdict, where = scope.Filter(u)
	for i := range filters {
		if where != "" && filters[i].Where == where {
			r.filter = &p.cfg.Sets.Filters[i]
		}
	}
	if len(servers) == 0 {
		r.missing = p.cfg.SetsFile + " has no Server"
	}
	return r, nil
}

// rulesPart says what the rules are, one by one, in the order in which they are asked (rules.md 3.5).
func (x *explanation) rulesPart() {
	r := x.rules
	switch {
	case r.missing != "" && r.server == nil:
		x.say("Server", "none: %s", r.missing)
	case r.server == nil:
		x.say("Server", "none for this site: it is out of scope")
	case r.server.URL.Text == "":
		x.say("Server", "none for this site, but FollowOutside: the last values of sets.cnf")
	default:
		x.say("Server", "%s (%s)", r.server.URL.Text, r.server.Where)
	}
	switch {
	case r.filter != nil:
		x.say("Filter", "%s: %s", place(r.filter), r.filter.Text)
		x.more("%s", verdicts[r.verdict])
	case r.server != nil:
		x.say("Filter", "no line matches: allowed")
	}
	switch {
	case r.server == nil:
	case x.ID == 0:
		x.say("MaxHops", "%d", r.server.MaxHops)
	case x.Hops > r.server.MaxHops:
		x.say("MaxHops", "%d: refused, it is at %d", r.server.MaxHops, x.Hops)
	default:
		x.say("MaxHops", "%d: allowed, it is at %d", r.server.MaxHops, x.Hops)
	}
	x.robots()
}

// verdicts say what a pattern line does.
var verdicts = map[spider.Verdict]string{
	spider.Allow: "allowed", spider.Disallow: "refused", spider.CheckOnly: "asked for with HEAD only, its content is not indexed",
}

// admission says of a URL that is not registered whether the rules would let it in.
func (x *explanation) admission() {
	r := x.rules
	allowed, line := x.robotsVerdict()
	switch {
	case r.server == nil && r.missing != "":
		x.say("Admitted", "no: %s", r.missing)
	case r.server == nil:
		x.say("Admitted", "no: no Server for this site")
	case r.verdict == spider.Disallow:
		x.say("Admitted", "no: refused by %s", place(r.filter))
	case x.hostClosed():
		x.say("Admitted", "no: the host is closed, its robots.txt %s", line)
	case !allowed:
		x.say("Admitted", "no: refused by robots.txt line %s", line)
	case r.server.MaxHops == 0:
		x.say("Admitted", "no: MaxHops 0 lets start URLs in only")
	default:
		under := ""
		if x.Robots == nil {
			under = ", as far as is known without robots.txt"
		}
		x.say("Admitted", "it would be: by a link of a page at less than %s%s", plural(r.server.MaxHops, "hop"), under)
	}
}
