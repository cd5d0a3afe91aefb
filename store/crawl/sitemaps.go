package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Table sitemaps has the sitemaps of the sites and when each is due. Table named_by has the URLs that they name. Only the holder of a
// lease of a site's host writes its rows.

// Sitemap is a sitemap of a site.
type Sitemap struct {
	ID           int32
	URL          string
	NamedIn      string // robots.txt or file:line; "" = only index files name it
	ETag         string // of the last version that was read whole, if its entries need not be tested again; the same below
	LastModified string
	Failures     int
	Due          bool // it is to be asked for now
	Unreached    bool // what it names was not made due in this --respider run yet
}

// NamedSitemap is a sitemap that robots.txt or a line of sets.cnf names.
type NamedSitemap struct {
	URL string // normalized
	In  string
}

const knownSitemapsSQL = `
	SELECT /* store.NameSitemaps */ url, named_in FROM sitemaps
	WHERE site_id = $1 AND named_in <> ''                                       -- sitemaps_site_url`

const nameSitemapsSQL = `
	INSERT /* store.NameSitemaps */ INTO sitemaps (site_id, url, named_in)
	SELECT $1, url, named_in FROM unnest($2::text[], $3::text[]) AS i (url, named_in)
	ON CONFLICT (site_id, md5(url)) DO UPDATE SET named_in = EXCLUDED.named_in`

const unnameSitemapsSQL = `
	UPDATE /* store.NameSitemaps */ sitemaps SET named_in = ''
	WHERE site_id = $1 AND named_in <> '' AND url <> ALL($2)                    -- sitemaps_site_url`

// NameSitemaps records the sitemaps that robots.txt and sets.cnf name for a site, each URL once. It deletes sitemaps that nothing names
// any more, with their rows of named_by.
func (s *Store) NameSitemaps(ctx context.Context, site store.SiteID, list []NamedSitemap) error {
	return s.InTx(ctx, "name sitemaps", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, knownSitemapsSQL, site)
		if err != nil {
			return err
		}
		before, err := pgx.CollectRows(rows, pgx.RowToStructByPos[NamedSitemap])
		if err != nil || sameSitemaps(before, list) {
			return err
		}
		urls, in := make([]string, len(list)), make([]string, len(list))
		for i, l := range list {
			urls[i], in[i] = l.URL, l.In
		}
		if _, err := tx.Exec(ctx, nameSitemapsSQL, site, urls, in); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, unnameSitemapsSQL, site, urls); err != nil {
			return err
		}
		return forgetSitemaps(ctx, tx, site)
	})
}

// sameSitemaps reports whether two lists, each without duplicates, have the same elements.
func sameSitemaps(a, b []NamedSitemap) bool {
	set := make(map[NamedSitemap]bool, len(a))
	for _, n := range a {
		set[n] = true
	}
	for _, n := range b {
		if !set[n] {
			return false
		}
	}
	return len(a) == len(b)
}

const forgetSitemapsSQL = `
	WITH gone AS (
		DELETE /* store.forgetSitemaps */ FROM sitemaps s
		WHERE s.site_id = $1 AND s.named_in = ''                                -- sitemaps_site_url
			AND NOT EXISTS (SELECT 1 FROM sitemaps p WHERE p.sitemap_id = ANY(s.parents))
		RETURNING s.sitemap_id
	), named AS (
		DELETE FROM named_by n USING gone WHERE n.kind = 'sitemap' AND n.source = gone.sitemap_id  -- named_by_pkey
	)
	SELECT count(*) FROM gone`

// forgetSitemaps deletes the sitemaps of a site that nothing names, and then those that only these named.
func forgetSitemaps(ctx context.Context, tx pgx.Tx, site store.SiteID) error {
	for n := 1; n > 0; {
		if err := tx.QueryRow(ctx, forgetSitemapsSQL, site).Scan(&n); err != nil {
			return err
		}
	}
	return nil
}

// SitemapsRequest selects the sitemaps of a site that a run has to read.
type SitemapsRequest struct {
	Site     store.SiteID
	Run      store.RunID
	Start    int64  // of the run, epoch seconds
	All      bool   // once in this run, due or not
	Respider bool   // also those of which the URLs were not made due in it
	Rules    []byte // hash of the rules for entries
	Limit    int    // sitemaps at most
}

// A sitemap is asked for once in a run, but in a long run again when its time has come and an hour has passed.
const sitemapsSQL = `
	WITH look AS MATERIALIZED (
		SELECT s.sitemap_id, s.url, s.named_in, s.etag, s.last_modified, s.failures, s.next_look, s.good_at IS NOT NULL AND f.changed AS changed,
			coalesce(s.fetched_at < to_timestamp($3) AND ($4 OR f.changed) OR s.next_look <= now()
				AND (s.fetched_at < to_timestamp($3) OR s.fetched_at < now() - interval '1 hour'), true) AS due,
			$5 AND s.reached_run <> $2 AS unreached
		FROM sitemaps s
		CROSS JOIN LATERAL (SELECT s.good_at IS NOT NULL AND s.rules_hash IS DISTINCT FROM $6 AS changed) f
		WHERE s.site_id = $1                                                    -- sitemaps_site_url
	)
	SELECT /* store.DueSitemaps */ sitemap_id, url, named_in, CASE WHEN changed THEN '' ELSE etag END,
		CASE WHEN changed THEN '' ELSE last_modified END, failures, due, unreached
	FROM look WHERE due OR unreached
	ORDER BY named_in = '', sitemap_id
	LIMIT $7`

// DueSitemaps returns the next due sitemaps of a site.
func (s *Store) DueSitemaps(ctx context.Context, r SitemapsRequest) (list []Sitemap, err error) {
	err = s.InTx(ctx, "due sitemaps", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sitemapsSQL, r.Site, r.Run, r.Start, r.All, r.Respider, r.Rules, r.Limit)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Sitemap])
		return err
	})
	return list, err
}

const reachedSitemapSQL = `UPDATE /* store.ReachedSitemap */ sitemaps SET reached_run = $2 WHERE sitemap_id = $1`

// ReachedSitemap records that what a sitemap names is due in a --respider run.
func (s *Store) ReachedSitemap(ctx context.Context, id int32, run store.RunID) error {
	return s.InTx(ctx, "reached sitemap", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, reachedSitemapSQL, id, run)
		return err
	})
}

const sitemapFailedSQL = `
	UPDATE /* store.SitemapFailed */ sitemaps SET fetched_at = now(), next_look = now() + $2::interval, status = $3, error = $4,
		error_line = 0, failures = failures + 1
	WHERE sitemap_id = $1`

// SitemapFailed records that a sitemap could not be had. The URLs that its last good version named stay.
func (s *Store) SitemapFailed(ctx context.Context, id int32, status int, cause string, next time.Duration) error {
	return s.InTx(ctx, "sitemap failed", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sitemapFailedSQL, id, next, status, cause)
		return err
	})
}

const sitemapUnchangedSQL = `
	UPDATE /* store.SitemapUnchanged */ sitemaps SET fetched_at = now(), good_at = now(), next_look = now() + $2::interval, status = 304,
		error = '', error_line = 0, failures = 0
	WHERE sitemap_id = $1`

// SitemapUnchanged records that a sitemap has not changed.
func (s *Store) SitemapUnchanged(ctx context.Context, id int32, next time.Duration) error {
	return s.InTx(ctx, "sitemap unchanged", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sitemapUnchangedSQL, id, next)
		return err
	})
}
