package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// tmpurl has the URLs that the last crawl visited, as ASPseek's has them: index -M visits them again. People may write it, too.

const forgetSessionSQL = `DELETE /* store.RememberSession */ FROM tmpurl`

// rememberSessionSQL takes the URLs from the schedules of a run. A schedule also has URLs that were given back unvisited; seen_run
// tells them. The number at the end of a fetcher's name is its thread.
const rememberSessionSQL = `
	WITH given AS MATERIALIZED (
		SELECT DISTINCT ON (u.url_id) u.url_id, coalesce(substring(c.fetcher FROM '[0-9]+$'), '0')::integer AS thread
		FROM schedule c CROSS JOIN LATERAL unnest(c.url_ids) u (url_id)
		WHERE c.run_id = $1 AND u.url_id <> 0
		ORDER BY u.url_id, c.seq DESC
	)
	INSERT /* store.RememberSession */ INTO tmpurl (url_id, thread)
	SELECT g.url_id, g.thread
	FROM given g JOIN urlstate s ON s.url_id = g.url_id                         -- urlstate_pkey
	WHERE s.seen_run = $1`

// RememberSession makes tmpurl the list of the URLs that a run has visited.
func (s *Store) RememberSession(ctx context.Context, run store.RunID) error {
	return s.InTx(ctx, "remember session", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, forgetSessionSQL); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, rememberSessionSQL, run)
		return err
	})
}
