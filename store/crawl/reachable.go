package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// What links reach in an index --respider run. Such a run visits start URLs and what they link to, due or
// not.

const storedLinksSQL = `
	SELECT /* store.StoredLinks */ w.redir, coalesce(c.hrefs, '{}')
	FROM urlword w
	LEFT JOIN urlwords c ON c.url_id = w.url_id                                 -- urlwordsNN_pkey
	WHERE w.url_id = $1 AND w.deleted = 0`

// StoredLinks returns the links of a document's stored content and the target of its redirect. It returns
// nothing for a document that is out of the index, and for a clone, which has no content.
func (s *Store) StoredLinks(ctx context.Context, id store.URLID) (links []store.URLID, err error) {
	err = s.InTx(ctx, "stored links", func(tx pgx.Tx) error {
		var redir store.URLID
		err := tx.QueryRow(ctx, storedLinksSQL, id).Scan(&redir, &links)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if redir != 0 {
			links = append(links, redir)
		}
		return err
	})
	return links, err
}

// unreachedSQL finds the URLs that are not reached yet. In a run a URL changes only from not reached to
// reached to visited, so the URLs that this query skips need no lock.
const unreachedSQL = `
	SELECT /* store.Reach */ w.url_id
	FROM urlword w
	WHERE w.url_id = ANY($1) AND w.next_index_time > 0
		AND NOT EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = w.url_id AND s.seen_run = $2)
	ORDER BY w.url_id`

const lockReachedSQL = `
	SELECT /* store.Reach */ 1 FROM urlword
	WHERE url_id = ANY($1)
	ORDER BY url_id
	FOR UPDATE`

// reachSQL runs after the lock, so it sees the visit for which the lock waited.
const reachSQL = `
	UPDATE /* store.Reach */ urlword w SET next_index_time = $3
	WHERE w.url_id = ANY($1) AND w.next_index_time > 0 AND w.next_index_time < $4
		AND NOT EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = w.url_id AND s.seen_run = $2)
	RETURNING w.site_id`

// Reach makes the links of a document due in this --respider run, except those already visited in it, and
// returns the sites of the URLs that became due. The rule of a withdrawn URL is tested again. A purged orphan is
// restored, with from as its referrer and with hops.
func (s *Store) Reach(ctx context.Context, run store.RunID, from store.URLID, hops int, links []store.URLID) (sites []store.SiteID, err error) {
	if len(links) == 0 {
		return nil, nil
	}
	err = s.InTx(ctx, "reach", func(tx pgx.Tx) error {
		sites = nil
		ids, err := store.Collect[store.URLID](ctx, tx, unreachedSQL, links, run)
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, lockReachedSQL, ids); err != nil {
			return err
		}
		if sites, err = store.Collect[store.SiteID](ctx, tx, reachSQL, ids, run, DueReached, neverDue); err != nil {
			return err
		}
		found := make([]foundURL, len(ids))
		for i, id := range ids {
			found[i] = foundURL{id, hops, from}
		}
		revived, err := reviveOrphans(ctx, tx, found, DueReached)
		sites = append(sites, revived...)
		return err
	})
	return sites, err
}
