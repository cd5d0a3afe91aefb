package spider

import (
	"fmt"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store/crawl"
)

// The next time of a URL and its reason (docs/reference/behavior.md, Errors and back-off, Next visit). The
// reasons go to urlstate.next_why.

const day = 24 * time.Hour

// Error classes, as urlstate.error_class has them.
const (
	classServer      = "server"
	classAuth        = "auth"
	classGone        = "gone"
	classUnreachable = "unreachable"
	classRobots      = "robots"
	classUnread      = "unread" // a type that nothing reads, or a damaged document, of a URL with nothing in the index
)

// errorClass returns the error class of a status.
func errorClass(status int) string {
	switch {
	case status == 404 || status == 410 || status == statusSoft404:
		return classGone
	case status == 401:
		return classAuth
	case status >= 700 && status < 800, status == statusRobotsUnavailable:
		return classUnreachable
	default:
		return classServer
	}
}

// ladders are the waits after the 1st, 2nd, 3rd and every further error of a class in a row, for URLs
// that have something in the index.
var ladders = map[string][4]time.Duration{
	classServer:      {1 * day, 3 * day, 7 * day, 21 * day},
	classAuth:        {1 * day, 3 * day, 7 * day, 21 * day},
	classGone:        {1 * day, 3 * day, 7 * day, 21 * day},
	classUnreachable: {5 * time.Hour, 1 * day, 5 * day, 21 * day},
	classRobots:      {5 * day, 15 * day, 30 * day, 30 * day},
}

// intervals are the rungs of Schedule adaptive, in base intervals.
var intervals = [4]time.Duration{1, 3, 7, 14}

// oftenWait is the interval of CrawlFrequently. seldomTimes is the number of Periods between two visits
// under CrawlInfrequently.
const (
	oftenWait   = day
	seldomTimes = 4
)

// maxExpires bounds what an Expires header may ask for: a server that says 2037 would never be visited again.
const maxExpires = 365 * day

// after returns a time from now, at least a second, and records the reason.
func (a *application) after(wait time.Duration, why string) int64 {
	wait = max(wait, time.Second)
	a.row.NextWhy = why + span(wait)
	return a.now.Add(wait).Unix()
}

// period is the base interval of the Server that rules the URL.
func (a *application) period() time.Duration {
	if a.o.server == nil {
		return 7 * day
	}
	return a.o.server.Period
}

// nextChanged returns the next time of a new or changed document. It ends a series of errors.
func (a *application) nextChanged() int64 {
	a.row.Step, a.row.Unchanged = 0, 0
	return a.nextSuccess()
}

// nextUnchanged returns the next time of an unchanged document; under the adaptive schedule the interval
// grows. A page in the series of noindex stays in that series.
func (a *application) nextUnchanged() int64 {
	p := &a.d.Prev
	if p.ErrorClass == classRobots && excludedBefore(p) {
		return a.nextError(classRobots)
	}
	if a.row.Unchanged++; a.row.Unchanged >= a.o.opt.UnchangedChecks {
		a.row.Step, a.row.Unchanged = min(a.row.Step+1, len(intervals)-1), 0
	}
	return a.nextSuccess()
}

func (a *application) nextSuccess() int64 {
	opt, period := a.o.opt, a.period()
	wait, why := period, "period "
	if a.o.server.Adaptive {
		wait, why = min(intervals[a.row.Step]*opt.BaseInterval, opt.MaxInterval), fmt.Sprintf("adaptive step %d: ", a.row.Step)
	} else {
		a.row.Step, a.row.Unchanged = 0, 0
	}
	switch a.o.pace {
	case 1:
		wait, why = oftenWait, "frequently: "
	case -1:
		wait, why = max(wait, seldomTimes*period), "infrequently: "
	}
	if expires := min(a.o.answer.Expires.Sub(a.now), maxExpires); expires > wait {
		wait, why = expires, "expires "
	}
	if a.o.opt.isMember(a.o.due.URL) {
		wait, why = memberWait, "with its archive, at the latest "
	}
	if left := a.o.unavailable.Sub(a.now); !a.o.unavailable.IsZero() && left > 0 && left < wait {
		wait, why = left, "unavailable_after "
	}
	return a.after(wait, why)
}

