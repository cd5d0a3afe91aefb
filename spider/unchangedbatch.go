package spider

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// unchangedBatch collects the unchanged documents of a schedule until they are recorded together, which
// costs a third of recording them one by one. A fetcher that dies loses them like the rest of its schedule:
// they are fetched again. It is safe for concurrent use.
type unchangedBatch struct {
	mu    sync.Mutex
	list  []unchangedDocument
	bytes int       // of their bodies
	since time.Time // of the oldest
}

type unchangedDocument struct {
	v *visit
	o *outcome
	u crawl.Unchanged
}

// renewalAge is the longest time that an unchanged document waits for others. maxRenewals and
// maxRenewalBytes bound their number and the bytes of bodies that are kept in case that one has changed
// after all.
const (
	renewalAge      = time.Second
	maxRenewals     = 50
	maxRenewalBytes = 4 << 20
)

// add keeps a document, and returns all kept ones when it is time to record them.
func (r *unchangedBatch) add(v *visit, o *outcome, u crawl.Unchanged) []unchangedDocument {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		r.since = time.Now()
	}
	r.list = append(r.list, unchangedDocument{v, o, u})
	r.bytes += len(o.answer.Body)
	if len(r.list) < maxRenewals && r.bytes < maxRenewalBytes && time.Since(r.since) < renewalAge {
		return nil
	}
	return r.take()
}

// rest returns all kept documents.
func (r *unchangedBatch) rest() []unchangedDocument {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.take()
}

func (r *unchangedBatch) take() []unchangedDocument {
	list := r.list
	r.list, r.bytes = nil, 0
	return list
}

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
	u = crawl.Unchanged{Due: due, Now: now.Unix(), Inet: a.renewed()}
	u.Attempt = a.row
	return u, true
}

// flush records unchanged documents of a schedule. Documents whose state has changed since their lease are
// recorded one by one.
func (c *crawler) flush(ctx context.Context, list []unchangedDocument) error {
	if len(list) == 0 {
		return nil
	}
	documents := make([]crawl.Unchanged, len(list))
	for i := range list {
		documents[i] = list[i].u
	}
	token := list[0].v.token
	token.Place = 0
	recorded, err := c.store.RecordUnchanged(ctx, token, documents)
	if store.BadValue(err) { // one of them has it
		slog.DebugContext(ctx, "recording unchanged documents one by one", "schedule", token.Seq, "cause", err)
		recorded, err = nil, nil
	}
	if err != nil {
		return err
	}
	for _, r := range list {
		if slices.Contains(recorded, r.o.due.ID) {
			r.v.count(ctx, r.o, r.u.Attempt.Rule)
		} else if err := r.v.recordAndCount(ctx, r.o); err != nil && !errors.Is(err, errHostPaused) { // it stays due
			return err
		}
	}
	return nil
}
