package spider

import (
	"context"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store/failpoint"
)

// attempt visits one URL: rules, robots.txt, fetch, judgement, and reading where there is something new to
// read. An error is ours or the database's; whatever the site did is in the outcome.
func (v *visit) attempt(ctx context.Context) (*outcome, error) {
	c := v.c
	o := &outcome{due: v.due, server: v.server, forced: c.o.Forced, manual: c.realtime != nil, start: c.foundDue(), opt: &c.o}
	if err := v.visitsDuplicate(ctx); err != nil {
		return nil, err
	}
	if v.refused != "" {
		o.status, o.cause = statusConfigForbidden, v.refused
		return o, nil
	}
	if pattern := v.pausedBy(); pattern != "" {
		o.status, o.cause = statusPaused, "paused: "+pattern
		return o, nil
	}
	o.pace, o.forced = v.pace, o.forced || v.forced
	var err error
	if v.policy, err = c.robots.policy(ctx, v.page); err != nil {
		return nil, err
	}
	p := v.policy
	if p.deferred {
		o.status, o.cause = p.unavailable()
		return o, nil
	}
	if cause := v.policy.forbids(v.page.Path); cause != "" {
		o.status, o.cause, o.banHeld = statusRobotsForbidden, cause, p.held && !v.due.Deleted && v.due.Status != 0
		return o, nil
	}
	if refused, err := v.refusesFile(ctx, o); refused || err != nil {
		return o, err
	}
	if v.due.Deleted { // it comes back first, and is fetched in this run (T-15)
		o.status = statusAllowedAgain
		return o, nil
	}
	if c.realtime == nil && c.polite.stays(v.page.Host) && !v.isAtHand() { // its robots.txt was just read, and asks for a pause
		return nil, errHostPaused
	}
	defer func() { o.answer.Discard() }()
	if err := v.ask(ctx, o); err != nil {
		return nil, err
	}
	if err := c.network.confirm(ctx, v.page.HostInfo, o.status, o.cause); err != nil {
		return nil, err
	}
	if err := v.evaluate(ctx, o); err != nil {
		return nil, err
	}
	return o, v.spareText(ctx, o)
}

// ask sends the request, conditional when something is stored to compare with.
func (v *visit) ask(ctx context.Context, o *outcome) error {
	due := v.due
	request := fetch.Request{URL: v.page.Text, Method: "GET", Auth: v.server.Auth}
	if due.HasContent && !o.forced && v.verdict != CheckOnly { // a page that is only to be checked has nothing to compare with
		request.ETag, request.LastModified = due.ETag, due.LastModified
		if due.LastModified == "" && due.LastIndexTime > 0 && due.IndexMode&modeEarlier == 0 {
			request.LastModified = time.Unix(due.LastIndexTime, 0).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
		}
	}
	if v.verdict == CheckOnly {
		request.Method = "HEAD"
	} else if v.server.HeadFirst && due.HasContent && !o.forced && !v.isMember() {
		done, heard, err := v.sameByHead(ctx, o, request)
		if err != nil || done {
			return err
		}
		request.Fresh = !heard
	}
	o.answer, o.refused = v.fetch(ctx, request)
	o.headed = false
	if o.refused == notAsked && ctx.Err() == nil {
		return errHostPaused
	}
	o.status, o.cause = o.answer.Status, o.answer.Cause
	if err := failpoint.Hit("fetch.after-body"); err != nil {
		return err
	}
	return ctx.Err()
}

// sameByHead asks with HEAD and takes equal validators and length for a 304 (HeadFirst). done says that no GET is needed:
// for that, and when the host refuses. heard is false when there was no answer.
func (v *visit) sameByHead(ctx context.Context, o *outcome, r fetch.Request) (done, heard bool, err error) {
	size, err := v.c.store.StoredSize(ctx, v.due.ID)
	if err != nil {
		return false, false, err
	}
	a, said := v.fetch(ctx, fetch.Request{URL: r.URL, Method: "HEAD", Auth: r.Auth})
	if err := ctx.Err(); err != nil {
		return false, false, err
	}
	if said == notAsked {
		return false, false, errHostPaused
	}
	if said != notRefused { // GET would be refused, too
		o.answer, o.status, o.cause, o.refused = a, a.Status, a.Cause, said
		return true, true, nil
	}
	if heard = a.Status < 700 || a.Status > 799; a.Status != 200 || a.ETag == "" || a.ETag != v.due.ETag || a.LastModified == "" || a.LastModified != v.due.LastModified ||
		a.Header.Get("Content-Length") != fmt.Sprint(size) {
		return false, heard, nil
	}
	a.Status = 304
	o.answer, o.status, o.headed = a, 304, true
	return true, true, nil
}

// askTag sends a HEAD after a 304 without X-Robots-Tag when the last header said noindex or named a date that has passed: most servers
// leave the header out of a 304. If the HEAD fails, the last header holds.
func (v *visit) askTag(ctx context.Context, o *outcome) error {
	expired := v.due.IndexMode&modeTagDate != 0 && v.due.Unavailable <= v.c.now().Unix()
	if o.status != 304 || o.headed || v.due.IndexMode&modeTagNoIndex == 0 && !expired || len(o.answer.Header.Values("X-Robots-Tag")) > 0 {
		return nil
	}
	a, said := v.fetch(ctx, fetch.Request{URL: v.page.Text, Method: "HEAD", Auth: v.server.Auth})
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case said == notAsked:
		return errHostPaused
	case said == notRefused && a.Status == 200:
		o.answer.Header, o.headed = a.Header, true
	}
	return nil
}
