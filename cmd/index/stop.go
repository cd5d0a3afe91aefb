package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/store"
)

// stopCrawl is -E: it asks the running crawl to stop and waits until it has.
func (p *program) stopCrawl(ctx context.Context, s *store.Store) error {
	var asked *store.HeldError // the crawl that is to stop
	for {
		lock, err := s.Lock(ctx, "crawl")
		if err == nil {
			lock.Release()
			if asked == nil {
				return errors.New("no crawl is running")
			}
			fmt.Fprintln(p.out, "stopped")
			return nil
		}
		var held *store.HeldError
		if !errors.As(err, &held) {
			return err
		}
		if asked == nil {
			asked = held
		}
		if held.Who != asked.Who { // it has ended, and another began that nobody wants to stop
			fmt.Fprintln(p.out, "stopped")
			return nil
		}
		// Asked anew each time: a crawl that took the lock just now opens its run after our first wish.
		if err := s.AskStop(ctx); err != nil {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-p.stop.Done():
			return errInterrupted
		}
	}
}
