package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// What links reach in an index --respider run, which visits start URLs and what they lead to, due or not.

const storedLinksSQL = `
	SELECT /* store.StoredLinks */ w.redir, coalesce(c.hrefs, '{}')
	FROM urlword w
	LEFT JOIN urlwords c ON c.url_id = w.url_id                                 -- urlwordsNN_pkey
	WHERE w.url_id = $1 AND w.deleted = 0`

// StoredLinks returns what the stored content of a document links to, and what it redirects to; nothing of one that is out of
// the index, and of a clone, which has no content of its own.
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

// unreachedSQL finds what is not reached yet. In a run a URL goes one way only, from not reached to reached to visited; so what
// this passes over needs no lock.
const unreachedSQL = `
	SELECT /* store.Reach */ w.url_id
	FROM urlword w
	WHERE w.url_id = ANY($1) AND w.next_index_time > 0
		AND NOT EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND (s.seen_run = $2 OR s.withdrawn_by = 'T-12'))
	ORDER BY w.url_id`

const lockReachedSQL = `
	SELECT /* store.Reach */ 1 FROM urlword
	WHERE url_id = ANY($1)
	ORDER BY url_id
	FOR UPDATE`

// reachSQL stands after the lock: it sees the visit that was waited for.
const reachSQL = `
	UPDATE /* store.Reach */ urlword w SET next_index_time = $3
	WHERE w.url_id = ANY($1) AND w.next_index_time > 0 AND w.next_index_time <> $4
		AND NOT EXISTS (SELECT FROM urlstate s WHERE s.url_id = w.url_id AND (s.seen_run = $2 OR s.withdrawn_by = 'T-12'))
	RETURNING w.site_id`

// Reach makes what a document links to due in this --respider run, unless it was visited in it already, and returns the sites
// of what became due. What a rule forbids (T-12) stays away until the rule is looked at again; a purged orphan comes back,
// with from as its referrer and hops.
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
