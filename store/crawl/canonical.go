package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// urlstate.canonical has the canonical page that a page names. Pages stay in the index until the end of a run. Then those of a site are
// counted, and are united with their canonical pages or the site goes on hold. spider/canonicalhold.go decides which.

// StatusCanonical is the status of a page that is united with its canonical page.
const StatusCanonical = 906

// canonicalOf has the canonical page t (with ts) of pages that name the URL c. That is c itself. But when c redirects to a page that names
// c, it is that page: the root of a site often redirects to a start page that names the root. back is null unless t is such a page.
const (
	canonicalOf = `(urlword c
			LEFT JOIN urlstate cs ON c.deleted = 0 AND c.status IN (301, 302) AND cs.url_id = c.redir AND cs.canonical = c.url_id
			JOIN urlword t ON t.url_id = coalesce(cs.url_id, c.url_id)
			JOIN urlstate ts ON ts.url_id = t.url_id
			LEFT JOIN urlword back ON back.url_id = ts.canonical AND back.deleted = 0 AND back.status IN (301, 302) AND back.redir = t.url_id)`
	namesNone = `(ts.canonical = 0 OR back.url_id IS NOT NULL)`
)

// canonicalStandsSQL returns the canonical page of $1 as stored and, for pages that name $2, their canonical page, whether it is in the
// index and names none, and whether it is lost.
const canonicalStandsSQL = `
	SELECT /* store.Document */
		coalesce((SELECT t.url_id FROM urlstate n JOIN ` + canonicalOf + ` ON c.url_id = n.canonical WHERE n.url_id = $1), 0),
		coalesce(p.page, 0), coalesce(p.stands, false), coalesce(p.lost, false)
	FROM (SELECT 1) AS one LEFT JOIN (
		SELECT t.url_id AS page, t.url_id <> $1 AND t.deleted = 0 AND t.status & 65535 = 200 AND ` + namesNone + ` AS stands,
			t.status >= 65536 AS lost
		FROM ` + canonicalOf + `
		WHERE c.url_id = $2
	) p ON true`

const setCanonicalSQL = `
	UPDATE /* store.SetCanonical */ urlstate SET canonical = $2, canonical_cause = $3,
		canonical_run = CASE WHEN NOT $4 THEN $5 WHEN canonical > 0 THEN canonical_run ELSE 0 END
	WHERE url_id = $1`

// SetCanonical stores the canonical page that a version names: 0 = none or itself, -1 = one that is not followed, with the cause.
// before says that the document was in the index before the attempt. SetCanonical must be called after Attempt.
func (d *DocumentTx) SetCanonical(canonical store.URLID, cause string, before bool) {
	d.after.Queue(setCanonicalSQL, d.ID, canonical, cause, before, d.held.Run)
}

// CanonicalSite counts the pages of a site that can be united with their canonical pages. Their canonical pages are in the index and
// name no other page.
type CanonicalSite struct {
	ID       store.SiteID
	Site     string
	Pages    int        // all of them
	Old      int        // those that were in the index before the run
	Live     int        // documents from before the run, without common canonical pages
	Answered int        // of Live, those that answered in the run
	Named    int        // of these, those of Pages
	Top      int        // of Pages, those that name the most common canonical page from a path of their own
	Total    int        // documents, without common canonical pages
	Seen     *time.Time // when the last of Pages was seen
	Example  store.URLID
	URL      string // of Example
	Target   string // of it
	Free     bool   // nothing is counted (sitestate.canonical_until)
	Hold     string // reason of its hold, empty when it is not on hold
	Most     int    // pages that named others at the same time during this hold
}

// canonicalSitesSQL reads all documents of the sites with such pages. A common canonical page is one that several pages name; it is not
// counted. The run is the one that ends, or the last one when the next run begins.
const canonicalSitesSQL = `
	WITH last AS MATERIALIZED (
		SELECT coalesce(max(run_id), 0) AS run FROM reindexing WHERE kind = 'crawl' AND begun_at IS NOT NULL
	), named AS MATERIALIZED (
		SELECT w.site_id, w.url_id, w.url, t.url_id AS canonical, s.canonical_run = last.run AS fresh, s.seen_run, s.last_attempt,       -- urlstate_canonical
			t.url AS target, split_part(w.url, '?', 1) <> split_part(t.url, '?', 1) AS elsewhere
		FROM last, urlstate s JOIN urlword w ON w.url_id = s.url_id
			JOIN ` + canonicalOf + ` ON c.url_id = s.canonical
		WHERE s.canonical > 0 AND w.deleted = 0 AND w.status = 200 AND t.deleted = 0 AND t.status = 200 AND t.url_id <> w.url_id AND ` + namesNone + `
	), common AS MATERIALIZED (
		SELECT canonical AS url_id FROM named GROUP BY canonical HAVING count(*) > 1
	), top AS (
		SELECT site_id, max(n) AS n FROM (SELECT site_id, count(*) AS n FROM named WHERE elsewhere GROUP BY site_id, canonical) x GROUP BY site_id
	), site AS MATERIALIZED (
		SELECT site_id, count(*) AS pages, count(*) FILTER (WHERE NOT fresh) AS old, max(last_attempt) AS seen,
			(array_agg(url_id ORDER BY url_id))[1] AS example
		FROM named GROUP BY site_id
		UNION ALL
		SELECT site_id, 0, 0, NULL, 0 FROM site_hold
		WHERE ended_at IS NULL AND reason = 'canonical' AND site_id NOT IN (SELECT site_id FROM named)               -- site_hold_open
	)
	SELECT /* store.CanonicalSites */ m.site_id, i.site, m.pages, m.old, l.live, l.answered, l.named, coalesce(p.n, 0), l.total,
		m.seen, m.example, coalesce(x.url, ''), coalesce(x.target, ''), coalesce(t.canonical_until > now(), false),
		coalesce(h.reason, ''), coalesce(h.turned_lost, 0)
	FROM site m
	JOIN sites i ON i.site_id = m.site_id
	JOIN sitestate t ON t.site_id = m.site_id
	LEFT JOIN top p ON p.site_id = m.site_id
	LEFT JOIN site_hold h ON h.site_id = m.site_id AND h.ended_at IS NULL                                           -- site_hold_open
	LEFT JOIN named x ON x.url_id = m.example
	CROSS JOIN LATERAL (
		SELECT count(*) AS total, count(*) FILTER (WHERE d.old) AS live,
			count(*) FILTER (WHERE d.old AND d.answered) AS answered,
			count(*) FILTER (WHERE d.old AND d.answered AND d.url_id IN (SELECT n.url_id FROM named n)) AS named
		FROM (
			SELECT w.url_id, NOT (s.canonical > 0 AND s.canonical_run = last.run OR s.attempts = 1 AND s.seen_run = last.run) AS old,
				s.seen_run = last.run AND s.error_class <> 'unreachable' AS answered
			FROM last, urlword w JOIN urlstate s ON s.url_id = w.url_id
			WHERE w.site_id = m.site_id AND w.deleted = 0 AND w.status <> 0 AND w.status & 65535 = 200               -- urlword_due
				AND w.url_id NOT IN (SELECT url_id FROM common)
		) d
	) l
	ORDER BY m.site_id`

