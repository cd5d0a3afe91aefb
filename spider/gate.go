package spider

import (
	"fmt"

	"github.com/pgseek/pgseek/store/crawl"
)

// The safety gate: when too many live documents of a site fail within a day, or all its start URLs, the site
// is put on hold, and a failure counts as no answer (T-10). In doubt a document is kept.

// shareSlack makes up for shares that no float64 holds: 29 % of 100 is 29.
const shareSlack = 1e-9

// onHold reports whether nothing of a document's site may be lost.
func onHold(p *crawl.Previous) bool { return p.Gate != nil && p.Gate.State == crawl.GateHeld }

// heldBack reports whether the gate keeps a live document from being lost: its site is on hold, or this
// loss would exceed the share.
func heldBack(o *outcome, p *crawl.Previous) bool { return onHold(p) || holdReason(o, p) != "" }

// holdReason returns why this failure puts the site on hold, "" when it does not.
func holdReason(o *outcome, p *crawl.Previous) string {
	g := p.Gate
	switch {
	case g == nil || g.State != crawl.GateArmed:
		return ""
	case startFailed(o, p) && g.Live > 0 && g.StartsFailed+1 >= g.Starts:
		return crawl.HoldStarts
	case loss(o, p) && live(p) && p.Status.Lost() == 0 && g.Live >= crawl.SmallSite &&
		float64(g.TurnedLost+1) > o.opt.MaxLostShare*float64(g.Live)+shareSlack:
		return crawl.HoldShare
	}
	return ""
}

// startFailed reports whether a start URL of this run failed. That robots.txt is out of reach is not its
// failure.
func startFailed(o *outcome, p *crawl.Previous) bool {
	return p.NextIndexTime == 0 && p.Gate != nil && p.Gate.Starts > 0 && (loss(o, p) || networkError(o, p))
}

// watch counts this document for the gate of its site, and closes the gate when the limit is reached.
func (a *application) watch() {
	p := &a.d.Prev
	if startFailed(a.o, p) {
		a.d.CountFailedStart()
	}
	if reason := holdReason(a.o, p); reason != "" {
		a.d.Hold(reason, a.o.failure())
	} else if countsAsLoss[a.rule] && live(p) && p.Status.Lost() == 0 && p.Gate != nil && p.Gate.State == crawl.GateArmed {
		a.d.CountLoss()
	}
}

var countsAsLoss = map[string]bool{"T-07": true, "T-08": true, "T-09": true, "T-11": true, "T-13": true}

// failure describes the failure of a document: its cause, else its HTTP status.
func (o *outcome) failure() string {
	if o.cause == "" {
		return fmt.Sprintf(answeredWords+"%d", o.status)
	}
	return o.cause
}

const answeredWords = "answered "
