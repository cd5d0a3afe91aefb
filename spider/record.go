package spider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// recordAndCount records an outcome of a schedule and counts it.
func (v *visit) recordAndCount(ctx context.Context, o *outcome) error {
	_, rule, err := v.record(ctx, o)
	if err == nil {
		v.count(ctx, o, rule)
	}
	return err
}

// count counts a recorded attempt.
func (v *visit) count(ctx context.Context, o *outcome, rule string) {
	v.c.counts.add(rule, o)
	slog.DebugContext(ctx, "visited", "url", printable.Log(o.due.URL), "url_id", o.due.ID, "schedule", v.token.Seq,
		"rule", rule, "status", o.status, "cause", o.cause, "bytes", o.bytes(), "elapsed", o.elapsed())
}

// maxRetries bounds how often a decision is repeated because the document or its clone group has changed
// meanwhile. Each time another process made progress, and a group is finite, so more is a fault of the
// program.
const maxRetries = 10_000

// maxRequests is how many requests for a URL are sent in a run, so that nothing which the program does wrong can turn against
// a site.
const maxRequests = 3

// record commits an outcome. A value that the database refuses becomes an error of that document (P8). A
// document that changed during an attempt that did not read its body is read after all, and one that another
// visit recorded meanwhile is requested again. A decision without a fetch is repeated until it fits or is void;
// its rule is empty then. record also returns the outcome that was committed, which may be another one.
func (v *visit) record(ctx context.Context, o *outcome) (_ *outcome, rule string, err error) {
	c := v.c
	if err := v.tellMembers(ctx, o); err != nil {
		return o, "", err
	}
	refused := false
	for try := 1; ; try++ {
		f, err := v.finding(ctx, o)
		if err != nil {
			return o, "", err
		}
		if err = c.registerFound(ctx, []*finding{f}); err != nil && !store.BadValue(err) {
			return o, "", err
		}
		if err != nil { // a link that the database refuses
		} else if c.realtime != nil {
			err = c.realtime.record(ctx, f)
		} else if err = c.recordDocuments(ctx, []*finding{f}); err == nil {
			err = f.err
		}
		switch {
		case try == maxRetries && (errors.Is(err, errNotRead) || errors.Is(err, crawl.ErrWaitingChanged) || errors.Is(err, crawl.ErrDependent)):
			return o, "", fmt.Errorf("url %d changed during %d successive attempts: %w", o.due.ID, try, err)
		case errors.Is(err, crawl.ErrWaitingChanged), errors.Is(err, crawl.ErrDependent): // read again by the next attempt
		case errors.Is(err, errNotRead) && o.settled:
			if *o.due, err = c.store.Look(ctx, o.due.ID); err != nil {
				return o, "", err
			}
		case errors.Is(err, errNotRead):
			if o, err = v.readAfterAll(ctx, o, &f.prev, errors.Is(err, errOvertaken)); err != nil {
				return nil, "", err
			}
		case store.BadValue(err) && !refused:
			slog.WarnContext(ctx, "the database rejects a value of a document", "url", printable.Log(o.due.URL), "cause", err)
			o, refused = v.faulty(err), true
		default:
			return o, f.rule, err
		}
	}
}

// readAfterAll completes an outcome whose document changed during the attempt; prev is its present state. A
// document is requested again when the server did not send its body, or when another visit overtook this one.
// When no request is left, the last answer counts: it was asked for after the visits that overtook the others.
func (v *visit) readAfterAll(ctx context.Context, o *outcome, prev *crawl.Previous, overtaken bool) (*outcome, error) {
	v.takeOver(o, prev)
	due := v.due
	switch {
	case due.Deleted, overtaken && v.requests < maxRequests:
		var err error
		if o, err = v.attempt(ctx); err != nil {
			return nil, err
		}
	case o.complete():
		return o, nil // the group or the gate, which are looked at again
	case o.answer.Status == 200 && !v.c.o.Converts(o.answer.ContentType): // else its file has gone
		var err error
		if v.policy, err = v.c.robots.policy(ctx, v.page); err != nil {
			return nil, err
		}
		o.status, o.excluded, o.repeated, v.whole = 200, false, false, true
		if err := v.read(ctx, o); err != nil {
			return nil, err
		}
	case v.requests >= maxRequests:
		slog.WarnContext(ctx, "a document changed during every request", "url", printable.Log(due.URL), "requests", v.requests)
		o = v.faulty(errNotRead)
	default:
		var err error
		if o, err = v.attempt(ctx); err != nil {
			return nil, err
		}
	}
	return o, v.reach(ctx, o)
}

// takeOver replaces the state that an outcome began with by the present one.
func (v *visit) takeOver(o *outcome, prev *crawl.Previous) {
	due := *v.due
	due.Attempts = prev.Attempts
	due.HasContent, due.CRC, due.Status, due.Origin, due.Deleted = false, prev.CRC, prev.Status, prev.Origin, prev.Deleted
	v.due, o.due = &due, &due
}

// complete reports whether an outcome has all that any transition needs of it.
func (o *outcome) complete() bool { return o.read || o.status != 200 && o.status != 304 && !o.excluded }

// groups returns the clone groups and the gate that recording an outcome may touch. For a document that may
// leave its clone group it also prepares the successor's content: nothing is parsed inside a transaction.
func (v *visit) groups(ctx context.Context, o *outcome) (g crawl.Groups, err error) {
	c := v.c
	if o.status == statusAllowedAgain {
		return v.keptGroups(ctx, o)
	}
	switch {
	case o.status == 200 && (c.o.Clones || c.o.InfiniteDuplicates > 0) && o.crc != "":
		g.New, g.Equals = o.crc, c.o.InfiniteDuplicates
	case c.realtime != nil && o.status == 200: // the original must stay the same, because its waiting words are shown
		g.New = o.crc
	case c.realtime != nil && o.status == 304:
		g.New = o.due.CRC
	}
	g.Refused = o.refused != notRefused
	switch {
	case o.status == statusCanonical:
		g.Canonical = o.target
	case o.due.Status.Base() == statusCanonical:
		g.Canonical = o.named()
	}
	if o.status == statusKeptLongEnough || o.status == statusRemoved && o.due.Deleted {
		g.Gate, g.Old = o.due.Site, o.due.CRC // others of its group may be about to come back from its content
		return g, nil
	}
	wasLive := o.due.Status.Base() == 200 && !o.due.Deleted
	if wasLive && (loss(o, nil) || redirect(o, nil) || o.settled) || o.due.Start && (loss(o, nil) || networkError(o, nil)) {
		g.Gate = o.due.Site
	}
	if wasLive && c.realtime != nil && redirect(o, nil) {
		if o.tooMany, err = c.realtime.tooManyWith(ctx, o); err != nil {
			return g, err
		}
	}
	if !wasLive || o.due.CRC == "" || !mayLeaveGroup(o) {
		return g, nil
	}
	// A clone counts, too: it may have become the original since it was leased.
	g.Old = o.due.CRC
	if o.successor, err = c.store.Successor(ctx, o.due.ID); err != nil || o.successor == 0 {
		return g, err
	}
	doc, err := v.storedDocument(ctx)
	if errors.As(err, new(*store.Damaged)) {
		slog.WarnContext(ctx, "stored content is damaged; the promoted clone is searchable after its next fetch",
			"url", printable.Log(o.due.URL), "successor", o.successor, "cause", err)
		err = nil
	}
	if doc == nil {
		o.promoted = crawl.PromotedContent{}
		return g, err
	}
	o.promoted, err = v.promotedContent(ctx, o, doc)
	return g, err
}
