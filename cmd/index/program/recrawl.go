package program

import (
	"context"
	"fmt"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// recrawl is --recrawl: it makes URLs due before all others, for the running crawl or the next one.
func (p *program) recrawl(ctx context.Context, s *store.DB) error {
	pattern, err := urlPattern(p.o.recrawl)
	if err != nil {
		return usageError(fmt.Sprintf("--recrawl %q: %v", withoutPassword(p.o.recrawl), err))
	}
	back, err := p.readmit(ctx, s, p.o.recrawl)
	if err != nil {
		return err
	}
	n, err := crawl.New(s).Recrawl(ctx, pattern)
	if err != nil {
		return err
	}
	n += int64(back)
	fmt.Fprintf(p.out, "due now: %d\n", n)
	return nil
}

// readmit lets a page come back that was removed (--remove) when its whole URL is given: a pattern that fits many brings none back.
func (p *program) readmit(ctx context.Context, s *store.DB, given string) (int, error) {
	u, err := weburl.Typed(given, p.cfg.Spider.MaxURLLength)
	if err != nil {
		return 0, nil
	}
	id, err := crawl.New(s).FindURL(ctx, u.Text)
	if err != nil || id == 0 {
		return 0, err
	}
	return crawl.New(s).Readmit(ctx, []store.URLID{id}, crawl.DueRecrawl)
}
