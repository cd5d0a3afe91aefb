package spider

import "github.com/pgseek/pgseek/store/crawl"

// transition is a row of the table of transitions (docs/transitions.md).
type transition struct {
	id       string
	previous state
	result   result
	act      func(*application)
}

// state and result are the conditions of a row: the previous state of the URL, and the result of the
// attempt.
type (
	state  func(*crawl.Previous) bool
	result func(*outcome, *crawl.Previous) bool
)

func (a state) or(b state) state {
	return func(p *crawl.Previous) bool { return a(p) || b(p) }
}

func (a result) or(b result) result {
	return func(o *outcome, p *crawl.Previous) bool { return a(o, p) || b(o, p) }
}

func (a result) and(b result) result {
	return func(o *outcome, p *crawl.Previous) bool { return a(o, p) && b(o, p) }
}

// transitions is the table in the order in which its rows are asked: the first row that fits decides. An
// attempt that fits none is a bug in the caller, never a silent no-op.
//
// Where most of a site is forbidden by robots.txt at once, T-10 comes before T-12.
// Where the safety gate holds a site, T-10 comes before the rows by which a live document would be lost, and where the redirects
// of a site are not counted yet, before T-05.
var transitions = []transition{
	{"T-10", registered, bannedForNow, (*application).keepBanned},
	{"T-12", anything, forbidden, (*application).withdraw},
	{"T-15", withdrawn, allowedAgain.and(stillKept), (*application).revive},
	{"T-15", withdrawn, allowedAgain, (*application).restore},
	{"T-20", kept, keptLongEnough, (*application).removeKept},
	{"T-21", anything, removed, (*application).remove},
	{"T-18", live, purged, (*application).purge},
	{"SR-09", live.or(linked), orphaned, (*application).purgeOrphan},

	{"T-10n", neverAnswered, networkError.or(refusedByHost), (*application).recordSilence},
	{"T-10", anything, paused, (*application).putOff},
	{"T-10", anything, noAnswer, (*application).keepUnchanged},
	{"T-10", live, unconverted, (*application).keepText},
	{"T-10", live, loss.and(heldBack), (*application).holdBack},

	{"T-16", hasContent, unchanged.and(otherMode), (*application).reindex},
	{"T-02", hasContent, notModified, (*application).touch},
	{"T-03", hasContent, sameBody, (*application).touch},

	{"T-06", anything, notIndexed, (*application).replaceByGate},
	{"T-19", united, canonicalStands, (*application).unite},
	{"T-19", live, canonicalSettled, (*application).unite},
	{"T-17", was200, forcedSameBody, (*application).rewrite},
	{"T-14", anything, duplicate, (*application).discard},
	{"T-01c", anything, cloneOfLower, (*application).becomeClone},
	{"T-01o", anything, cloneOfHigher, (*application).becomeOriginal},
	{"T-01", never, ok, (*application).create},
	{"T-04", anything, ok, (*application).replace},

	{"T-10", live, redirect.and(uncounted), (*application).awaitCount},
	{"T-05", anything, redirect.and(current), (*application).replaceByLink},

	{"T-13", anything, badForGood, (*application).removeBad},
	{"T-08", was200, isSoft404.and(equalCRC), (*application).record},
	{"T-07", was200, isSoft404, (*application).lose},
	{"T-08", anything, isSoft404, (*application).record},
	{"T-07", was200, otherHTTP, (*application).lose},
	{"T-08", anything, otherHTTP, (*application).record},
	{"T-09", was200, headerError, (*application).lose},
	{"T-09", anything, headerError, (*application).record},
	{"T-11", was200, processingError, (*application).lose},
	{"T-11", anything, processingError, (*application).record},
}

// decide returns the row that fits, nil when none does.
func decide(p *crawl.Previous, o *outcome) *transition {
	for i := range transitions {
		if t := &transitions[i]; t.previous(p) && t.result(o, p) {
			return t
		}
	}
	return nil
}

// Previous states.

func anything(*crawl.Previous) bool { return true }

func never(p *crawl.Previous) bool { return p.Status == 0 }

// registered reports whether the URL was fetched before and is not taken out.
func registered(p *crawl.Previous) bool { return p.Status != 0 && !p.Deleted }

func withdrawn(p *crawl.Previous) bool { return p.Deleted }

