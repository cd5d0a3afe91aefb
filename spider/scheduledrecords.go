package spider

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// scheduledRecords are the outcomes of one schedule that a recorder has, or had. Its fetcher finishes them: it counts what is
// recorded, and records alone what could not be recorded with others.
type scheduledRecords struct {
	recorder *recorder
	recorded chan *finding // has room for all URLs of the schedule, so that the recorder never waits
	open     atomic.Int64  // handed over and not finished
}

func (c *crawler) newScheduledRecords(lease *crawl.Lease) *scheduledRecords {
	return &scheduledRecords{recorder: c.recorders.of(lease.Seq), recorded: make(chan *finding, len(lease.URLs))}
}

// hand gives an outcome to the recorder.
func (s *scheduledRecords) hand(ctx context.Context, v *visit, o *outcome) error {
	var f *finding
	if u, ok := v.unchanged(o); ok && o.found == nil {
		f = &finding{v: v, o: o, unchanged: &u, writes: []string{urlKey(o.due.ID)}, bytes: o.memory()}
	} else {
		err := v.tellMembers(ctx, o)
		if err == nil {
			f, err = v.finding(ctx, o)
		}
		if err != nil {
			return err
		}
	}
	f.done = func(f *finding) { s.recorded <- f }
	s.open.Add(1)
	if err := s.recorder.take(ctx, f); err != nil {
		s.open.Add(-1)
		return err
	}
	return nil
}

// finish finishes the outcomes that are recorded by now.
func (s *scheduledRecords) finish(ctx context.Context) error {
	for {
		select {
		case f := <-s.recorded:
			if err := s.finishOne(ctx, f); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// finishAll waits until all outcomes are recorded and finishes them.
func (s *scheduledRecords) finishAll(ctx context.Context) error {
	if s.open.Load() > 0 {
		s.recorder.hurry() // it comes after all outcomes of the schedule
	}
	for s.open.Load() > 0 {
		select {
		case f := <-s.recorded:
			if err := s.finishOne(ctx, f); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (s *scheduledRecords) finishOne(ctx context.Context, f *finding) error {
	s.open.Add(-1)
	switch {
	case f.err == nil:
		f.v.count(ctx, f.o, f.rule)
	case errors.Is(f.err, errNotRead), errors.Is(f.err, errChanged), errors.Is(f.err, crawl.ErrDependent), store.BadValue(f.err):
		if err := f.v.recordAndCount(ctx, f.o); errors.Is(err, errHostPaused) {
			f.v.unasked = true // it stays due
			return nil
		} else if err != nil {
			return err
		}
	default:
		return f.err
	}
	if f.unchanged != nil {
		return nil
	}
	if err := f.v.equalTwin(ctx, f.o); err != nil {
		return err
	}
	return f.v.visited(ctx, f.o)
}
