package spider

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/failpoint"
	"golang.org/x/sync/semaphore"
)

// A document transaction costs the less for each document the more it has. So fetchers hand their outcomes to a few recorders and
// fetch on. A recorder takes what has come, and records it in one transaction.

const (
	// maxRecorded and maxRecordedBytes bound a transaction.
	maxRecorded      = 64
	maxRecordedBytes = 4 << 20

	// longestGather is how long an outcome waits for others.
	longestGather = 20 * time.Millisecond

	// maxWaitingBytes bounds the outcomes that wait for a recorder. A fetcher that brings more waits.
	maxWaitingBytes = 64 << 20
)

// recorder records findings, some in a transaction.
type recorder struct {
	found    chan *finding
	waiting  *semaphore.Weighted // bytes
	gather   time.Duration       // 0 = takes only what is there
	together func(context.Context, []*finding) error
}

func newRecorder(gather time.Duration, waiting *semaphore.Weighted, together func(context.Context, []*finding) error) *recorder {
	return &recorder{found: make(chan *finding, maxRecorded), gather: gather, waiting: waiting, together: together}
}

// take gives the recorder a finding. It waits while too much waits already.
func (r *recorder) take(ctx context.Context, f *finding) error {
	f.bytes = min(max(f.bytes, 1), maxWaitingBytes)
	if err := r.waiting.Acquire(ctx, f.bytes); err != nil {
		return err
	}
	select {
	case r.found <- f:
		return nil
	case <-ctx.Done():
		r.waiting.Release(f.bytes)
		return ctx.Err()
	}
}

// hurry lets the recorder record at once what it has: somebody waits for it.
func (r *recorder) hurry() {
	select {
	case r.found <- nil:
	default: // full: it has no reason to wait
	}
}

// run records findings until the channel is closed.
func (r *recorder) run(ctx context.Context) {
	var list []*finding
	for more := true; more || len(list) > 0; {
		list, more = r.more(list)
		var group []*finding
		group, list = independent(list)
		list = append(r.record(ctx, group), list...)
	}
}

// more adds to the findings that are left over what comes within the time, up to the bounds of a transaction.
func (r *recorder) more(list []*finding) (_ []*finding, open bool) {
	var size int64
	for _, f := range list {
		size += f.bytes
	}
	var late <-chan time.Time
	hurry := len(list) > 0 || r.gather == 0
	for len(list) < maxRecorded && size < maxRecordedBytes {
		var f *finding
		switch {
		case len(list) == 0:
			f, open = <-r.found
		case hurry:
			select {
			case f, open = <-r.found:
			default:
				return list, true
			}
		default:
			select {
			case f, open = <-r.found:
			case <-late:
				return list, true
			}
		}
		if !open {
			return list, false
		}
		if f == nil {
			hurry = true
			continue
		}
		if late == nil {
			f.err = failpoint.Hit("recorder.gather")
			timer := time.NewTimer(r.gather)
			defer timer.Stop()
			late = timer.C
		}
		list, size = append(list, f), size+f.bytes
	}
	return list, true
}

// record records findings and tells each its result. It returns those that it must record again, before all others: their clone group
// or their gate has changed since they were prepared.
func (r *recorder) record(ctx context.Context, group []*finding) (again []*finding) {
	if len(group) == 0 {
		return nil
	}
	r.attempt(ctx, group)
	for _, f := range group {
		if next := f.repeated(ctx); next != nil {
			again = append(again, next)
			continue
		}
		r.waiting.Release(f.bytes)
		f.done(f)
	}
	return again
}

// attempt records findings in one transaction. When the database refuses a value of one of them, it records each half by itself.
func (r *recorder) attempt(ctx context.Context, group []*finding) {
	err := group[0].err // of the gathering
	if err == nil {
		err = r.together(ctx, group)
	}
	if store.BadValue(err) && len(group) > 1 {
		slog.DebugContext(ctx, "recording fewer documents together", "documents", len(group), "cause", err)
		r.attempt(ctx, group[:len(group)/2])
		r.attempt(ctx, group[len(group)/2:])
		return
	}
	if err != nil {
		for _, f := range group {
			f.err = err
		}
	}
}

// recorders are those of a crawl.
type recorders struct {
	list []*recorder
	wait sync.WaitGroup
}

// newRecorders starts the recorders of a crawl. They end with close.
func (c *crawler) newRecorders(ctx context.Context) *recorders {
	r := &recorders{}
	waiting := semaphore.NewWeighted(maxWaitingBytes)
	for range min(max(2, runtime.GOMAXPROCS(0)), 8) {
		one := newRecorder(longestGather, waiting, c.recordTogether)
		r.list = append(r.list, one)
		r.wait.Go(func() { one.run(ctx) })
	}
	return r
}

// of returns the recorder of a schedule. It is one and the same, so that the documents of a schedule are recorded in their order.
func (r *recorders) of(schedule int64) *recorder { return r.list[schedule%int64(len(r.list))] }

// close waits for the recorders. No fetcher may be left.
func (r *recorders) close() {
	for _, one := range r.list {
		close(one.found)
	}
	r.wait.Wait()
}

// recordTogether records findings of a crawl: it registers the links of all, records unchanged documents in one statement, and the
// others in one transaction.
func (c *crawler) recordTogether(ctx context.Context, group []*finding) error {
	var same, others []*finding
	for _, f := range group {
		if f.unchanged != nil {
			same = append(same, f)
		} else {
			others = append(others, f)
		}
	}
	if err := c.registerFound(ctx, others); err != nil {
		return err
	}
	if err := failpoint.Hit("recorder.registered"); err != nil {
		return err
	}
	if err := c.recordUnchanged(ctx, same); err != nil {
		return err
	}
	if err := failpoint.Hit("recorder.unchanged"); err != nil {
		return err
	}
	return c.recordDocuments(ctx, others)
}

// recordDocuments records the documents of findings in one transaction.
func (c *crawler) recordDocuments(ctx context.Context, group []*finding) error {
	if len(group) == 0 {
		return nil
	}
	docs := make([]crawl.Recording, len(group))
	for i, f := range group {
		docs[i] = f.doc
	}
	if err := c.store.RecordDocuments(ctx, docs); err != nil {
		return err
	}
	for i, f := range group {
		f.err = docs[i].Err
	}
	return nil
}
