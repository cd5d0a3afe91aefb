package report

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Namer is a source that names a URL: a sitemap, or the listing or archive that is itself a URL.
type Namer struct {
	Kind    string     // as in named_by
	URL     string     // of the source
	NamedIn string     // of a sitemap: robots.txt or file:line; "" = an index file names it
	GoodAt  *time.Time // when the sitemap was last read whole; nil = never, or no sitemap
	Failing bool       // the last look at the sitemap failed: its last good version names the URL
}

const namersSQL = `
	SELECT /* store.Namers */ n.kind, coalesce(s.url, w.url, ''), coalesce(s.named_in, ''), s.good_at, coalesce(s.failures > 0, false)
	FROM named_by n                                                             -- named_by_url_id
	LEFT JOIN sitemaps s ON n.kind = 'sitemap' AND s.sitemap_id = n.source      -- sitemaps_pkey
	LEFT JOIN urlword w ON n.kind <> 'sitemap' AND w.url_id = n.source          -- urlword_pkey
	WHERE n.url_id = $1
	ORDER BY n.kind, 2
	LIMIT $2`

// Namers returns at most n of the sources that name a URL.
func (s *Store) Namers(ctx context.Context, id store.URLID, n int) (list []Namer, err error) {
	err = s.InTx(ctx, "what names a url", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, namersSQL, id, n)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Namer])
		return err
	})
	return list, err
}

// SiteSitemaps are the sitemaps of a site in numbers.
type SiteSitemaps struct {
	Site     string
	Sitemaps int // index files among them
	Failing  int // that could not be had or are broken
	Entries  int
	Named    int // entries that were accepted
	Refused  int
}

const siteSitemapsSQL = `
	SELECT /* store.SiteSitemaps */ t.site, count(*), count(*) FILTER (WHERE s.failures > 0), coalesce(sum(s.entries) FILTER (WHERE s.kind <> 'index'), 0),
		coalesce(sum(s.named) FILTER (WHERE s.kind <> 'index'), 0), coalesce(sum(s.refused), 0)
	FROM sitemaps s JOIN sites t ON t.site_id = s.site_id
	WHERE $1 IN ('', t.site)
	GROUP BY t.site ORDER BY t.site`

// SiteSitemaps returns a line for each site that has sitemaps, or for one site. Entries of index files do not count as entries.
func (s *Store) SiteSitemaps(ctx context.Context, site string) (list []SiteSitemaps, err error) {
	err = s.InTx(ctx, "sitemaps of sites", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, siteSitemapsSQL, site)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[SiteSitemaps])
		return err
	})
	return list, err
}

// BadSitemap is a sitemap that could not be read whole, or of which entries were refused.
type BadSitemap struct {
	URL      string
	Status   int
	Line     int // of the error
	Error    string
	Refused  int
	Refusals string
}

const badSitemapsSQL = `
	SELECT /* store.BadSitemaps */ url, status, error_line, error, refused, refusals
	FROM sitemaps WHERE failures > 0 OR error <> '' OR $1 AND refused > 0
	ORDER BY failures = 0, url
	LIMIT $2`

// BadSitemaps returns at most n sitemaps that failed or are broken; with refused also those with entries that were refused.
func (s *Store) BadSitemaps(ctx context.Context, refused bool, n int) (list []BadSitemap, err error) {
	err = s.InTx(ctx, "bad sitemaps", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, badSitemapsSQL, refused, n)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[BadSitemap])
		return err
	})
	return list, err
}
