package program

import (
	"context"
	"fmt"

	"github.com/pgseek/pgseek/cmd/internal/explain"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// pausedPatterns prints which URL patterns are paused, if any (-S).
func (p *program) pausedPatterns(ctx context.Context, s *store.DB) error {
	list, err := crawl.New(s).PausedPatterns(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Paused URL patterns (new URLs are not fetched; a line of sets.cnf lifts or confirms that)\n\n")
	for i := range list {
		t, err := explain.DescribePaused(ctx, s, &list[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "   %s\n      since %s: %s\n", clean(list[i].Pattern), t.Since, t.Counts())
		for _, e := range t.Except {
			fmt.Fprintf(p.out, "      except %s\n", clean(e))
		}
		for _, l := range t.Lines {
			fmt.Fprintf(p.out, "      %s\n", clean(l))
		}
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}
