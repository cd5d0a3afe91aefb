package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// A redirect of a live document is kept in urlstate (redirect, redirect_to) until those of its site are counted.
// Then it is carried out, or the site is put on hold. The decisions are in spider/redirecthold.go.

// RedirectingSite counts the redirects of a site that are not carried out yet.
type RedirectingSite struct {
	ID          store.SiteID
	Site        string
	Redirecting int        // live documents with such a redirect
	Live        int        // live documents, without those found in the last of the runs that saw one, and without common targets
	Left        int        // documents of the site that redirects took out of the index within a day
	Answered    int        // of Live, those that answered in that run
	Redirected  int        // of these, those that redirected
	Seen        *time.Time // when the last one was seen; nil when later attempts had no answer
	Run         store.RunID
	Example     store.URLID // the last one
	URL         string      // of it
	Cause       string      // of its attempt
	Target      string      // of it, empty when it is filtered
	Free        bool        // redirects of the site are not counted (sitestate.redirects_until)
	Hold        string      // reason of its hold, empty when it is not on hold
	Most        int         // documents that have redirected at the same time during this hold
}

// redirectingSQL reads all documents of the sites that it concerns. A page to which several documents redirect, such
// as a login, is no document of the site before, nor is what was found since.
const redirectingSQL = `
	WITH marked AS MATERIALIZED (
		SELECT w.site_id, w.url_id, w.url, s.redirect_to, s.redirect_run,                                   -- urlstate_redirect
			CASE WHEN s.seen_run = s.redirect_run THEN s.last_attempt END AS seen
		FROM urlstate s JOIN urlword w ON w.url_id = s.url_id
		WHERE s.redirect <> 0 AND w.deleted = 0 AND w.status & 65535 = 200
	), common AS MATERIALIZED (
		SELECT redirect_to AS url_id FROM marked GROUP BY redirect_to HAVING count(*) > 1
	), moved AS MATERIALIZED (
		SELECT w.site_id, count(*) AS n FROM urlstate s JOIN urlword w ON w.url_id = s.url_id               -- urlstate_moved_at
		WHERE s.moved_at > now() - interval '1 day' AND w.deleted = 0 AND w.status IN (301, 302)
		GROUP BY w.site_id
	), site AS MATERIALIZED (
		SELECT site_id, count(*) AS redirecting, max(seen) AS seen, max(redirect_run) AS run,
			(array_agg(url_id ORDER BY redirect_run DESC, url_id))[1] AS example
		FROM marked GROUP BY site_id
		UNION ALL
		SELECT site_id, 0, NULL, 0, 0 FROM site_hold
		WHERE ended_at IS NULL AND reason = 'redirects' AND site_id NOT IN (SELECT site_id FROM marked)   -- site_hold_open
	)
	SELECT /* store.RedirectingSites */ m.site_id, i.site, m.redirecting, l.live, coalesce(o.n, 0), l.answered, l.redirected, m.seen, m.run, m.example,
		coalesce(x.url, ''), coalesce(c.cause, ''), coalesce(y.url, ''), coalesce(t.redirects_until > now(), false),
		coalesce(h.reason, ''), coalesce(h.turned_lost, 0)
	FROM site m
	JOIN sites i ON i.site_id = m.site_id
	JOIN sitestate t ON t.site_id = m.site_id
	LEFT JOIN site_hold h ON h.site_id = m.site_id AND h.ended_at IS NULL                                -- site_hold_open
	LEFT JOIN moved o ON o.site_id = m.site_id
	LEFT JOIN marked x ON x.url_id = m.example
	LEFT JOIN urlword y ON y.url_id = x.redirect_to
	LEFT JOIN LATERAL (SELECT cause FROM crawl_history WHERE url_id = m.example ORDER BY at DESC, slot DESC LIMIT 1) c ON true
	CROSS JOIN LATERAL (
		SELECT count(*) AS live,
			count(*) FILTER (WHERE s.redirect_run = m.run OR s.seen_run = m.run AND s.error_class <> 'unreachable') AS answered,
			count(*) FILTER (WHERE s.redirect_run = m.run) AS redirected
		FROM urlword w JOIN urlstate s ON s.url_id = w.url_id
		WHERE w.site_id = m.site_id AND w.deleted = 0 AND w.status <> 0 AND w.status & 65535 = 200        -- urlword_due
			AND NOT (s.attempts = 1 AND s.seen_run = m.run)
			AND (s.redirect <> 0 OR w.url_id NOT IN (SELECT url_id FROM common))
	) l
	ORDER BY m.site_id`

const movedAtSQL = `UPDATE /* store.CountRedirect */ urlstate SET moved_at = now() WHERE url_id = $1`

// CountRedirect notes that a redirect takes the document out of the index.
func (d *DocumentTx) CountRedirect() { d.after.Queue(movedAtSQL, d.ID) }

// RedirectingSites returns the sites with redirects that are not carried out yet, or with a hold for them.
func (s *Store) RedirectingSites(ctx context.Context) (list []RedirectingSite, err error) {
	err = s.InTx(ctx, "redirecting sites", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, redirectingSQL)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RedirectingSite])
		return err
	})
	return list, err
}

const siteRedirectsSQL = `
	SELECT /* store.SiteRedirects */ count(*) FILTER (WHERE s.redirect <> 0 AND s.redirect_run <> $2 AND w.url_id <> $3), count(*)
	FROM urlword w JOIN urlstate s ON s.url_id = w.url_id
	WHERE w.site_id = $1 AND w.deleted = 0 AND w.status <> 0 AND w.status & 65535 = 200                   -- urlword_due`

