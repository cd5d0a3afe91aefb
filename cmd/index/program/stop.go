package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// errNoCrawl is returned when no crawl can be stopped.
var errNoCrawl = errors.New("no crawl is running")

// stopCrawl is -E: it asks all processes of the running crawl to stop and waits until they have.
func (p *program) stopCrawl(ctx context.Context, s *store.DB) error {
	if err := p.endCrawl(ctx, s, crawl.StopWish); err != nil {
		return err
	}
	fmt.Fprintln(p.out, "stopped")
	return nil
}

// endCrawl asks the running crawl to end for a reason and waits until it has: for -E also the programs that crawl without end. It
// returns errNoCrawl if none runs.
func (p *program) endCrawl(ctx context.Context, s *store.DB, reason string) error {
	locks := []string{"crawl"}
	if reason == crawl.StopWish {
		locks = append(locks, "rounds")
	}
	var asked store.RunID // the crawl that is to stop
	for held := false; ; held = true {
		busy, err := anyHeld(ctx, s, locks)
		if err != nil {
			return err
		}
		if !busy {
			if !held {
				return errNoCrawl
			}
			return nil
		}
		run, err := crawl.New(s).Crawling(ctx)
		switch {
		case err != nil:
			return err
		case asked == 0:
			asked = run
		case run != 0 && run != asked && reason != crawl.StopWish: // it has ended, and another one began
			return nil
		}
		// Asked again each time: a crawl that has just taken the lock opens its run after the first request.
		if err := crawl.New(s).AskStop(ctx, reason); err != nil {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-p.stop.Done():
			return errInterrupted
		}
	}
}

// anyHeld reports whether some program has one of the locks.
func anyHeld(ctx context.Context, s *store.DB, names []string) (bool, error) {
	for _, name := range names {
		lock, err := s.Lock(ctx, name)
		if err == nil {
			lock.Release()
			continue
		}
		if other := (*store.HeldError)(nil); errors.As(err, &other) {
			return true, nil
		}
		return false, err
	}
	return false, nil
}
