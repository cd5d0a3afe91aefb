package spider

import (
	"time"

	"github.com/pgseek/pgseek/store"
)

const day = 24 * time.Hour

// Error classes of rules.md 4.2, as urlstate.error_class has them.
const (
	classServer      = "server"
	classAuth        = "auth"
	classGone        = "gone"
	classUnreachable = "unreachable"
	classRobots      = "robots"
)

// errorClass sorts a failed attempt.
func errorClass(status int) string {
	switch {
	case status == 404 || status == 410:
		return classGone
	case status == 401:
		return classAuth
	case status >= 700 && status < 800, status == statusRobotsUnavailable:
		return classUnreachable
	default:
		return classServer
	}
}

// ladders are the waits after the 1st, 2nd, 3rd and every further error of a class in a row (rules.md 4.2), for URLs
// that have something in the index.
var ladders = map[string][4]time.Duration{
	classServer:      {1 * day, 3 * day, 7 * day, 21 * day},
	classAuth:        {1 * day, 3 * day, 7 * day, 21 * day},
	classGone:        {1 * day, 3 * day, 7 * day, 21 * day},
	classUnreachable: {5 * time.Hour, 1 * day, 5 * day, 21 * day},
	classRobots:      {5 * day, 15 * day, 30 * day, 30 * day},
}

// Back-off of URLs that were never indexed (rules.md 4.6): doubling from the base to the cap.
const (
	backoffBase = 600 * time.Second
	backoffCap  = 14 * day
)

// errorWait is how long to wait after the n-th error in a row of a class. indexed says whether the URL has anything in
// the index; retryAfter is what the server asked for, 0 if nothing.
func errorWait(class string, n int, indexed bool, retryAfter time.Duration) time.Duration {
	n = max(n, 1)
	var wait time.Duration
	if indexed {
		wait = ladders[class][min(n, 4)-1]
	} else {
		wait = backoffCap
		if n <= 11 { // 600 s doubled eleven times is past the cap
			wait = min(backoffBase<<(n-1), backoffCap)
		}
	}
	return max(wait, retryAfter)
}

// maxExpires bounds what an Expires header may ask for: a server that says 2037 would never be visited again.
const maxExpires = 365 * day

// successWait is how long an answer that was no error holds: the Period of its Server, or until Expires when that is
// later (rules.md 4.6).
func successWait(now, expires time.Time, period time.Duration) time.Duration {
	return max(period, min(expires.Sub(now), maxExpires), time.Second)
}

// errorsInRow is the number of this error in its series: another class starts a new one.
func errorsInRow(p *store.Previous, class string) int {
	if p.ErrorClass == class {
		return min(p.ErrorCount+1, 32767)
	}
	return 1
}
