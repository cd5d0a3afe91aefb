package crawl

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Table named_by has URLs that a sitemap, listing or archive names. They count as reached for --respider and are no orphans.

// Source is what names URLs.
type Source struct {
	Kind string // one of the constants below
	ID   int32  // a sitemap: sitemaps.sitemap_id; else the url_id of the listing or archive
}

// Kinds of sources.
const (
	BySitemap = "sitemap"
	ByListing = "listing"
	ByArchive = "archive"
)

const notNamedSQL = `
	DELETE /* store.SetNamed */ FROM named_by
	WHERE kind = $1 AND source = $2 AND url_id = ANY($3)                       -- named_by_pkey`

const namedSQL = `
	INSERT /* store.SetNamed */ INTO named_by (kind, source, url_id)
	SELECT $1, $2, url_id FROM unnest($3::integer[]) AS i (url_id)
	ON CONFLICT DO NOTHING`

// SetNamed records the URLs that a source names. With whole it removes all others of the source.
func (s *Store) SetNamed(ctx context.Context, by Source, ids []store.URLID, whole bool) error {
	return s.InTx(ctx, "named urls", func(tx pgx.Tx) error { return setNamed(ctx, tx, by, ids, whole) })
}

// setNamed is SetNamed in a transaction of the caller.
func setNamed(ctx context.Context, tx pgx.Tx, by Source, ids []store.URLID, whole bool) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if whole {
		before, err := store.Collect[store.URLID](ctx, tx, `
			SELECT /* store.SetNamed */ url_id FROM named_by WHERE kind = $1 AND source = $2`, by.Kind, by.ID) // named_by_pkey
		if err != nil {
			return err
		}
		gone := slices.DeleteFunc(before, func(id store.URLID) bool {
			_, kept := slices.BinarySearch(ids, id)
			return kept
		})
		if _, err := tx.Exec(ctx, notNamedSQL, by.Kind, by.ID, gone); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, namedSQL, by.Kind, by.ID, store.NotNil(ids))
	return err
}

const namedBySQL = `
	SELECT /* store.NamedURLs */ url_id FROM named_by
	WHERE kind = $1 AND source = $2 AND url_id > $3                            -- named_by_pkey
	ORDER BY url_id LIMIT $4`

// NamedURLs returns the next n URLs that a source names, above the id after, ascending.
func (s *Store) NamedURLs(ctx context.Context, by Source, after store.URLID, n int) (ids []store.URLID, err error) {
	err = s.InTx(ctx, "named urls", func(tx pgx.Tx) error {
		ids, err = store.Collect[store.URLID](ctx, tx, namedBySQL, by.Kind, by.ID, after, n)
		return err
	})
	return ids, err
}
