package explain

import (
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/robots"
)

// robots adds what the host's robots.txt says of the URL, how old it is, and whether the host is being fetched
// from.
func (x *explanation) robots() {
	r := x.Robots
	if x.rules.file {
		x.Line("robots.txt", "none: it is a file")
		return
	}
	if x.rules.server != nil && x.rules.server.IgnoreRobots {
		x.Line("robots.txt", "ignored: Robots no of its Server")
		return
	}
	if r == nil {
		x.Line("robots.txt", "not fetched yet")
		return
	}
	if x.rules.gsa && r.Failures > 0 {
		x.refusedRobots()
		return
	}
	x.Line("robots.txt", "%s", x.robotsText())
	if delay := robots.Parse(r.Body, x.rules.agent).CrawlDelay(); delay > spider.MaxCrawlDelay {
		x.Detail("Crawl-delay %s between two requests, of which %s is obeyed", delay, spider.MaxCrawlDelay)
	} else if delay > 0 {
		x.Detail("Crawl-delay %s between two requests", delay)
	}
	x.Detail("fetched at %s: %s", x.When(r.FetchedAt), strings.TrimSuffix(wording.Numbered(r.Status)+": "+r.Cause, ": "))
	if r.Failures > 0 {
		x.Detail("host deferred: %s in a row without a decision", wording.Plural(r.Failures, "answer"))
		x.Detail("asked again %s, also by index -a and -T", wording.AskedAgain(r.FetchedAt, x.rules.robotsTTL))
		if r.GoodAt != nil {
			x.Detail("the file in use is from %s", x.When(*r.GoodAt))
		}
	}
}

// refusedRobots adds the state of a host that RobotsPolicy gsa closes: nothing is fetched from it before its
// robots.txt is answered with 200 or 404 again, and after LostLimit refusals its documents leave the index. A host
// that does not answer at all is not refusing.
func (x *explanation) refusedRobots() {
	r, limit := x.Robots, x.rules.lostLimit
	switch {
	case x.hostClosed():
		x.Line("robots.txt", "refused: the host is closed by RobotsPolicy gsa")
	default:
		x.Line("robots.txt", "nothing is fetched for now: RobotsPolicy gsa requires 200 or 404")
	}
	x.Detail("fetched at %s: %s", x.When(r.FetchedAt), wording.Numbered(r.Status))
	switch {
	case r.Refusals == 0:
		x.Detail("no answer; that removes no document from the index")
	case r.Refusals < limit:
		x.Detail("neither 200 nor 404 in %s in a row; at %d (LostLimit) its documents leave the index (T-12)", wording.Plural(r.Refusals, "check"), limit)
	default:
		x.Detail("neither 200 nor 404 in %s in a row; with %d (LostLimit) its documents left the index (T-12)", wording.Plural(r.Refusals, "check"), limit)
	}
	if r.GoodAt == nil {
		x.Detail("it was never open")
		return
	}
	x.Detail("it was open at %s: %s", x.When(*r.GoodAt), x.robotsText())
}

// robotsText returns what the last good robots.txt says of the URL.
func (x *explanation) robotsText() string {
	allowed, line := x.lastRobots()
	verdict := map[bool]string{true: "allowed", false: "refused"}[allowed]
	switch {
	case x.Robots.GoodAt == nil:
		return "never received"
	case line.Line != 0:
		return fmt.Sprintf("%s by line %s", verdict, line)
	case len(x.Robots.Body) == 0:
		return verdict + ": there is none"
	}
	return verdict + ": no line matches"
}

// lastRobots evaluates the last good robots.txt; without one everything is allowed.
func (x *explanation) lastRobots() (bool, robots.Rule) {
	if x.Robots == nil || x.rules.server != nil && x.rules.server.IgnoreRobots {
		return true, robots.Rule{}
	}
	return robots.Parse(x.Robots.Body, x.rules.agent).Allowed(x.url.Path)
}

// robotsVerdict reports whether robots.txt allows the URL, and the deciding line or the reason why the host is
// closed.
func (x *explanation) robotsVerdict() (bool, robots.Rule) {
	if x.hostClosed() {
		return false, robots.Rule{Text: spider.ClosedWhy(x.Robots.Status, x.Robots.Refusals)}
	}
	return x.lastRobots()
}

// hostClosed reports whether the whole host is forbidden because it refuses its robots.txt.
func (x *explanation) hostClosed() bool {
	r := x.Robots
	return r != nil && x.rules.gsa && spider.ClosesHost(r.Status, r.Refusals, x.rules.lostLimit)
}
