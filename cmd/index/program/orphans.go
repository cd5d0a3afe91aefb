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

// orphans is --orphans list and --orphans purge: documents that no link reaches (SR-09 to SR-13).
func (p *program) orphans(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	if p.o.orphans == "purge" {
		err = p.purgeOrphans(ctx, s, options)
	} else {
		err = p.listOrphans(ctx, s, options)
	}
	if errors.Is(err, spider.ErrNoRespider) {
		fmt.Fprintln(p.out, "no orphan is known: no index --respider has come to its end without limits")
		return nil
	}
	return err
}

// listOrphans prints a line for each orphan.
func (p *program) listOrphans(ctx context.Context, s *store.DB, options *spider.Options) error {
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
	if err == nil {
		fmt.Fprintf(p.out, "%d orphans, by the index --respider of %s\n", n, minute(since))
	}
	return err
}

// lostTimes is "404x2" for a document that was found lost twice, at last with 404.
func lostTimes(s store.Status) string {
	if s.Lost() == 0 {
		return "-"
	}
	return fmt.Sprintf("%dx%d", s.Lost(), s.LostCount())
}

func minute(t time.Time) string { return t.Local().Format("2006-01-02 15:04 MST") }

// purgeOrphans takes the orphans out whose time has come. No crawl may be under way, or begin: it could find one of them.
func (p *program) purgeOrphans(ctx context.Context, s *store.DB, options *spider.Options) error {
	lock, err := s.Lock(ctx, "crawl")
	if err != nil {
		return err
	}
	defer lock.Release()
	n, err := p.underPurge(ctx, s, func(ctx context.Context, begin spider.Begin) (int, error) {
		return spider.PurgeOrphans(ctx, crawl.New(s), *options, begin)
	})
	if n > 0 || err == nil {
		fmt.Fprintf(p.out, "purged %d orphans%s\n", n, laterMerged(n))
	}
	return err
}
