package crawl

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// SitemapRead is the result of reading a sitemap.
type SitemapRead struct {
	ID           int32
	Site         store.SiteID
	Kind         string
	Whole        bool // it was read to its end: what it does not name any more is forgotten
	ETag         string
	LastModified string
	Rules        []byte // hash of the rules for its entries
	Entries      int
	Named        int // entries that were accepted
	Refused      int
	Refusals     string
	Error        string // "" = none
	Line         int    // of it
	Next         time.Duration
	URLs         []store.URLID
	Parts        []SitemapPart // of an index file
}

// SitemapPart is a sitemap that an index file names.
type SitemapPart struct {
	URL     string    // normalized
	LastMod time.Time // zero for none
}

// Without its end the version has no validators, so that the next request is unconditional.
const sitemapReadSQL = `
	UPDATE /* store.SitemapRead */ sitemaps SET fetched_at = now(), next_look = now() + $2::interval, status = 200, kind = $3,
		good_at = CASE WHEN $4 THEN now() ELSE good_at END, etag = $5, last_modified = $6, rules_hash = $7,
		failures = CASE WHEN $4 THEN 0 ELSE failures + 1 END, entries = $8, named = $9, refused = $10, refusals = $11, error = $12, error_line = $13
	WHERE sitemap_id = $1`

const partsSQL = `
	INSERT /* store.SitemapRead */ INTO sitemaps AS s (site_id, url, parents)
	SELECT $1, url, ARRAY[$2::integer] FROM unnest($3::text[]) AS i (url)
	ON CONFLICT (site_id, md5(url)) DO UPDATE SET parents = CASE WHEN $2 = ANY(s.parents) THEN s.parents ELSE s.parents || $2::integer END`

// A part that is newer than the last look at it is due.
const duePartsSQL = `
	UPDATE /* store.SitemapRead */ sitemaps s SET next_look = now()
	FROM unnest($2::text[], $3::timestamptz[]) AS i (url, modified)
	WHERE s.site_id = $1 AND md5(s.url) = md5(i.url) AND i.modified > s.fetched_at AND s.next_look > now()`

const otherPartsSQL = `
	UPDATE /* store.SitemapRead */ sitemaps s SET parents = array_remove(parents, $2)
	WHERE site_id = $1 AND parents @> ARRAY[$2::integer]                        -- sitemaps_site_url
		AND NOT EXISTS (SELECT 1 FROM unnest($3::text[]) AS i (url) WHERE i.url = s.url)`

// SaveSitemap records a sitemap that was read, and the URLs that it names.
func (s *Store) SaveSitemap(ctx context.Context, r SitemapRead) error {
	urls, dates := make([]string, len(r.Parts)), make([]*time.Time, len(r.Parts))
	for i := range r.Parts {
		urls[i] = r.Parts[i].URL
		if !r.Parts[i].LastMod.IsZero() {
			dates[i] = &r.Parts[i].LastMod
		}
	}
	return s.InTx(ctx, "save sitemap", func(tx pgx.Tx) error {
		found, err := tx.Exec(ctx, sitemapReadSQL, r.ID, r.Next, r.Kind, r.Whole, r.ETag, r.LastModified, r.Rules,
			r.Entries, r.Named, r.Refused, r.Refusals, r.Error, r.Line)
		if err != nil || found.RowsAffected() == 0 { // forgotten since it was due
			return err
		}
		if err := setNamed(ctx, tx, Source{Kind: BySitemap, ID: r.ID}, r.URLs, r.Whole); err != nil {
			return err
		}
		if len(urls) > 0 {
			if _, err := tx.Exec(ctx, partsSQL, r.Site, r.ID, urls); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, duePartsSQL, r.Site, urls, dates); err != nil {
				return err
			}
		}
		if !r.Whole {
			return nil
		}
		if _, err := tx.Exec(ctx, otherPartsSQL, r.Site, r.ID, urls); err != nil {
			return err
		}
		return forgetSitemaps(ctx, tx, r.Site)
	})
}

// ModifiedURL is a URL with its lastmod in a sitemap.
type ModifiedURL struct {
	ID store.URLID
	At time.Time
}

// A URL that was never asked for is due anyway, and so is one that a run has reached. The rows are locked in the order of their
// keys.
const modifiedSQL = `
	WITH newer AS MATERIALIZED (
		SELECT w.url_id, i.modified
		FROM unnest($1::integer[], $2::timestamptz[]) AS i (url_id, modified)
		JOIN urlword w ON w.url_id = i.url_id                                   -- urlword_pkey
		JOIN urlstate s ON s.url_id = i.url_id                                  -- urlstate_pkey
		WHERE w.deleted = 0 AND w.status <> 0 AND w.next_index_time > $3 AND w.next_index_time < $4 AND s.last_attempt < i.modified
		ORDER BY w.url_id
		FOR UPDATE OF w
	), told AS (
		UPDATE urlstate s SET next_why = 'its sitemap says: modified at ' || to_char(n.modified AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC'
		FROM newer n WHERE s.url_id = n.url_id
	)
	UPDATE /* store.Modified */ urlword w SET next_index_time = $3
	FROM newer n WHERE w.url_id = n.url_id
	RETURNING w.site_id`

// Modified makes known URLs due if the sitemap's date is later than their last visit. It returns the site of each URL that became due.
func (s *Store) Modified(ctx context.Context, list []ModifiedURL, due int64) (sites []store.SiteID, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids, dates := make([]store.URLID, len(list)), make([]time.Time, len(list))
	for i, m := range list {
		ids[i], dates[i] = m.ID, m.At
	}
	err = s.InTx(ctx, "modified urls", func(tx pgx.Tx) error {
		sites, err = store.Collect[store.SiteID](ctx, tx, modifiedSQL, ids, dates, due, neverDue)
		return err
	})
	slices.Sort(sites)
	return sites, err
}
