package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// DeepLink is a link that its page is too deep for. Only a registered URL that is near enough itself passes.
type DeepLink struct {
	Hash    store.Hash // HashURL(URL)
	MaxHops int        // of the Server that rules it
}

const nearerSQL = `
	WITH k AS MATERIALIZED (SELECT url_hash, url_id FROM urlkey WHERE url_hash = ANY($1)) -- urlkey_pkey
	SELECT /* store.Nearer */ k.url_hash, w.url_id, w.hops
	FROM k JOIN urlword w ON w.url_id = k.url_id                                  -- urlword_pkey
	WHERE NOT EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = w.url_id AND s.withdrawn_by IN ('SR-09', 'T-21'))`

// Nearer returns the ids of those links whose URL is registered within its MaxHops. A purged orphan, or what the operator removed, counts as not registered:
// a link would have to register it again, and this page is too deep for that.
func (s *Store) Nearer(ctx context.Context, links []DeepLink) (ids []store.URLID, err error) {
	if len(links) == 0 {
		return nil, nil
	}
	hashes, bound := make([][]byte, len(links)), make(map[store.Hash]int, len(links))
	for i := range links {
		hashes[i], bound[links[i].Hash] = links[i].Hash[:], links[i].MaxHops
	}
	err = s.Retry(ctx, "nearer urls", func() error {
		ids = nil
		rows, err := s.Pool.Query(ctx, nearerSQL, hashes)
		if err != nil {
			return err
		}
		var (
			hash []byte
			id   store.URLID
			hops int
		)
		_, err = pgx.ForEachRow(rows, []any{&hash, &id, &hops}, func() error {
			if hops <= bound[store.Hash(hash)] {
				ids = append(ids, id)
			}
			return nil
		})
		return err
	})
	return ids, err
}
