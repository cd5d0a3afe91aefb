package lookup

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// The clones are counted as Documents lists them.
const searchVersionsSQL = mayHaveLeftSQL + `
	SELECT /* store.SearchVersions */ n.*, coalesce(v.url_id, 0), coalesce(v.head, '0'), coalesce(v.dates, '0'), coalesce(v.state, '0'),
		coalesce(v.clones, 0), coalesce(v.sum, 0)::bigint
	FROM (SELECT ` + nowSQL + `) n LEFT JOIN (
		SELECT w.url_id, w.xmin AS head, d.xmin AS dates, s.xmin AS state, c.clones, c.sum
		FROM unnest($2::integer[]) i
			JOIN urlword w ON w.url_id = i                                       -- urlword_pkey
			LEFT JOIN docdates d ON d.url_id = i                                 -- docdates_pkey
			LEFT JOIN urlstate s ON s.url_id = i                                 -- urlstate_pkey
			CROSS JOIN LATERAL (
				SELECT count(*) AS clones, sum(o.xmin::text::bigint) AS sum
				FROM urlword o                                                   -- urlword_origin
				WHERE o.origin = i AND o.origin <> 0 AND o.deleted = 0 AND (o.status & 65535) = 200) c) v ON true`

// Versions asks for the current state, as Now does, and calls f with the versions of documents, in no order.
// Versions of standbys are comparable (PostingsState). It does not call f for missing documents. When nothing was sent before, it is a snapshot of its own: one
// round trip without a transaction.
func (x *Tx) Versions(ctx context.Context, limit int, urls []store.URLID, f func(store.URLID, DocumentVersion)) (SearchNow, error) {
	var now nowRow
	var url store.URLID
	var v DocumentVersion
	to := append(now.columns(), &url, &v.Head, &v.Dates, &v.State, &v.Clones, &v.CloneSum)
	rows, err := x.conn.Query(ctx, searchVersionsSQL, limit, urls)
	if err != nil {
		return SearchNow{}, err
	}
	_, err = pgx.ForEachRow(rows, to, func() error {
		if url != 0 {
			f(url, v)
		}
		return nil
	})
	now.Known = now.waiting <= limit
	return now.SearchNow, err
}
