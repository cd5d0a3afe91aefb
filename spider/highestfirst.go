package spider

import (
	"context"
	"math"

	"github.com/pgseek/pgseek/store"
	"golang.org/x/sync/errgroup"
)

// highestFirst calls work for all rows, page by page, with several workers. page returns the rows with the highest ids up to a given
// id, the highest first, and no rows at the end.
func highestFirst[T any](ctx context.Context, workers int, page func(upto store.URLID) ([]T, error), id func(*T) store.URLID,
	work func(context.Context, *T) error,
) error {
	for upto := store.URLID(math.MaxInt32); ; {
		rows, err := page(upto)
		if err != nil || len(rows) == 0 {
			return err
		}
		upto = id(&rows[len(rows)-1]) - 1
		group, working := errgroup.WithContext(ctx)
		group.SetLimit(max(1, workers))
		for i := range rows {
			group.Go(func() error { return work(working, &rows[i]) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
}
