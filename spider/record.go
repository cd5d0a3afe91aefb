package spider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// visit attempts one URL and records what came of it, at once or, when nothing did, with others of its schedule.
func (c *crawler) visit(ctx context.Context, lease *crawl.Lease, due *crawl.Due, r *unchangedBatch) error {
	o, err := c.attempt(ctx, due)
	if store.BadValue(err) {
		o, err = c.faulty(due, err), nil
	}
	if err == nil {
		err = c.reach(ctx, o)
	}
	if err != nil {
		return err
	}
	if u, ok := c.unchanged(o); ok {
		return c.flush(ctx, lease, r.add(o, u))
	}
	return c.recordVisit(ctx, lease, o)
}

// recordVisit records an outcome of a schedule and counts it.
func (c *crawler) recordVisit(ctx context.Context, lease *crawl.Lease, o *outcome) error {
	rule, err := c.record(ctx, token(lease, c.run, o.due.Place), o)
	if err == nil {
		c.visited(ctx, lease, o, rule)
	}
	return err
}

// visited counts a recorded attempt.
func (c *crawler) visited(ctx context.Context, lease *crawl.Lease, o *outcome, rule string) {
	c.counts.add(rule, o)
	slog.DebugContext(ctx, "visited", "url", printable.Log(o.due.URL), "url_id", o.due.ID, "schedule", lease.Seq, "rule", rule, "status", o.status, "cause", o.cause,
		"bytes", o.bytes(), "elapsed", o.elapsed())
}

func token(lease *crawl.Lease, run store.RunID, place int) crawl.Token {
	return crawl.Token{Seq: lease.Seq, Attempt: lease.Attempt, Place: place, Run: run}
}

// maxRetries is how often an attempt is looked at again whose document or clone group changes under it. Each time somebody else got
// on, and a group has an end: more than this is a fault of ours.
const maxRetries = 10_000

// record commits an outcome. A value that the database refuses is an error of that document (P8); a document that changed
// under an attempt that did not read its body is read after all. A decision that no fetch is behind is made again until it fits
// or is void: the rule is empty then.
func (c *crawler) record(ctx context.Context, held crawl.Token, o *outcome) (rule string, err error) {
	_, rule, err = c.recordWithRetry(ctx, held, o)
	return rule, err
}

// recordWithRetry is record; it returns the outcome that was committed, too, which may be another.
func (c *crawler) recordWithRetry(ctx context.Context, held crawl.Token, o *outcome) (_ *outcome, rule string, err error) {
	var prev crawl.Previous
	refused := false
	for try := 1; ; try++ {
		now := c.now()
		var groups crawl.Groups
		if groups, err = c.groups(ctx, o); err != nil {
			return o, "", err
		}
		decide := func(d *crawl.DocumentTx) (err error) {
			prev = d.Prev
			rule, err = apply(d, o, now)
			return err
		}
		if c.realtime != nil {
			err = c.realtime.record(ctx, o, now, groups, decide)
		} else {
			err = c.store.RecordDocument(ctx, held, o.due.ID, now.Unix(), groups, decide)
		}
		switch {
		case try == maxRetries && (errors.Is(err, errNotRead) || errors.Is(err, crawl.ErrWaitingChanged)):
			return o, "", fmt.Errorf("url %d changed during %d successive attempts: %w", o.due.ID, try, err)
		case errors.Is(err, crawl.ErrWaitingChanged): // read anew by the next attempt
		case errors.Is(err, errNotRead) && o.settled:
			if *o.due, err = c.store.Look(ctx, o.due.ID); err != nil {
				return o, "", err
			}
		case errors.Is(err, errNotRead):
			if o, err = c.readAfterAll(ctx, o, &prev); err != nil {
				return nil, "", err
			}
		case store.BadValue(err) && !refused:
			slog.WarnContext(ctx, "the database rejects a value of a document", "url", printable.Log(o.due.URL), "cause", err)
			o, refused = c.faulty(o.due, err), true
		default:
			return o, rule, err
		}
	}
}

// readAfterAll completes an outcome whose document changed under the attempt: prev is what it is now. Only a document whose
// body the server did not send again is asked for once more.
func (c *crawler) readAfterAll(ctx context.Context, o *outcome, prev *crawl.Previous) (*outcome, error) {
	due := *o.due
	due.HasContent, due.CRC, due.Status, due.Origin, due.Deleted = false, prev.CRC, prev.Status, prev.Origin, prev.Deleted
	o.due = &due
	switch {
	case due.Deleted:
		var err error
		if o, err = c.attempt(ctx, &due); err != nil {
			return nil, err
		}
	case o.read || o.status != 200 && o.status != 304 && o.status != statusNotIndexed:
		return o, nil // the group or the gate, which are looked at again
	case o.answer.Status == 200:
		r := c.o.Scope.rule(due.URL, due.Hops)
		p, err := c.robots.policy(ctx, r.page)
		if err != nil {
			return nil, err
		}
		o.status = 200
		if err := c.read(ctx, o, r.page, p); err != nil {
			return nil, err
		}
	default:
		var err error
		if o, err = c.attempt(ctx, &due); err != nil {
			return nil, err
		}
	}
	return o, c.reach(ctx, o)
}

