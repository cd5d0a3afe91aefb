package program

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// A merge allocates little compared to what it holds, so collecting rarely saves a tenth of its time. MergeMemory
// bounds what it holds; near that bound plus mergeSlack, for what its batches do not count, it collects as often as
// necessary.
const (
	mergeGCPercent = 400
	mergeSlack     = 64 << 20
)

// merge is -D, and the end of a complete crawl: one merge, recorded as one run. Before it plans its batches it
// ends the documents that were lost too often (T-18), so that this merge removes them from the index.
func (p *program) merge(ctx context.Context, s *store.DB) error {
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
		sum, err = merge.Run(ctx, index.New(s), merge.Options{
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
