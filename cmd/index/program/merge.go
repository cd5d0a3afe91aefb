package program

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
)

// A merge makes little garbage for what it holds: collecting seldom saves a tenth of its time. What it may hold is bounded
// by MergeMemory; near that, and what its batches do not count, it collects as often as it has to.
const (
	mergeGCPercent = 400
	mergeSlack     = 64 << 20
)

// merge is -D, and the end of a crawl that ended by itself: one merge, as one row of reindexing. Before it plans its batches
// it ends what was lost too often (T-18), so that this leaves the index with them.
func (p *program) merge(ctx context.Context, s *store.Store) error {
	ctx, cancel := p.stoppable(ctx)
	defer cancel()
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(mergeGCPercent))
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(p.cfg.Spider.MergeMemory + mergeSlack))
	}
	var sum merge.Summary
	show := p.newProgress()
	began := time.Now()
	err := p.asRun(ctx, func(ctx context.Context, run *openRun) (_ store.Counts, err error) {
		begin := p.beginRun(s, run, "merge")
		sum, err = merge.Run(ctx, s, merge.Options{
			Memory:         p.cfg.Spider.MergeMemory,
			BatchDocuments: p.o.batchDocuments,
			Ranks:          true,
			RankShare:      p.cfg.Spider.RankShare,
			Progress:       show.merge,
			Begin: func(ctx context.Context) error {
				if _, err := p.purge(ctx, s, 0); err != nil {
					return err
				}
				_, err := begin(ctx)
				return err
			},
		})
		show.end()
		return store.Counts{Documents: sum.Documents, Words: sum.Words, Bytes: sum.Bytes}, err
	})
	if err == nil {
		show.mergeSummary(ctx, sum, time.Since(began))
	}
	return err
}