func was200(p *crawl.Previous) bool { return p.Status.Base() == 200 }

// live reports whether a search finds the document; lost documents and clones are live.
var live state = func(p *crawl.Previous) bool { return p.Status.Base() == 200 && !p.Deleted }

// linked reports whether the URL is no document, but has links in the index.
var linked state = func(p *crawl.Previous) bool {
	base := p.Status.Base()
	return !p.Deleted && (base == 301 || base == 302 || base == statusNotIndexed || base == statusCanonical)
}

// united reports whether the page is united with its canonical page.
func united(p *crawl.Previous) bool { return p.Status.Base() == statusCanonical && !p.Deleted }

// neverAnswered reports whether the URL has not answered yet, or its host has refused to; network errors and refusals of such
// URLs are recorded (T-10n). A withdrawn URL is asked only after it has come back.
func neverAnswered(p *crawl.Previous) bool {
	base := p.Status.Base()
	return !p.Deleted && (base == 0 || base == 429 || base == 503 || base >= 700 && base < 800)
}

// hasContent reports whether a 304 or an equal body means something: there was a body. A 406 without a row
// had one, too, but is never requested conditionally.
func hasContent(p *crawl.Previous) bool {
	return p.Status.Base() == 200 || excludedBefore(p)
}

// excludedBefore reports whether the page was received, but not to be indexed. A server's own 406 has neither a digest nor
// the series of noindex, but a series of errors.
func excludedBefore(p *crawl.Previous) bool {
	answered := p.CRC == "" && p.ErrorClass != "" && p.ErrorClass != classRobots
	return p.Status.Base() == statusNotIndexed && !answered
}

// Decisions that no answer is behind.

// forbidden reports whether a rule forbids the URL. A withdrawn URL counts only when it is visited: its
// rule is tested again then.
func forbidden(o *outcome, p *crawl.Previous) bool {
	switch o.status {
	case statusRobotsForbidden, statusConfigForbidden, statusPrivate, statusNoFile:
		return !(o.settled && p.Deleted)
	}
	return false
}

// bannedForNow reports whether robots.txt forbids the URL together with most of its site, which takes nothing out yet.
func bannedForNow(o *outcome, _ *crawl.Previous) bool { return o.banHeld }

// allowedAgain reports whether the URL comes back. A sweep restores only URLs that T-12 withdrew.
var allowedAgain result = func(o *outcome, p *crawl.Previous) bool {
	return o.status == statusAllowedAgain && (!o.settled || p.WithdrawnBy == "T-12")
}

// purged reports whether the document is still lost by the counted error and its site is not on hold.
func purged(o *outcome, p *crawl.Previous) bool {
	silent := (o.purge >= 700 && o.purge < 800 || o.purge == 429 || o.purge == 503) &&
		p.ErrorClass == classUnreachable // UnreachableRemove, lost before or not
	return o.status == statusPurged && !onHold(p) && (silent || p.Status.Lost() != 0 && p.Status.Lost() == o.purge)
}

func orphaned(o *outcome, p *crawl.Previous) bool { return o.status == statusOrphaned && !onHold(p) }

// Results.

var networkError result = func(o *outcome, _ *crawl.Previous) bool { return o.status >= 700 && o.status < 800 }

// refusedByHost reports whether the host refused the request because there were too many (pace.go). A 503 in doubt counts as
// a refusal once in a run; then the URL is asked again. Without a previous state it does not.
var refusedByHost result = func(o *outcome, p *crawl.Previous) bool {
	return o.refused == refused || o.refused == inDoubt && p != nil && p.Refused == 0
}

// noAnswer reports whether there was no answer, to a request for the URL or for its host's robots.txt. A robots.txt that is
// answered, but cannot be had, says nothing about the URL.
func noAnswer(o *outcome, p *crawl.Previous) bool {
	return networkError(o, p) || refusedByHost(o, p) || o.status == statusRobotsUnavailable
}

// unconverted reports whether nothing here converts the document, whose text a converter has stored before.
func unconverted(o *outcome, _ *crawl.Previous) bool { return o.sparesText }

// paused reports whether the URL was not asked for because its pattern is paused.
func paused(o *outcome, _ *crawl.Previous) bool { return o.status == statusPaused }

func notModified(o *outcome, _ *crawl.Previous) bool { return o.status == 304 }

