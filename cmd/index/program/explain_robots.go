package program

import (
	"fmt"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/robots"
)

// robots says what the host's robots.txt has to say, how old that is, and whether anything is fetched on the host just now.
func (x *explanation) robots() {
	r := x.Robots
	if r == nil {
		x.say("robots.txt", "not asked for yet")
		return
	}
	if x.rules.gsa && r.Failures > 0 {
		x.refusedRobots()
		return
	}
	x.say("robots.txt", "%s", x.robotsWords())
	x.more("asked for at %s: %s", x.when(r.FetchedAt), numbered(r.Status))
	if r.Failures > 0 {
		x.more("host deferred: %s in a row decided nothing", plural(r.Failures, "answer"))
		if r.GoodAt != nil {
			x.more("the file is of %s", x.when(*r.GoodAt))
		}
	}
}

// refusedRobots is about a host that RobotsPolicy gsa closes: nothing is fetched before it answers 200 or 404 again, and
// when it has refused that in LostLimit checks its documents leave the index. That nobody answers counts for nothing (C-13).
func (x *explanation) refusedRobots() {
	r, limit := x.Robots, x.rules.lostLimit
	switch {
	case x.hostClosed():
		x.say("robots.txt", "refused: the host is closed by RobotsPolicy gsa")
	default:
		x.say("robots.txt", "nothing is fetched for now: RobotsPolicy gsa wants 200 or 404")
	}
	x.more("asked for at %s: %s", x.when(r.FetchedAt), numbered(r.Status))
	switch {
	case r.Refusals == 0:
		x.more("nobody answers; that takes no document out of the index")
	case r.Refusals < limit:
		x.more("neither 200 nor 404 in %s in a row; at %d (LostLimit) its documents leave the index (T-12)", plural(r.Refusals, "check"), limit)
	default:
		x.more("neither 200 nor 404 in %s in a row; with %d (LostLimit) its documents left the index (T-12)", plural(r.Refusals, "check"), limit)
	}
	if r.GoodAt == nil {
		x.more("it was never open")
		return
	}
	x.more("it was open at %s: %s", x.when(*r.GoodAt), x.robotsWords())
}

// robotsWords is what the last good file says of the URL.
func (x *explanation) robotsWords() string {
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

// lastRobots is what the last good robots.txt says; without one all is allowed.
func (x *explanation) lastRobots() (bool, robots.Rule) {
	if x.Robots == nil {
		return true, robots.Rule{}
	}
	return robots.Parse(x.Robots.Body, x.rules.agent).Allowed(x.url.Path)
}

// robotsVerdict is whether robots.txt lets the URL in, and what decides that: the last good file, or that the host is closed.
func (x *explanation) robotsVerdict() (bool, robots.Rule) {
	if x.hostClosed() {
		return false, robots.Rule{Text: spider.ClosedWhy(x.Robots.Status, x.Robots.Refusals)}
	}
	return x.lastRobots()
}

// hostClosed reports whether everything on the host is forbidden because it refuses its robots.txt.
func (x *explanation) hostClosed() bool {
	r := x.Robots
	return r != nil && x.rules.gsa && spider.ClosesHost(r.Status, r.Refusals, x.rules.lostLimit)
}
