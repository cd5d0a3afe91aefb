package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// clearSQL empties everything that a crawl or a merge wrote, and restarts all sequences. Web spaces refer to
// sites by id, so they are emptied too; subsets (without their documents) and query statistics stay.
const clearSQL = `
	TRUNCATE /* store.Clear */ sites, urlkey, urlword,
		urlwords00, urlwords01, urlwords02, urlwords03, urlwords04, urlwords05, urlwords06, urlwords07,
		urlwords08, urlwords09, urlwords10, urlwords11, urlwords12, urlwords13, urlwords14, urlwords15,
		urlstate, wordurl, wordurl1, wordfile, rt_urls, journal, markdel, docwords, docdates, citation, wordsite, urlrank,
		subsetdocs, subsetstate,
		reindexing, process, fetcher, schedule, sitestate, site_hold, host_limit, robots, robots_allow, robots_cache, crawl_history,
		paused_pattern, soft404_probe, sitemaps, named_by, file_mount, connectivity, tmpurl, spaces, crawled_by
	RESTART IDENTITY`

const forgetRulesSQL = `
	UPDATE /* store.Clear */ crawl_control SET stop_asked = NULL, stop_reason = NULL, swept_hash = NULL, accepted_hash = NULL`

const forgetRanksSQL = `
	UPDATE /* store.Clear */ rankstate SET links = 0, changed = 0, documents = 0, computed_at = NULL`

const zeroTotalsSQL = `
	UPDATE /* store.Clear */ totals SET documents = 0, words = 0, postings = 0, positions = 0, changes = changes + 1`

const restartSQL = `
	SELECT /* store.Clear */ setval('journal_seq', 1, false), setval('wordfile_seq', 1, false)`

// Clear empties the database (-C). The caller holds the locks of crawl, merge and real-time runs.
func (s *Store) Clear(ctx context.Context) error {
	return s.InTx(ctx, "clear", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, store.LockIndexSQL, int32(store.LockClass), store.MergeBatchLock); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, clearSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, forgetRulesSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, forgetRanksSQL); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, zeroTotalsSQL); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, restartSQL)
		return err
	})
}
