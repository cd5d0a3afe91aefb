package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// listOrphans is --orphans list: it prints a line for each document that no link reaches.
func (p *program) listOrphans(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	n := 0
	since, err := spider.Orphans(ctx, crawl.New(s), *options, func(o crawl.Orphan) error {
		if p.stop.Err() != nil {
			return errInterrupted
		}
		if n == 0 {
			fmt.Fprintf(p.out, "Status Lost   Last answer          Purgeable from       URL\n")
		}
		n++
		held := ""
		if o.Held {
			held = " (site on hold)"
		}
		_, err := fmt.Fprintf(p.out, "%6d %-6s %-20s %-20s %s%s\n", o.Status.Base(), lostTimes(o.Status), minute(o.LastIndex), minute(o.Purgeable), clean(o.URL), held)
		return err
	})
	if err != nil {
		return p.withoutRespider(err)
	}
	fmt.Fprintf(p.out, "%d orphans, by the index --respider of %s\n", n, minute(since))
	return nil
}

// withoutRespider prints that orphans are unknown, if that is the error, and returns any other one.
func (p *program) withoutRespider(err error) error {
	if !errors.Is(err, spider.ErrNoRespider) {
		return err
	}
	fmt.Fprintln(p.out, "orphans are unknown: no index --respider has completed without limits")
	return nil
}

// lostTimes formats how often a document was lost: "404x2" = twice, the last time with 404.
func lostTimes(s store.Status) string {
	if s.Lost() == 0 {
		return "-"
	}
	return fmt.Sprintf("%dx%d", s.Lost(), s.LostCount())
}

func minute(t time.Time) string { return t.Local().Format("2006-01-02 15:04 MST") }

// purgeOrphans is --orphans purge: it removes the orphans that are past OrphanPeriod. It holds the crawl's lock, because a crawl
// could find one of them.
func (p *program) purgeOrphans(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	lock, err := s.Lock(ctx, "crawl")
	if err != nil {
		return err
	}
	defer lock.Release()
	n, err := p.asPurge(ctx, s, func(ctx context.Context, begin spider.Begin) (int, error) {
		return spider.PurgeOrphans(ctx, crawl.New(s), *options, begin)
	})
	if n == 0 && err != nil {
		return p.withoutRespider(err)
	}
	fmt.Fprintf(p.out, "purged %d orphans%s\n", n, mergeHint(n))
	return err
}
