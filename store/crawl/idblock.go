package crawl

import (
	"context"
	"fmt"
	"sync"

	"github.com/pgseek/pgseek/store"
)

// idBlockSize is the number of url_ids that are drawn at once. They are drawn in a transaction of their own,
// before the rows that use them: on a sharded server a transaction that draws one and crashes may lose the
// step. See docs/decisions.
const idBlockSize = 500

// idBlock hands out url_ids from a block. Ids that are left over after a crash are never used.
type idBlock struct {
	db   *store.DB
	mu   sync.Mutex
	free []store.URLID
}

const drawIDsSQL = `
	SELECT /* store.drawIDs */ nextval('urlword_url_id_seq')::integer
	FROM generate_series(1, $1)`

// take returns n ids, ascending.
func (b *idBlock) take(ctx context.Context, n int) ([]store.URLID, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.free) < n {
		err := b.db.Retry(ctx, "draw url ids", func() error {
			rows, err := b.db.Pool.Query(ctx, drawIDsSQL, max(idBlockSize, n))
			if err != nil {
				return err
			}
			defer rows.Close()
			var ids []store.URLID
			for rows.Next() {
				var id store.URLID
				if err := rows.Scan(&id); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			if err := rows.Err(); err != nil {
				return err
			}
			b.free = append(b.free, ids...)
			return nil
		})
		if err != nil {
			return nil, store.UsedUp(err, "url (2^31 - 1 of them)")
		}
	}
	if len(b.free) < n {
		return nil, fmt.Errorf("draw url ids: asked for %d, have %d", n, len(b.free))
	}
	ids := b.free[:n:n]
	b.free = b.free[n:]
	return ids, nil
}
