package merge

import (
	"context"
	"errors"
	"fmt"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// takeOverRealtime removes documents that are merged now from the real-time index. A document whose real-time
// version is newer than the merged one stays there.
func (m *batch) takeOverRealtime(ctx context.Context) error {
	if len(m.docs) == 0 {
		return nil
	}
	urls, seqs := make([]store.URLID, len(m.docs)), make([]int64, len(m.docs))
	for i := range m.docs {
		urls[i], seqs[i] = m.docs[i].url, max(m.docs[i].seq, m.docs[i].merged)
	}
	err := m.TakeOverRealtime(ctx, urls, seqs)
	if errors.Is(err, posting.ErrCorrupt) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}
