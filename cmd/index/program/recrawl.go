package program

import (
	"context"
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// recrawl is --recrawl: it makes URLs due before all others, for the crawl that runs or the next one.
func (p *program) recrawl(ctx context.Context, s *store.DB) error {
	pattern, err := urlPattern(p.o.recrawl)
	if err != nil {
		return usageError(fmt.Sprintf("--recrawl %q: %v", withoutPassword(p.o.recrawl), err))
	}
	n, err := crawl.New(s).Recrawl(ctx, pattern)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "due now: %d\n", n)
	return nil
}
