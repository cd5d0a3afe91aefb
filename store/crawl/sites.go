package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const registerSiteSQL = `
	WITH found AS (
		SELECT site_id FROM sites WHERE site = $1
	), made AS (
		INSERT /* store.RegisterSite */ INTO sites (site)
		SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM found)
		ON CONFLICT DO NOTHING
		RETURNING site_id
	)
	SELECT site_id FROM found UNION ALL SELECT site_id FROM made`

const registerSiteStateSQL = `
	INSERT /* store.RegisterSite */ INTO sitestate (site_id, host, next_due, next_class)
	VALUES ($1, $2, $3, 9)
	ON CONFLICT DO NOTHING`

// neverDue is the sitestate.next_due of a site that has nothing to fetch.
const neverDue = int64(1) << 62

// RegisterSite returns the key of a site (http://host[:port]/), and inserts its rows when there are none.
// Concurrent calls return the same key. The error is ErrUsedUp when there is no key for a new site. host is
// the name without the port, by which politeness counts.
func (s *Store) RegisterSite(ctx context.Context, site, host string) (id store.SiteID, err error) {
	if id, ok := s.sites.Get(site); ok {
		return id, nil
	}
	for id == 0 { // repeats when another writer was between the two statements
		err := s.InTx(ctx, "register site", func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, registerSiteSQL, site)
			if err != nil {
				return err
			}
			ids, err := pgx.CollectRows(rows, pgx.RowTo[store.SiteID])
			if err != nil || len(ids) == 0 {
				return err
			}
			id = ids[0]
			_, err = tx.Exec(ctx, registerSiteStateSQL, id, host, neverDue)
			return err
		})
		if err != nil {
			return 0, store.UsedUp(err, "site (2^24 - 1 of them)")
		}
	}
	s.sites.Add(site, id)
	return id, nil
}

const countSiteURLsSQL = `
	SELECT /* store.CountSiteURLs */ count(*) FROM urlword WHERE site_id = $1`

// CountSiteURLs returns how many URLs of a site are registered.
func (s *Store) CountSiteURLs(ctx context.Context, site store.SiteID) (n int, err error) {
	err = s.InTx(ctx, "count urls of a site", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, countSiteURLsSQL, site).Scan(&n)
	})
	return n, err
}

const typedSitesSQL = `
	SELECT /* store.TypedSites */ DISTINCT s.site
	FROM urlword w JOIN sites s ON s.site_id = w.site_id
	WHERE w.hops = 0 AND w.referrer = 0 AND w.deleted = 0          -- urlword_hops`

// TypedSites returns the sites of URLs that an operator gave: start URLs and those of -i.
func (s *Store) TypedSites(ctx context.Context) (sites []string, err error) {
	err = s.InTx(ctx, "typed sites", func(tx pgx.Tx) (err error) {
		sites, err = store.Collect[string](ctx, tx, typedSitesSQL)
		return err
	})
	return sites, err
}
