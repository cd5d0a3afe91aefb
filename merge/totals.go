package merge

import (
	"context"

	"github.com/pgseek/pgseek/store/index"
)

// tally adds the difference between two rows of a word to the batch's totals.
func (o *wordWriter) tally(was, now index.WordRow) {
	t := &o.totals
	t.Postings += int64(now.URLCount - was.URLCount)
	t.Positions += int64(now.TotalCount - was.TotalCount)
	t.Words += one(now.URLCount > 0) - one(was.URLCount > 0)
}

// mergeTotals adds the batch's differences to the totals. It is called after mergeWords.
func (m *batch) mergeTotals(ctx context.Context) error {
	for _, i := range m.changes {
		d := &m.docs[i]
		m.totals.Documents += one(d.fate == version && d.words > 0) - one(d.found)
	}
	return m.AddTotals(ctx, m.totals)
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// CountTotals counts the index again (index -U), writes differences, and returns the totals before and after.
// When a merge runs, the error is a *store.HeldError.
func CountTotals(ctx context.Context, s *index.Store) (was, is index.Totals, err error) {
	held, err := s.Lock(ctx, "merge")
	if err != nil {
		return was, is, err
	}
	defer held.Release()
	return s.CountTotals(ctx)
}
