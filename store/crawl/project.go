package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// CrawledBy names what crawls a database: the projects that were named, and the hosts of configurations without a name.
type CrawledBy struct {
	Projects, Hosts []string
}

const crawledBySQL = `
	SELECT /* store.CrawledBy */ coalesce(array_agg(name ORDER BY name) FILTER (WHERE kind = 'project'), '{}'),
		coalesce(array_agg(name ORDER BY name) FILTER (WHERE kind = 'host'), '{}')
	FROM crawled_by`

// CrawledBy returns what crawls this database; both lists are empty when no configuration has crawled it.
func (s *Store) CrawledBy(ctx context.Context) (by CrawledBy, err error) {
	err = s.InTx(ctx, "crawled by", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, crawledBySQL).Scan(&by.Projects, &by.Hosts)
	})
	return by, err
}

const addCrawlerSQL = `
	INSERT /* store.AddCrawler */ INTO crawled_by (kind, name)
	SELECT 'project', unnest($1::text[]) UNION ALL SELECT 'host', unnest($2::text[])
	ON CONFLICT DO NOTHING`

// AddCrawler records that a configuration crawls this database.
func (s *Store) AddCrawler(ctx context.Context, by CrawledBy) error {
	return s.InTx(ctx, "crawled by", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, addCrawlerSQL, store.NotNil(by.Projects), store.NotNil(by.Hosts))
		return err
	})
}