// CanonicalSites returns the sites with pages that can be united with their canonical pages, or with a hold for that.
func (s *Store) CanonicalSites(ctx context.Context) (list []CanonicalSite, err error) {
	err = s.InTx(ctx, "sites with canonical pages", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, canonicalSitesSQL)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CanonicalSite])
		return err
	})
	return list, err
}

// Named is a page with its canonical page.
type Named struct {
	ID, Canonical store.URLID
	URL           string // of Canonical
	New           bool   // it came into the index in this run
}

const namedPagesSQL = `
	SELECT /* store.NamedPages */ s.url_id, t.url_id, t.url,
		s.canonical_run = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl' AND begun_at IS NOT NULL)                                      -- urlstate_canonical
	FROM urlstate s JOIN urlword w ON w.url_id = s.url_id
		JOIN ` + canonicalOf + ` ON c.url_id = s.canonical
	WHERE s.canonical > 0 AND s.url_id <= $2 AND w.site_id = $1 AND w.deleted = 0 AND w.status = 200
		AND t.deleted = 0 AND t.status = 200 AND t.url_id <> w.url_id AND ` + namesNone + `
		AND s.error_class <> 'unreachable' AND ts.error_class <> 'unreachable'
	ORDER BY s.url_id DESC
	LIMIT $3`

// NamedPages returns the n pages of a site with the highest ids up to upto that can be united with their canonical pages, the highest
// first (see KnownURLs). Both must have answered last: an error that a hold kept back shows that what is stored is out of date.
func (s *Store) NamedPages(ctx context.Context, site store.SiteID, upto store.URLID, n int) (list []Named, err error) {
	err = s.InTx(ctx, "pages with canonical pages", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, namedPagesSQL, site, upto, n)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Named])
		return err
	})
	return list, err
}

// A site that is on hold for another reason stays so.
var holdCanonicalSQL = `
	WITH held AS (
		INSERT INTO site_hold AS h (site_id, run_id, reason, url_id, cause, live, turned_lost, days, seen)
		VALUES ($1, $2, 'canonical', $3, $4, $5, $6, 1, $7)
		ON CONFLICT (site_id) WHERE ended_at IS NULL DO UPDATE SET seen = greatest(h.seen, $7), turned_lost = greatest(h.turned_lost, $6),
			days = CASE WHEN $7::timestamptz IS NULL THEN h.days ELSE h.days + ` + anotherDay("h.seen", "$7::timestamptz") + ` END
		WHERE h.reason = 'canonical'
		RETURNING site_id, days
	), closed AS (
		UPDATE sitestate t SET gate = 'h' FROM held WHERE t.site_id = held.site_id
	)
	SELECT /* store.HoldCanonical */ coalesce((SELECT days FROM held), 0)`

// HoldCanonical puts a site on hold because so many of its pages name others, or records that this goes on. It returns on how many
// days that was seen; 0 when the site is on hold for another reason.
func (s *Store) HoldCanonical(ctx context.Context, run store.RunID, c *CanonicalSite) (days int, err error) {
	err = s.InTx(ctx, "hold canonical pages", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, holdCanonicalSQL, c.ID, run, c.Example, "canonical: "+c.Target, c.Total, c.Pages, c.Seen).Scan(&days)
	})
	return days, err
}

const endCanonicalSQL = `
	WITH over AS (
		UPDATE /* store.EndCanonicalHold */ site_hold SET ended_at = now(), ended_by = $2
		WHERE site_id = $1 AND ended_at IS NULL AND reason = 'canonical'                                            -- site_hold_open
		RETURNING site_id
	)
	UPDATE sitestate t SET gate = CASE WHEN $3::interval IS NULL THEN 'a' ELSE 'o' END::"char",
		canonical_until = CASE WHEN $3::interval IS NULL THEN t.canonical_until ELSE now() + greatest($3::interval, interval '1 day') END
	FROM over WHERE t.site_id = over.site_id`

// EndCanonicalHold ends the hold of a site for its canonical pages: by = recovered, or expired, after which nothing is counted for a
// period.
func (s *Store) EndCanonicalHold(ctx context.Context, site store.SiteID, by string, free *time.Duration) error {
	return s.InTx(ctx, "end hold of canonical pages", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, endCanonicalSQL, site, by, free)
		return err
	})
}