// early reports whether index -T visits a URL with an error before its time. Such an attempt does not count
// as a further error: otherwise four calls within a second would pass for four checks with their waits.
func (a *application) early() bool {
	p := &a.d.Prev
	return a.o.manual && p.ErrorCount > 0 && a.now.Unix() < p.NextIndexTime
}

// nextError counts an error into its series and returns the next time.
func (a *application) nextError(class string) int64 {
	p := &a.d.Prev
	if a.early() && p.ErrorClass == class {
		a.row.ErrorClass, a.row.ErrorCount = class, p.ErrorCount
		a.row.NextWhy = fmt.Sprintf("%s error %d, checked again before it was due", class, p.ErrorCount)
		return p.NextIndexTime
	}
	n := errorsInRow(p, class)
	a.row.ErrorClass, a.row.ErrorCount = class, n
	removed := noLongerKept(p)
	indexed := a.hadEntries() && !removed
	wait := errorWait(class, n, indexed, a.o.opt)
	why := fmt.Sprintf("%s error %d: ", class, n)
	settled := class == classUnread || class == classRobots || a.o.status >= 800 && a.o.status < 900 && p.Status.Base() != 200
	switch {
	case settled && a.o.opt.isMember(a.o.due.URL):
		wait, why = memberWait, "with its archive, at the latest "
	case class == classUnread:
		wait, why = a.period(), "type not read: "
		if a.o.status != fetch.StatusNoConverter {
			why = "cannot be read: "
		}
	case class == classRobots:
		why = fmt.Sprintf("noindex %d: ", n)
	case removed:
		why = fmt.Sprintf("no longer kept, %s error %d: ", class, n)
	case !indexed:
		why = fmt.Sprintf("never indexed, %s error %d: ", class, n)
	}
	if a.o.answer != nil && a.o.answer.RetryAfter > wait {
		wait, why = a.o.answer.RetryAfter, "retry-after "
	}
	return a.after(wait, why)
}

// nextSilence returns the next time after no answer. A URL that its host refuses stays due in the run until it was asked for
// as often as it may be; it counts as one error in a row for each run.
func (a *application) nextSilence() int64 {
	p := &a.d.Prev
	if !refusedByHost(a.o, p) {
		return a.nextError(classUnreachable)
	}
	if p.Refused > 0 && p.ErrorClass == classUnreachable {
		p.ErrorCount-- // it is counted already
	}
	next := a.nextError(classUnreachable)
	if a.o.manual || p.Refused+1 >= crawl.MaxRefused || a.o.refused == refused && a.o.answer.RetryAfter > crawl.LongestWait {
		return next
	}
	a.o.again = true
	a.row.NextWhy = "refused, asked again in this run"
	return p.NextIndexTime
}

// errorWait is how long to wait after the n-th error in a row of a class, Retry-After aside. indexed says
// whether the URL has anything in the index; the others' back-off doubles from its base to the longest
// interval.
func errorWait(class string, n int, indexed bool, opt *Options) time.Duration {
	n = max(n, 1)
	if indexed {
		return ladders[class][min(n, 4)-1]
	}
	wait := opt.BackoffBase
	for range n - 1 {
		if wait *= 2; wait >= opt.MaxInterval {
			break
		}
	}
	return min(wait, opt.MaxInterval)
}

// errorsInRow returns the number of this error in its series. Another class starts a new series.
func errorsInRow(p *crawl.Previous, class string) int {
	if p.ErrorClass == class {
		return min(p.ErrorCount+1, 32767)
	}
	return 1
}

// span formats a duration with units: 7d, 5h, 40m, 1h30m.
func span(d time.Duration) string {
	d = d.Round(time.Second)
	if d < time.Second {
		return "0s"
	}
	var b strings.Builder
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if n := d / unit.length; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			d -= n * unit.length
		}
	}
	return b.String()
}
