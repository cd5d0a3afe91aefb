package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// A site that says noindex in most of its documents at once has often made a mistake. It is obeyed, so nothing of it is found. But
// the site is put on hold, and the contents are kept until it said so on several days or an operator releases it.

// NoIndexSite is a site of which documents say noindex that were found before, or that was counted as one.
type NoIndexSite struct {
	Site    store.SiteID
	Name    string
	Kept    int // documents that say noindex and whose content is kept
	Live    int
	Example store.URLID // one of Kept, and its URL
	URL     string
	Days    int       // on which most of it said so, as far as counted; 0 = it does not
	Seen    time.Time // when the last of Kept said so
	NewDay  bool      // one of Kept said so on a later day (UTC) than the last one counted
	Held    string
}

// noIndexReleased is sitestate.noindex_days after --release.
const noIndexReleased = 32767

// Bits 4 and 6 of the indexing mode: the header, or the page itself, says noindex.
const noIndexSitesSQL = `
	WITH kept AS MATERIALIZED (
		SELECT w.site_id, count(*) AS n, min(w.url_id) AS example, to_timestamp(max(w.last_index_time)) AS seen
		FROM urlstate s JOIN urlword w ON w.url_id = s.url_id                        -- urlstate_kept
		WHERE s.kept_since IS NOT NULL AND s.index_mode & 80 <> 0 AND w.deleted = 0 AND w.status & 65535 = 406
		GROUP BY w.site_id
	)
	SELECT /* store.NoIndexSites */ t.site_id, i.site, coalesce(k.n, 0), l.live, coalesce(k.example, 0),
		coalesce((SELECT u.url FROM urlword u WHERE u.url_id = k.example), ''), t.noindex_days,
		coalesce(k.seen, now()), coalesce((k.seen AT TIME ZONE 'UTC')::date > (t.noindex_seen AT TIME ZONE 'UTC')::date, true),
		coalesce((SELECT h.reason FROM site_hold h WHERE h.site_id = t.site_id AND h.ended_at IS NULL), '')
	FROM sitestate t JOIN sites i ON i.site_id = t.site_id LEFT JOIN kept k ON k.site_id = t.site_id
	CROSS JOIN LATERAL (
		SELECT count(*) AS live FROM urlword w                                       -- urlword_due
		WHERE w.site_id = t.site_id AND w.deleted = 0 AND w.status <> 0 AND w.status & 65535 = 200
	) l
	WHERE k.n > 0 OR t.noindex_days > 0
	ORDER BY t.site_id
	FOR UPDATE OF t`

const countNoIndexSQL = `
	UPDATE /* store.HoldNoIndex */ sitestate SET noindex_days = $2, noindex_seen = $3 WHERE site_id = $1`

const noIndexHoldSQL = `
	WITH held AS (
		UPDATE /* store.HoldNoIndex */ sitestate SET gate = 'h' WHERE site_id = $1
	)
	INSERT INTO site_hold (site_id, run_id, reason, url_id, cause, live, turned_lost)
	SELECT $1, max(run_id), 'noindex', $2, 'noindex', $3, 0 FROM reindexing`

const endNoIndexHoldSQL = `
	WITH over AS (
		UPDATE /* store.HoldNoIndex */ site_hold SET ended_at = now(), ended_by = $2
		WHERE site_id = $1 AND ended_at IS NULL AND reason = 'noindex'
		RETURNING site_id
	)
	UPDATE sitestate t SET gate = 'a' FROM over WHERE t.site_id = over.site_id`

const releaseNoIndexSQL = `
	UPDATE /* store.ReleaseSite */ sitestate SET noindex_days = 32767
	WHERE noindex_days > 0 AND site_id = (SELECT site_id FROM sites WHERE site = $1)`

// HoldNoIndex looks at the sites whose documents say noindex. most decides whether so many of a site's documents do that their
// contents are kept; they are kept until days different days. It puts sites on hold and ends holds, and returns the sites that are
// on hold for noindex now.
func (s *Store) HoldNoIndex(ctx context.Context, days int, most func(*NoIndexSite) bool) (held []NoIndexSite, err error) {
	err = s.InTx(ctx, "hold for noindex", func(tx pgx.Tx) error {
		held = nil
		found, err := tx.Query(ctx, noIndexSitesSQL)
		if err != nil {
			return err
		}
		sites, err := pgx.CollectRows(found, func(row pgx.CollectableRow) (x NoIndexSite, err error) {
			err = row.Scan(&x.Site, &x.Name, &x.Kept, &x.Live, &x.Example, &x.URL, &x.Days, &x.Seen, &x.NewDay, &x.Held)
			return x, err
		})
		if err != nil {
			return err
		}
		for _, x := range sites {
			if err := x.settle(ctx, tx, days, most(&x)); err != nil {
				return err
			}
			if x.Held == HoldNoIndex {
				held = append(held, x)
			}
		}
		return nil
	})
	return held, err
}

// settle counts a day of a site, and begins or ends its hold. A site that is on hold for something else waits for its turn.
func (x *NoIndexSite) settle(ctx context.Context, tx pgx.Tx, days int, most bool) error {
	end := func(by string) error {
		if x.Held == HoldNoIndex {
			x.Held = ""
		}
		_, err := tx.Exec(ctx, endNoIndexHoldSQL, x.Site, by)
		return err
	}
	if !most {
		if x.Days == 0 {
			return nil
		}
		if _, err := tx.Exec(ctx, countNoIndexSQL, x.Site, 0, nil); err != nil {
			return err
		}
		return end("recovered")
	}
	if x.NewDay && x.Days < noIndexReleased {
		x.Days++
		if _, err := tx.Exec(ctx, countNoIndexSQL, x.Site, x.Days, x.Seen); err != nil {
			return err
		}
	}
	switch {
	case x.Days >= days:
		return end("expired")
	case x.Held == "":
		x.Held = HoldNoIndex
		_, err := tx.Exec(ctx, noIndexHoldSQL, x.Site, x.Example, x.Live+x.Kept)
		return err
	}
	return nil
}
