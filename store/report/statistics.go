package report

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// StatusCount is a line of index -S.
type StatusCount struct {
	Status         int // extended status; for a lost document that of its loss
	Lost           bool
	Expired, Total int64
}

const statisticsSQL = `
	SELECT /* store.Statistics */
		CASE WHEN w.status < 65536 THEN w.status ELSE w.status >> 16 & 2047 END,
		w.status >= 65536,
		count(*) FILTER (WHERE w.next_index_time <= extract(epoch FROM now())),
		count(*)
	FROM urlword w
	WHERE w.deleted = 0 AND ` + crawl.LimitsSQL + `
	GROUP BY 1, 2
	ORDER BY 1, 2`

// Statistics counts URLs by status: all, and those that are due now. Lost documents have lines of their own
// (-S).
func (s *Store) Statistics(ctx context.Context, l crawl.Limits) (lines []StatusCount, err error) {
	err = s.InTx(ctx, "statistics", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, statisticsSQL, l.Statuses, l.Tags, l.URLs)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StatusCount])
		return err
	})
	return lines, err
}

// SiteSummary is a line of index -S --sites: the URLs of one site by state.
type SiteSummary struct {
	Site                            string
	Found, Fetched, Live, Lost      int64
	Server, Auth, Gone, Unreachable int64 // in a series of errors of that class
	Unread                          int64 // their type is one that nothing reads
	Withdrawn                       int64
	Hold                            *Hold // nil = the site is not on hold
}

// Hold says that the safety gate holds a site.
type Hold struct {
	Site   string
	Since  time.Time
	Reason string // HoldShare, HoldStarts
	URL    string // the document whose failure exceeded the limit
	Cause  string // of that failure
}

const siteSummarySQL = `
	SELECT /* store.SiteSummaries */ s.site, s.found, s.fetched, s.live, s.lost, s.error_server, s.error_auth, s.error_gone,
		s.error_unreachable, s.unread, s.withdrawn, h.held_at, coalesce(h.reason, ''), coalesce(h.url, ''), coalesce(h.cause, '')
	FROM site_summary s LEFT JOIN sites_on_hold h ON h.site_id = s.site_id
	ORDER BY s.site`

// SiteSummaries returns a line for every site that has URLs, by name (-S --sites). It reads urlword once.
func (s *Store) SiteSummaries(ctx context.Context) (sites []SiteSummary, err error) {
	err = s.InTx(ctx, "summarise sites", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, siteSummarySQL)
		if err != nil {
			return err
		}
		sites, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l SiteSummary, err error) {
			var since *time.Time
			var hold Hold
			err = row.Scan(&l.Site, &l.Found, &l.Fetched, &l.Live, &l.Lost, &l.Server, &l.Auth, &l.Gone, &l.Unreachable, &l.Unread,
				&l.Withdrawn, &since, &hold.Reason, &hold.URL, &hold.Cause)
			if since != nil {
				hold.Site, hold.Since = l.Site, *since
				l.Hold = &hold
			}
			return l, err
		})
		return err
	})
	return sites, err
}

const holdsSQL = `
	SELECT /* store.Holds */ site, held_at, reason, coalesce(url, ''), cause
	FROM sites_on_hold
	ORDER BY site`

// Holds returns the sites on hold, by name.
func (s *Store) Holds(ctx context.Context) (list []Hold, err error) {
	err = s.InTx(ctx, "sites on hold", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, holdsSQL)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Hold])
		return err
	})
	return list, err
}

const unreadTypesSQL = `
	SELECT /* store.UnreadTypes */ u.media_type, count(*)
	FROM unread_documents u JOIN urlword w USING (url_id)
	WHERE u.media_type <> '' AND ` + crawl.LimitsSQL + `
	GROUP BY 1
	ORDER BY 2 DESC, 1`

// UnreadTypes counts the URLs whose type nothing reads, by media type (-S).
func (s *Store) UnreadTypes(ctx context.Context, l crawl.Limits) (numbers map[string]int64, err error) {
	err = s.InTx(ctx, "unread types", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, unreadTypesSQL, l.Statuses, l.Tags, l.URLs)
		if err != nil {
			return err
		}
		numbers = make(map[string]int64)
		var name string
		var n int64
		_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
			numbers[name] = n
			return nil
		})
		return err
	})
	return numbers, err
}
