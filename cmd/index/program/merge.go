package program

import (
	"context"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// A merge makes little garbage for what it holds: collecting seldom saves a tenth of its time. What it may hold is bounded
// by MergeMemory; near that, and what its batches do not count, it collects as often as it has to.
const (
	mergeGCPercent = 400
	mergeSlack     = 64 << 20
)

// merge is -D, and the end of a crawl that ended by itself: one merge, as one row of reindexing. Before it plans its batches
// it ends what was lost too often (T-18), so that this leaves the index with them.
func (p *program) merge(ctx context.Context, s *store.DB) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)() // a batch is one transaction: what is under way rolls back
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(mergeGCPercent))
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(p.cfg.Spider.MergeMemory + mergeSlack))
	}
	var run store.RunID
	show := p.newProgress()
	options := merge.Options{
		Memory:         p.cfg.Spider.MergeMemory,
		BatchDocuments: p.o.batchDocuments,
		Ranks:          true,
		RankShare:      p.cfg.Spider.RankShare,
		Progress:       show.merge,
		Begin: func(ctx context.Context) (err error) {
			if _, err = p.purge(ctx, s, 0); err != nil {
				return err
			}
			run, err = s.StartRun(ctx, "merge", programName(), strings.Join(p.o.text, " "), false, p.cfg.Hash[:])
			return err
		},
	}
	began := time.Now()
	sum, err := merge.Run(ctx, index.New(s), options)
	show.end()
	if run == 0 {
		return err
	}
	reason := spider.EndComplete
	switch {
	case p.stop.Err() != nil:
		reason, err = spider.EndStopped, errInterrupted
	case err != nil:
		reason = spider.EndFailed
	}
	closing, closed := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer closed()
	counts := store.Counts{Documents: sum.Documents, Words: sum.Words, Bytes: sum.Bytes}
	if ended := s.EndRun(closing, run, reason, counts); ended != nil && err == nil {
		err = ended
	}
	if err == nil {
		show.mergeSummary(ctx, sum, time.Since(began))
	}
	return err
}
