package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const lockLinkingSQL = `
	SELECT /* store.MendLinks */ 1 FROM urlword WHERE url_id = ANY($1) ORDER BY url_id FOR UPDATE`

// cleanLinksSQL leaves the links of a page that may be right: ascending, once each, to registered URLs, not to itself.
var cleanLinksSQL = store.PerTable(`
	UPDATE /* store.MendLinks */ urlwordsNN c SET hrefs = ARRAY(
		SELECT DISTINCT h FROM unnest(c.hrefs) h
		WHERE h <> c.url_id AND EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = h)
		ORDER BY h)
	WHERE c.url_id = $1`)

// dropLinklessSQL removes the row of a page that is not to be indexed and has no link left, unless its content is kept.
var dropLinklessSQL = store.PerTable(`
	DELETE /* store.MendLinks */ FROM urlwordsNN c USING urlword w
	WHERE c.url_id = $1 AND w.url_id = c.url_id AND w.status & 65535 = 406 AND w.deleted = 0 AND c.hrefs = '{}'
		AND NOT EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = c.url_id AND s.kept_since IS NOT NULL)`)

// readAgainSQL are the statements after which the next crawl visits the pages and reads their links again, also when it finds
// them unchanged: from the stored content, as after a change of the rules.
var readAgainSQL = []string{
	`UPDATE /* store.MendLinks */ urlword w SET redir = 0
	WHERE url_id = ANY($1) AND redir <> 0 AND NOT EXISTS (SELECT 1 FROM urlword t WHERE t.url_id = w.redir)`,
	`UPDATE /* store.MendLinks */ urlstate SET links_hash = NULL WHERE url_id = ANY($1)`,
	`UPDATE /* store.MendLinks */ urlword SET next_index_time = -1 WHERE url_id = ANY($1) AND deleted = 0`,
	`UPDATE /* store.MendLinks */ sitestate SET next_due = LEAST(next_due, -1), next_class = 0
	WHERE site_id IN (SELECT site_id FROM urlword WHERE url_id = ANY($1) AND deleted = 0)`,
}

// MendLinks removes the links that cannot be right from pages, and makes the pages due, so that the next crawl reads their
// links again.
func (s *Store) MendLinks(ctx context.Context, pages []store.URLID) error {
	return s.InTx(ctx, "mend links", func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(lockLinkingSQL, pages)
		for _, page := range pages {
			b.Queue(cleanLinksSQL[page%16], page)
			b.Queue(dropLinklessSQL[page%16], page)
		}
		for _, sql := range readAgainSQL {
			b.Queue(sql, pages)
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

const withoutTargetSQL = `
	SELECT /* store.WithoutTarget */ w.url_id FROM urlword w LEFT JOIN urlword t ON t.url_id = w.redir WHERE w.redir <> 0 AND t.url_id IS NULL`

// WithoutTarget returns the redirects whose target is no registered URL.
func (s *Store) WithoutTarget(ctx context.Context) (pages []store.URLID, err error) {
	err = s.InTx(ctx, "redirects to nothing", func(tx pgx.Tx) (err error) {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		pages, err = store.Collect[store.URLID](ctx, tx, withoutTargetSQL)
		return err
	})
	return pages, err
}
