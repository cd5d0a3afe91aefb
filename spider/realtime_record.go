package spider

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Outcomes of index -T are recorded by one goroutine, as many documents in a transaction as have arrived
// meanwhile. Common words occur in every document: parallel transactions would wait for each other's rows,
// and each would write them again. A document is reported after its commit.

// recordedAhead is how many documents are under way for each worker, fetched or waiting to be recorded, and
// maxRecorded how many a transaction has at most.
const (
	recordedAhead = 2
	maxRecorded   = 32
)

// finding is an outcome that waits for its transaction.
type finding struct {
	o    *outcome
	doc  crawl.Recording
	keys []string // what no other document of the transaction may have, too
	done chan error
}

// record hands an outcome to the recorder and waits for its commit.
func (r *realtime) record(ctx context.Context, o *outcome, now time.Time, g crawl.Groups, decide func(*crawl.DocumentTx) error) error {
	f := &finding{
		o: o, done: make(chan error, 1),
		doc: crawl.Recording{ID: o.due.ID, Held: crawl.Token{Run: r.crawler.run}, Now: now.Unix(), Groups: g, Decide: decide},
	}
	for _, crc := range []string{g.New, g.Old, o.due.CRC} {
		if crc != "" {
			f.keys = append(f.keys, crc)
		}
	}
	if g.Gate != 0 {
		f.keys = append(f.keys, "gate "+strconv.Itoa(int(g.Gate)))
	}
	f.keys = append(f.keys, "url "+strconv.Itoa(int(o.due.ID)))
	select {
	case r.found <- f:
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-f.done
}

// recorder records findings until the channel is closed.
func (r *realtime) recorder(ctx context.Context) {
	var waiting []*finding
	for more := true; more || len(waiting) > 0; {
		if len(waiting) == 0 {
			f, ok := <-r.found
			if more = ok; ok {
				waiting = append(waiting, f)
			}
		}
		for more && len(waiting) < maxRecorded {
			var f *finding
			select {
			case f, more = <-r.found:
			default:
			}
			if f == nil {
				break
			}
			waiting = append(waiting, f)
		}
		var group []*finding
		group, waiting = independent(waiting)
		r.recordTogether(ctx, group)
	}
}

// independent splits findings into those that have no key in common, and the rest.
func independent(list []*finding) (group, rest []*finding) {
	taken := make(map[string]bool)
	for _, f := range list {
		if slices.ContainsFunc(f.keys, func(k string) bool { return taken[k] }) {
			rest = append(rest, f)
			continue
		}
		for _, k := range f.keys {
			taken[k] = true
		}
		group = append(group, f)
	}
	return group, rest
}

// recordTogether records findings in one transaction and sends each its result. When the database refuses a
// value of one of them, each gets a transaction of its own.
func (r *realtime) recordTogether(ctx context.Context, group []*finding) {
	if len(group) == 0 {
		return
	}
	err := r.tryTogether(ctx, group)
	if len(group) > 1 && store.BadValue(err) {
		slog.DebugContext(ctx, "recording real-time documents one by one", "cause", err)
		for _, f := range group {
			r.recordTogether(ctx, []*finding{f})
		}
		return
	}
	for _, f := range group {
		if err != nil {
			f.done <- err
		} else {
			f.done <- f.doc.Err
		}
	}
}

func (r *realtime) tryTogether(ctx context.Context, group []*finding) error {
	packed := make([][]byte, 0, 2*len(group))
	ids, crcs := make([]store.URLID, len(group)), make([]string, len(group))
	for i, f := range group {
		packed = append(packed, f.o.words, f.o.promoted.Words)
		ids[i], crcs[i] = f.doc.ID, f.doc.Groups.New
	}
	words, err := r.store.IndexWords(ctx, packed...)
	if err != nil {
		return err
	}
	kept, err := r.store.Waiting(ctx, ids, crcs)
	if err != nil {
		return err
	}
	docs := make([]crawl.Recording, len(group))
	for i, f := range group {
		docs[i] = f.doc.Realtime(crawl.Realtime{New: words[2*i], Successor: words[2*i+1], Kept: kept[i]})
	}
	if err := r.store.RecordDocuments(ctx, docs); err != nil {
		return err
	}
	for i, f := range group {
		f.doc.Err = docs[i].Err
	}
	return nil
}
