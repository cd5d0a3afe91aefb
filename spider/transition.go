package spider

import "github.com/pgseek/pgseek/store"

// transition is a row of rules.md 4.1.
type transition struct {
	id       string
	previous func(*store.Previous) bool
	result   func(*outcome, *store.Previous) bool
	act      func(*application)
}

// transitions is rules.md 4.1 in the order in which its rows are asked: the first row that fits decides. An attempt that
// fits none is a bug in the caller, never a silent no-op.
//
// T-13 (DeleteBad), T-14 (infinite spaces), T-16 (changed indexing mode) and T-18 (purge) have their place here and are
// not carried out yet: see ARCHITECTURE.md.
var transitions = []transition{
	{"T-12", anything, forbidden, (*application).withdraw},
	{"T-15", withdrawn, allowedAgain, (*application).restore},

	{"T-10n", neverAnswered, networkError, (*application).recordSilence},
	{"T-10", anything, noAnswer, (*application).leave},

	{"T-02", hasContent, notModified, (*application).touch},
	{"T-03", hasContent, sameBody, (*application).touch},

	{"T-06", anything, notIndexed, (*application).replaceByGate},
	{"T-17", was200, forcedSameBody, (*application).replace},
	{"T-01c", anything, cloneOfLower, (*application).becomeClone},
	{"T-01o", anything, cloneOfHigher, (*application).becomeOriginal},
	{"T-01", never, ok, (*application).create},
	{"T-04", anything, ok, (*application).replace},

	{"T-05", anything, redirect, (*application).replaceByLink},

	{"T-07", was200, otherHTTP, (*application).lose},
	{"T-08", anything, otherHTTP, (*application).record},
	{"T-09", was200, headerError, (*application).lose},
	{"T-09", anything, headerError, (*application).record},
	{"T-11", was200, processingError, (*application).lose},
	{"T-11", anything, processingError, (*application).record},
}

// decide returns the row that fits, nil when none does.
func decide(p *store.Previous, o *outcome) *transition {
	for i := range transitions {
		if t := &transitions[i]; t.previous(p) && t.result(o, p) {
			return t
		}
	}
	return nil
}

// Previous states.

func anything(*store.Previous) bool { return true }

func never(p *store.Previous) bool { return p.Status == 0 }

func withdrawn(p *store.Previous) bool { return p.Deleted }

func was200(p *store.Previous) bool { return p.Status.Base() == 200 }

// neverAnswered: the first-indexing rule of network errors holds until a URL answers for the first time.
func neverAnswered(p *store.Previous) bool {
	return p.Status == 0 || p.Status.Base() >= 700 && p.Status.Base() < 800
}

// hasContent: a 304 or an equal body means something only where there was a body. A 406 without a row had one too
// (C-11), but is never asked conditionally.
func hasContent(p *store.Previous) bool {
	return p.Status.Base() == 200 || p.Status.Base() == statusNotIndexed
}

// Results.

func forbidden(o *outcome, _ *store.Previous) bool {
	return o.status == statusRobotsForbidden || o.status == statusConfigForbidden
}

func networkError(o *outcome, _ *store.Previous) bool { return o.status >= 700 && o.status < 800 }

// noAnswer holds for a deferred host's URLs, too: that robots.txt is out of reach says nothing about them (C-13).
func allowedAgain(o *outcome, _ *store.Previous) bool { return o.status == statusAllowedAgain }

func noAnswer(o *outcome, p *store.Previous) bool {
	return networkError(o, p) || o.status == statusRobotsUnavailable
}

func notModified(o *outcome, _ *store.Previous) bool { return o.status == 304 }

// sameBody: once a body has been received, equality of its digest decides (C-11). A changed indexing mode needs the body
// read anew.
func sameBody(o *outcome, p *store.Previous) bool {
	return (o.status == 200 || o.status == statusNotIndexed) && equalCRC(o, p) && !o.forced && p.IndexMode == o.server.mode()
}

func forcedSameBody(o *outcome, p *store.Previous) bool {
	return o.status == 200 && equalCRC(o, p) && o.forced && p.Origin == 0
}

func equalCRC(o *outcome, p *store.Previous) bool { return o.crc != "" && o.crc == p.CRC }

func notIndexed(o *outcome, _ *store.Previous) bool { return o.status == statusNotIndexed }

func ok(o *outcome, _ *store.Previous) bool { return o.status == 200 }

func cloneOfLower(o *outcome, p *store.Previous) bool {
	return o.status == 200 && p.Twin != 0 && p.Twin < o.id()
}

func cloneOfHigher(o *outcome, p *store.Previous) bool {
	return o.status == 200 && p.Twin != 0 && p.Twin > o.id()
}

func redirect(o *outcome, _ *store.Previous) bool { return o.status == 301 || o.status == 302 }

func otherHTTP(o *outcome, _ *store.Previous) bool { return o.status < 600 }

func headerError(o *outcome, _ *store.Previous) bool { return o.status >= 600 && o.status < 700 }

func processingError(o *outcome, _ *store.Previous) bool { return o.status >= 800 && o.status < 900 }
