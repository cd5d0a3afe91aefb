package program

import (
	"context"
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// documentLimit prints how far DocumentLimit is exhausted, if it is set (-S).
func (p *program) documentLimit(ctx context.Context, s *store.DB) error {
	limit := int64(p.cfg.Spider.DocumentLimit)
	if limit == 0 {
		return nil
	}
	live, waiting, err := crawl.New(s).Documents(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "          DocumentLimit %d: %s in the index\n\n", limit, plural(int(live), "document"))
	if live >= limit {
		fmt.Fprintf(p.out, "   %s never fetched and not asked for: raise DocumentLimit in spider.cnf, or take documents out\n"+
			"   (Disallow in sets.cnf, index -C -u PATTERN)\n\n", plural(int(waiting), "URL"))
	}
	fmt.Fprint(p.out, "\n")
	return nil
}
