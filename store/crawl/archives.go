package crawl

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// membersDueSQL skips what was purged as an orphan, and what is due already.
const membersDueSQL = `
	WITH member AS MATERIALIZED (
		SELECT w.url_id
		FROM named_by n
		JOIN urlword w ON w.url_id = n.url_id                                   -- urlword_pkey
		WHERE n.kind = 'archive' AND n.source = $1                              -- named_by_pkey
			AND w.deleted = 0 AND w.next_index_time > $2 AND w.next_index_time < $3
		ORDER BY w.url_id
		FOR UPDATE OF w
	), told AS (
		UPDATE urlstate s SET next_why = 'its archive has changed' FROM member m WHERE s.url_id = m.url_id
	)
	UPDATE /* store.MembersDue */ urlword w SET next_index_time = $2
	FROM member m WHERE w.url_id = m.url_id
	RETURNING w.site_id`

// MembersDue makes the members due that an archive has named. It returns their sites, each once.
func (s *Store) MembersDue(ctx context.Context, archive store.URLID, due int64) (sites []store.SiteID, err error) {
	err = s.InTx(ctx, "members due", func(tx pgx.Tx) error {
		sites, err = store.Collect[store.SiteID](ctx, tx, membersDueSQL, archive, due, neverDue)
		return err
	})
	slices.Sort(sites)
	return slices.Compact(sites), err
}
