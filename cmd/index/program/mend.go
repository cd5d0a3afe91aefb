package program

import (
	"context"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// mendIndex is -X2: what -X1 finds is told, what can be mended is mended, and a merge brings it in. The exit code is 6 when
// something is left that cannot be mended.
func (p *program) mendIndex(ctx context.Context, s *store.DB) error {
	o, err := p.checkOptions()
	if err != nil {
		return err
	}
	began := time.Now()
	var sum merge.MendSummary
	err = p.mending(ctx, s, func(ctx context.Context, begin func(context.Context) (store.RunID, error)) (store.Counts, error) {
		var err error
		sum, err = merge.Mend(ctx, index.New(s), merge.MendOptions{CheckOptions: o, Begin: begin})
		return store.Counts{Documents: sum.Rejournalled + sum.Marked, Words: sum.Cleared}, err
	})
	if err != nil {
		return err
	}
	p.tellCheck(&sum.CheckSummary, time.Since(began))
	if sum.Findings > 0 || sum.Merge.Rows > 0 {
		slog.InfoContext(ctx, "mended", "words_cleared", sum.Cleared, "documents_indexed", sum.Rejournalled, "documents_removed", sum.Marked,
			"strays", sum.Strays, "realtime", sum.Realtime, "merged", sum.Merge.Documents, "links", sum.Relinks.Links, "left", sum.Left)
	}
	if sum.Left > 0 {
		return errDamaged
	}
	return nil
}