// SiteRedirects returns how many live documents a site has, and how many of them except one have a redirect from another run
// that is not carried out yet.
func (s *Store) SiteRedirects(ctx context.Context, site store.SiteID, run store.RunID, except store.URLID) (redirecting, live int, err error) {
	err = s.InTx(ctx, "redirects of a site", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, siteRedirectsSQL, site, run, except).Scan(&redirecting, &live)
	})
	return redirecting, live, err
}

// Redirect is a redirect of a live document that is not carried out yet.
type Redirect struct {
	ID     store.URLID
	Status int
	Target store.URLID // 0 when it is filtered
	Cause  string      // of the attempt that met it
	Run    store.RunID // of it
}

const redirectsSQL = `
	SELECT /* store.Redirects */ s.url_id, s.redirect, s.redirect_to, coalesce(c.cause, ''), s.redirect_run -- urlstate_redirect
	FROM urlstate s JOIN urlword w ON w.url_id = s.url_id
	LEFT JOIN LATERAL (SELECT cause FROM crawl_history WHERE url_id = s.url_id ORDER BY at DESC, slot DESC LIMIT 1) c ON true
	WHERE s.redirect <> 0 AND s.url_id <= $2 AND w.site_id = $1 AND w.deleted = 0 AND w.status & 65535 = 200
	ORDER BY s.url_id DESC
	LIMIT $3`

// Redirects returns the n redirects of a site with the highest ids up to upto, the highest first (see KnownURLs).
func (s *Store) Redirects(ctx context.Context, site store.SiteID, upto store.URLID, n int) (list []Redirect, err error) {
	err = s.InTx(ctx, "redirects", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, redirectsSQL, site, upto, n)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Redirect])
		return err
	})
	return list, err
}

// A hold for another reason, but for robots.txt, goes on as one for redirects.
var holdRedirectsSQL = `
	WITH held AS (
		INSERT INTO site_hold AS h (site_id, run_id, reason, url_id, cause, live, turned_lost, days, seen)
		VALUES ($1, $2, 'redirects', $3, $4, $5, $6, 1, $7)
		ON CONFLICT (site_id) WHERE ended_at IS NULL DO UPDATE SET reason = 'redirects', seen = greatest(h.seen, $7),
			url_id = CASE WHEN h.reason = 'redirects' THEN h.url_id ELSE $3 END,
			cause = CASE WHEN h.reason = 'redirects' THEN h.cause ELSE $4 END,
			turned_lost = CASE WHEN h.reason = 'redirects' THEN greatest(h.turned_lost, $6) ELSE $6 END,
			days = CASE WHEN h.reason <> 'redirects' THEN 1 WHEN $7::timestamptz IS NULL THEN h.days
				ELSE h.days + ` + anotherDay("h.seen", "$7::timestamptz") + ` END
		WHERE h.reason <> 'robots.txt'
		RETURNING site_id, days
	), closed AS (
		UPDATE sitestate t SET gate = 'h' FROM held WHERE t.site_id = held.site_id
	)
	SELECT /* store.HoldRedirects */ coalesce((SELECT days FROM held), 0)`

// HoldRedirects puts a site on hold because most of it redirects, or records that this goes on. It returns on how many
// days that was seen; 0 when the site is on hold for its robots.txt.
func (s *Store) HoldRedirects(ctx context.Context, run store.RunID, r *RedirectingSite) (days int, err error) {
	err = s.InTx(ctx, "hold redirects", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, holdRedirectsSQL, r.ID, run, r.Example, r.Cause, r.Live, r.Redirecting, r.Seen).Scan(&days)
	})
	return days, err
}

const endRedirectsSQL = `
	WITH over AS (
		UPDATE /* store.EndRedirectsHold */ site_hold SET ended_at = now(), ended_by = $2
		WHERE site_id = $1 AND ended_at IS NULL AND reason = 'redirects'                                  -- site_hold_open
		RETURNING site_id
	)
	UPDATE sitestate t SET gate = CASE WHEN $3::interval IS NULL THEN 'a' ELSE 'o' END::"char",
		redirects_until = CASE WHEN $3::interval IS NULL THEN t.redirects_until ELSE now() + greatest($3::interval, interval '1 day') END
	FROM over WHERE t.site_id = over.site_id`

// forgetRedirectsSQL leaves the redirects that were seen in one run.
const forgetRedirectsSQL = `
	UPDATE /* store.EndRedirectsHold */ urlstate s SET redirect = 0, redirect_to = 0, redirect_run = 0    -- urlstate_redirect
	FROM urlword w
	WHERE s.redirect <> 0 AND s.redirect_run <> $2 AND w.url_id = s.url_id AND w.site_id = $1`

// EndRedirectsHold ends the hold of a site for redirects: by = recovered or expired. After the latter its redirects are
// carried out without counting for a period, those of the last run first. The others are forgotten: the next visits see
// what has become of them.
func (s *Store) EndRedirectsHold(ctx context.Context, site store.SiteID, by string, free *time.Duration, last store.RunID) error {
	return s.InTx(ctx, "end hold of redirects", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, endRedirectsSQL, site, by, free); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, forgetRedirectsSQL, site, last)
		return err
	})
}