// sameBody reports whether the received body equals the stored one by its digest, and nothing else asks for
// reading it.
func sameBody(o *outcome, p *crawl.Previous) bool {
	return (ok(o, p) || notIndexed(o, p)) && equalCRC(o, p) && !o.forced && !otherMode(o, p) && !linksAppear(o, p)
}

// linksAppear reports whether a 406 without a row has links under the present rules. Nothing is stored from
// which they could be read later, so it is read like a new page.
func linksAppear(o *outcome, p *crawl.Previous) bool {
	return notIndexed(o, p) && !p.HasRow && len(o.links) > 0
}

var unchanged result = func(o *outcome, p *crawl.Previous) bool {
	return o.status == 304 || (ok(o, p) || notIndexed(o, p)) && equalCRC(o, p)
}

// otherMode reports whether the Server has another indexing mode than at the last success.
func otherMode(o *outcome, p *crawl.Previous) bool { return p.IndexMode != o.mode() }

func forcedSameBody(o *outcome, p *crawl.Previous) bool {
	return o.status == 200 && equalCRC(o, p) && o.forced && p.Origin == 0
}

func equalCRC(o *outcome, p *crawl.Previous) bool { return o.crc != "" && o.crc == p.CRC }

func notIndexed(o *outcome, _ *crawl.Previous) bool { return o.excluded }

func ok(o *outcome, _ *crawl.Previous) bool { return o.status == 200 }

// duplicate reports whether so many documents have this body that it is taken for a page of an infinite
// space.
func duplicate(o *outcome, p *crawl.Previous) bool {
	return o.status == 200 && o.opt.InfiniteDuplicates > 0 && p.Equals >= o.opt.InfiniteDuplicates
}

func cloneOfLower(o *outcome, p *crawl.Previous) bool {
	return o.status == 200 && o.opt.Clones && p.Twin != 0 && p.Twin < o.id()
}

func cloneOfHigher(o *outcome, p *crawl.Previous) bool {
	return o.status == 200 && o.opt.Clones && p.Twin != 0 && p.Twin > o.id()
}

// canonicalStands reports whether a page names a canonical page that is in the index, lost or not, and names no other page itself.
func canonicalStands(o *outcome, p *crawl.Previous) bool {
	return o.status == 200 && o.named() != 0 && p.CanonicalStands
}

// canonicalSettled reports whether a document is united with its canonical page without an attempt. That page has answered 200, and the
// site is not on hold.
func canonicalSettled(o *outcome, p *crawl.Previous) bool {
	return o.settled && o.status == statusCanonical && p.Status.Lost() == 0 && p.Canonical == o.target && p.CanonicalStands && !p.StandsLost &&
		!onHold(p)
}

var redirect result = func(o *outcome, _ *crawl.Previous) bool { return o.status == 301 || o.status == 302 }

func badForGood(o *outcome, _ *crawl.Previous) bool {
	return (o.status == 404 || o.status == 410) && o.server.DeleteBad
}

// otherHTTP is true for a 406 of the server, too, which is an answer like any other. A redirect that is carried out later and is out
// of date by then is none.
func otherHTTP(o *outcome, _ *crawl.Previous) bool {
	return o.status >= 100 && o.status < 600 && !o.settled
}

// isSoft404 reports whether the page equals the answer of its site for an address that cannot exist. Without an attempt that is so only
// while the document has that body (takeBack).
var isSoft404 result = func(o *outcome, p *crawl.Previous) bool {
	return o.status == statusSoft404 && (!o.settled || p == nil || live(p) && equalCRC(o, p))
}

func headerError(o *outcome, _ *crawl.Previous) bool { return o.status >= 600 && o.status < 700 }

func processingError(o *outcome, _ *crawl.Previous) bool { return o.status >= 800 && o.status < 900 }

// loss reports whether the result makes a live document lost, or removes it by DeleteBad (T-07, T-09, T-11,
// T-13), or takes it out because it always was a soft 404 (T-08).
var loss result = func(o *outcome, p *crawl.Previous) bool {
	return otherHTTP(o, p) && !refusedByHost(o, p) && !ok(o, p) && !notModified(o, p) && !redirect(o, p) && !notIndexed(o, p) ||
		headerError(o, p) || processingError(o, p) && !o.sparesText || isSoft404(o, p)
}
