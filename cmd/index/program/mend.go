package program

import (
	"context"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// mendIndex is -X2: it reports what -X1 finds, repairs what can be repaired, and merges. Damage that remains is
// exit code 6.
func (p *program) mendIndex(ctx context.Context, s *store.DB) error {
	o, err := p.checkOptions(ctx, s)
	if err != nil {
		return err
	}
	began := time.Now()
	var sum merge.MendSummary
	err = p.changeIndex(ctx, s, func(ctx context.Context, begin spider.Begin) (store.Counts, error) {
		var err error
		sum, err = merge.Mend(ctx, index.New(s), merge.MendOptions{CheckOptions: o, Begin: begin})
		return store.Counts{Documents: sum.Rejournalled + sum.Marked, Words: sum.Cleared}, err
	})
	if err != nil {
		return err
	}
	p.printCheck(&sum.CheckSummary, time.Since(began))
	if sum.Findings > 0 || sum.Merge.Rows > 0 {
		slog.InfoContext(ctx, "mended", "words_cleared", sum.Cleared, "documents_indexed", sum.Rejournalled, "documents_removed", sum.Marked,
			"strays", sum.Strays, "realtime", sum.Realtime, "merged", sum.Merge.Documents, "links", sum.Relinks.Links, "left", sum.Left)
	}
	if sum.Left > 0 {
		return errDamaged
	}
	return nil
}
