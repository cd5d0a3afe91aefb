package spider

import (
	"context"
	"errors"

	"github.com/pgseek/pgseek/store/crawl"
)

// unchanged reports whether an outcome is that of a live document that has not changed since its lease, and
// returns the row to record. It is decided by the table, like all others.
func (v *visit) unchanged(o *outcome) (u crawl.Unchanged, ok bool) {
	due := v.due
	if o.relinked || o.claim.known || unixOf(o.unavailable) != due.Unavailable || due.Deleted || due.Status.Base() != 200 || !unchanged(o, &crawl.Previous{CRC: due.CRC}) {
		return u, false
	}
	d := &crawl.DocumentTx{ID: due.ID, Prev: crawl.Previous{
		Status: due.Status, CRC: due.CRC, Origin: due.Origin, IndexMode: due.IndexMode, Step: due.Step, Unchanged: due.Unchanged,
	}}
	t := decide(&d.Prev, o)
	if t == nil || t.id != "T-02" && t.id != "T-03" {
		return u, false
	}
	now := v.c.now()
	a := newApplication(d, o, now, t)
	u = crawl.Unchanged{Held: v.token, Due: due, Now: now.Unix(), Inet: a.renewed()}
	u.Attempt = a.row
	return u, true
}

// errChanged says that the state of an unchanged document is no longer that of its lease.
var errChanged = errors.New("the document has changed since its lease")

// recordUnchanged records unchanged documents together.
func (c *crawler) recordUnchanged(ctx context.Context, list []*finding) error {
	if len(list) == 0 {
		return nil
	}
	documents := make([]crawl.Unchanged, len(list))
	for i, f := range list {
		documents[i] = *f.unchanged
	}
	recorded, err := c.store.RecordUnchanged(ctx, c.run, documents)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.rule = f.unchanged.Attempt.Rule; !recorded[f.o.due.ID] {
			f.err = errChanged
		}
	}
	return nil
}
