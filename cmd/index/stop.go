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
	first := true
	for {
		lock, err := s.Lock(ctx, "crawl")
		if err == nil {
			lock.Release()
			if first {
				return errors.New("no crawl is running")
			}
			fmt.Fprintln(p.out, "stopped")
			return nil
		}
		var held *store.HeldError
		if !errors.As(err, &held) {
			return err
		}
		if first {
			if err := s.AskStop(ctx); err != nil {
				return err
			}
			first = false
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-p.stop.Done():
			return errInterrupted
		}
	}
}