// groups says what recording an outcome may touch beside its URL, and reads for the heir of a clone group that the
// document may leave: parsing is no work for a transaction.
func (c *crawler) groups(ctx context.Context, o *outcome) (g crawl.Groups, err error) {
	switch {
	case o.status == 200 && (c.o.Clones || c.o.InfiniteDuplicates > 0) && o.crc != "":
		g.New, g.Equals = o.crc, c.o.InfiniteDuplicates
	case c.realtime != nil && o.status == 200: // who answers for the document is to stay so, for what waits of it is shown
		g.New = o.crc
	case c.realtime != nil && o.status == 304:
		g.New = o.due.CRC
	}
	wasLive := o.due.Status.Base() == 200 && !o.due.Deleted
	if wasLive && (loss(o, nil) || o.settled) || o.due.Start && (loss(o, nil) || networkError(o, nil)) {
		g.Gate = o.due.Site
	}
	if !wasLive || o.due.CRC == "" || !mayLeaveGroup(o) {
		return g, nil
	}
	// A clone counts, too: it may have become the original since it was leased.
	g.Old = o.due.CRC
	if o.heir, err = c.store.Heir(ctx, o.due.ID); err != nil || o.heir == 0 {
		return g, err
	}
	doc, err := c.storedDocument(ctx, o.due.ID, o.due.CRC)
	if errors.As(err, new(*store.Damaged)) {
		slog.WarnContext(ctx, "stored content is damaged; the promoted clone is searchable after its next fetch",
			"url", printable.Log(o.due.URL), "successor", o.heir, "cause", err)
		err = nil
	}
	if doc == nil {
		o.heritage = crawl.PromotedContent{}
		return g, err
	}
	o.heritage, err = c.promotedContent(ctx, o, doc)
	return g, err
}

// promotedContent is what an heir makes of the content that it shares with its predecessor: the same words, and when it was visited
// under today's rules already, the links that they give it from its own URL. Else it takes over the predecessor's until it
// is visited.
func (c *crawler) promotedContent(ctx context.Context, o *outcome, doc *document.Document) (h crawl.PromotedContent, err error) {
	h = crawl.PromotedContent{Words: store.PackWords(words(doc)), WordCount: doc.WordCount, TotalCount: doc.TotalCount, Itself: !forbidden(o, &crawl.Previous{}) && linksTo(doc, o.due.URL)}
	if o.settled {
		return h, nil
	}
	due, err := c.store.Look(ctx, o.heir)
	if err != nil {
		return h, err
	}
	r := c.o.Scope.rule(due.URL, due.Hops)
	p := c.robots.known(r.page)
	if r.refused != "" || p == nil || !bytes.Equal(due.LinksHash, c.linksHash(p)) {
		return h, nil
	}
	due.Site = 0 // it is not held: its site is woken for new links
	h.LinksHash, h.Links = due.LinksHash, []store.URLID{}
	if r.server.Follow && !doc.NoFollow {
		h.Links, err = c.links(ctx, &due, r.page, doc)
	}
	return h, err
}

// mayLeaveGroup reports whether a live document may leave its clone group by an outcome.
func mayLeaveGroup(o *outcome) bool {
	switch {
	case o.settled:
		return o.status != statusAllowedAgain
	case ok(o, nil):
		return o.crc != o.due.CRC
	}
	return forbidden(o, &crawl.Previous{}) || redirect(o, nil) || notIndexed(o, nil) || badForGood(o, nil)
}

// faulty is the outcome of a document that we cannot process.
func (c *crawler) faulty(due *crawl.Due, cause error) *outcome {
	o := &outcome{due: due, status: fetch.StatusParserFailed, cause: cause.Error(), manual: c.realtime != nil, opt: &c.o, start: c.start}
	if u, err := weburl.ParseNormalized(due.URL); err == nil {
		o.server = c.o.Scope.Server(u)
	}
	return o
}

// decideWithoutFetch records a decision that no fetch is behind: statusConfigForbidden or statusRobotsForbidden (T-12),
// statusAllowedAgain (T-15), statusOrphaned (SR-09). It is no attempt. The rule is empty when the state of the URL no
// longer fits: it is withdrawn already, say. server is the one that rules the URL, nil when none does.
func (c *crawler) decideWithoutFetch(ctx context.Context, id store.URLID, status int, cause string, server *Server) (rule string, err error) {
	return c.decideOn(ctx, id, &outcome{status: status, cause: cause, server: server})
}

// purge ends a document that was lost too often; as is the plain status that it gets (T-18).
func (c *crawler) purge(ctx context.Context, id store.URLID, as int, cause string) (rule string, err error) {
	return c.decideOn(ctx, id, &outcome{status: statusPurged, purge: as, cause: cause})
}

func (c *crawler) decideOn(ctx context.Context, id store.URLID, o *outcome) (rule string, err error) {
	due, err := c.store.Look(ctx, id)
	if err != nil {
		return "", err
	}
	o.due, o.settled, o.opt, o.start = &due, true, &c.o, c.start
	return c.record(ctx, crawl.Token{Run: c.run}, o)
}
