package spider

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/store"
)

// visit attempts one URL and records what came of it.
func (c *crawler) visit(ctx context.Context, lease *store.Lease, due *store.Due) error {
	o, err := c.attempt(ctx, due)
	if store.BadValue(err) {
		o, err = faulty(due, c.o.Scope, err), nil
	}
	if err != nil {
		return err
	}
	held := store.Token{Seq: lease.Seq, Attempt: lease.Attempt, Place: due.Place, Run: c.run}
	rule, err := c.record(ctx, held, o)
	if err != nil {
		return err
	}
	c.counts.add(rule, o)
	slog.Debug("visited", "url", logged(due.URL), "url_id", due.ID, "schedule", lease.Seq, "rule", rule, "status", o.status, "cause", o.cause,
		"bytes", o.bytes(), "elapsed", o.elapsed())
	return nil
}

// record commits an outcome. A value that the database refuses is an error of that document (P8); a document that changed
// under an attempt that did not read its body is read after all.
func (c *crawler) record(ctx context.Context, held store.Token, o *outcome) (rule string, err error) {
	var prev store.Previous
	for range 3 {
		now := time.Now()
		groups, err := c.groups(ctx, o)
		if err != nil {
			return "", err
		}
		err = c.store.RecordDocument(ctx, held, o.due.ID, now.Unix(), groups, func(d *store.Document) (err error) {
			prev = d.Prev
			rule, err = apply(d, o, now)
			return err
		})
		switch {
		case errors.Is(err, errNotRead):
			due := *o.due
			due.HasContent, due.CRC, due.Status, due.Origin = false, prev.CRC, prev.Status, prev.Origin
			if o, err = c.attempt(ctx, &due); err != nil {
				return "", err
			}
		case store.BadValue(err):
			slog.Warn("database refuses a document", "url", logged(o.due.URL), "cause", err)
			o = faulty(o.due, c.o.Scope, err)
		default:
			return rule, err
		}
	}
	return rule, err
}

// groups says which clone groups recording an outcome may touch, and reads for the heir of a group that the document may
// leave: parsing is no work for a transaction.
func (c *crawler) groups(ctx context.Context, o *outcome) (g store.Groups, err error) {
	if c.o.Clones && o.status == 200 {
		g.New = o.crc
	}
	leaves := forbidden(o, nil) || redirect(o, nil) || notIndexed(o, nil) || ok(o, nil) && o.crc != o.due.CRC
	if !leaves || o.due.Status.Base() != 200 || o.due.CRC == "" {
		return g, nil
	}
	// A clone counts, too: it may have become the original since it was leased.
	g.Old = o.due.CRC
	if o.heir, err = c.store.Heir(ctx, o.due.ID); err != nil || o.heir == 0 {
		return g, err
	}
	doc, err := c.storedDocument(ctx, o.due.ID)
	if doc != nil {
		o.heirWords = store.PackWords(words(doc))
	}
	return g, err
}

// faulty is the outcome of a document that we cannot process.
func faulty(due *store.Due, scope *Scope, cause error) *outcome {
	o := &outcome{due: due, status: statusParserFailed, cause: cause.Error()}
	if u, err := Normalize(due.URL, 0); err == nil {
		o.server = scope.Server(u)
	}
	return o
}
