package report

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// PatternURLs counts the registered URLs of a pattern.
type PatternURLs struct {
	Fetched int64 // at some time
	Waiting int64 // never
}

const patternURLsSQL = `
	SELECT /* store.PatternURLs */ count(*) FILTER (WHERE status <> 0), count(*) FILTER (WHERE status = 0)
	FROM urlword
	WHERE site_id = $1 AND deleted = 0 AND url ~* $2 AND NOT url ~* ANY ($3)`

// PatternURLs counts the URLs of a site that match a regular expression and none of others. It reads the rows of the site.
func (s *Store) PatternURLs(ctx context.Context, site store.SiteID, regexp string, except []string) (n PatternURLs, err error) {
	err = s.InTx(ctx, "URLs of a pattern", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, patternURLsSQL, site, regexp, append([]string{}, except...)).Scan(&n.Fetched, &n.Waiting)
	})
	return n, err
}
