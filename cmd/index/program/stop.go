package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// errNoCrawl says that there is nothing to stop.
var errNoCrawl = errors.New("no crawl is running")

// stopCrawl is -E: it asks the running crawl to stop, all its processes, and waits until it has.
func (p *program) stopCrawl(ctx context.Context, s *store.DB) error {
	if err := p.endCrawl(ctx, s, crawl.StopWish); err != nil {
		return err
	}
	fmt.Fprintln(p.out, "stopped")
	return nil
}

// endCrawl asks the running crawl to end for a reason and waits until it has. It returns errNoCrawl when none runs.
func (p *program) endCrawl(ctx context.Context, s *store.DB, reason string) error {
	var asked store.RunID // the crawl that is to stop
	for held := false; ; held = true {
		lock, err := s.Lock(ctx, "crawl")
		if err == nil {
			lock.Release()
			if !held {
				return errNoCrawl
			}
			return nil
		}
		if other := (*store.HeldError)(nil); !errors.As(err, &other) {
			return err
		}
		run, err := crawl.New(s).Crawling(ctx)
		switch {
		case err != nil:
			return err
		case asked == 0:
			asked = run
		case run != 0 && run != asked: // it has ended, and another began that nobody wants to stop
			return nil
		}
		// Asked anew each time: a crawl that took the lock just now opens its run after our first wish.
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
