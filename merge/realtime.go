package merge

import (
	"context"
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// takeOverRealtime takes documents that are in the index now out of the real-time part (rules.md 7.2, step 5). A document
// whose real-time version is newer than what was merged stays.
func (m *batch) takeOverRealtime(ctx context.Context) error {
	if len(m.docs) == 0 {
		return nil
	}
	urls, seqs := make([]store.URLID, len(m.docs)), make([]int64, len(m.docs))
	for i := range m.docs {
		urls[i], seqs[i] = m.docs[i].url, max(m.docs[i].seq, m.docs[i].merged)
	}
	var build posting.Builder
	return m.TakeOverRealtime(ctx, urls, seqs, func(gone map[store.URLID]bool, blob []byte) (store.WordRow, bool, error) {
		build.Reset()
		found := false
		it := posting.NewIterator(blob)
		for it.Next() {
			if gone[store.URLID(it.URL())] {
				found = true
			} else {
				build.AddRaw(it.Site(), it.URL(), it.Raw())
			}
		}
		if it.Err() != nil {
			return store.WordRow{}, false, fmt.Errorf("wordurl1.urls: %w: %w", ErrDamaged, it.Err())
		}
		t := build.Totals()
		return store.WordRow{
			URLs: build.AppendTo(nil), URLCount: int32(t.URLs), TotalCount: int32(t.Total),
		}, found, nil
	})
}
