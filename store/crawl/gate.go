package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// The safety gate of a site: a site that fails as a whole is put on hold before its documents are lost one by
// one. The decisions are in spider/transition.go; this file has the stored state.

// GateRules are the settings of the gates.
type GateRules struct {
	Share  float64       // of a site's live documents that may fail; 1 = any
	Period time.Duration // of a hold at most
}

// GateState is sitestate.gate.
type GateState byte

// The states of a gate.
const (
	GateArmed GateState = 'a'
	GateHeld  GateState = 'h' // nothing of the site is lost or purged
	GateOpen  GateState = 'o' // released or expired: documents are lost without counting, until the site has recovered
)

// The reasons for which a site is put on hold (site_hold.reason).
const (
	HoldShare     = "share"
	HoldStarts    = "start URLs"
	HoldRobots    = "robots.txt"
	HoldRedirects = "redirects"
	HoldNoIndex   = "noindex" // its contents are kept
	HoldCanonical = "canonical"
)

// SmallSite is the number of live documents below which a site is exempt from the share. recoverSQL repeats
// the 10.
const SmallSite = 10

// Gate is the gate of a site within a run.
type Gate struct {
	Site         store.SiteID
	State        GateState
	Live         int // documents when the run began
	TurnedLost   int // documents that turned lost in this run
	Starts       int // start URLs of this run
	StartsFailed int

	RedirectsFree bool // redirects are carried out without counting them (redirecthold.go)
}

const gatesSQL = `
	SELECT /* store.Document */ site_id, gate::text, live, turned_lost, starts, starts_failed,
		coalesce(redirects_until > now(), false)
	FROM sitestate
	WHERE site_id = ANY($1)
	ORDER BY site_id
	FOR UPDATE`

// readGates reads the gates of sites, each of which one document of the transaction asks for.
func readGates(rows pgx.Rows, docs map[store.SiteID]*DocumentTx) error {
	for rows.Next() {
		g := &Gate{}
		var state string
		if err := rows.Scan(&g.Site, &state, &g.Live, &g.TurnedLost, &g.Starts, &g.StartsFailed, &g.RedirectsFree); err != nil {
			return err
		}
		g.State = GateState(state[0])
		docs[g.Site].Prev.Gate = g
	}
	return rows.Err()
}

const countLossSQL = `
	UPDATE /* store.CountLoss */ sitestate SET turned_lost = turned_lost + 1 WHERE site_id = $1`

// CountLoss counts a document that turns lost at the gate of its site.
func (d *DocumentTx) CountLoss() { d.before.Queue(countLossSQL, d.Prev.Gate.Site) }

const countStartSQL = `
	UPDATE /* store.CountFailedStart */ sitestate SET starts_failed = starts_failed + 1 WHERE site_id = $1`

// CountFailedStart counts a start URL that failed.
func (d *DocumentTx) CountFailedStart() { d.before.Queue(countStartSQL, d.Prev.Gate.Site) }

const holdSQL = `
	WITH held AS (
		UPDATE /* store.Hold */ sitestate SET gate = 'h' WHERE site_id = $1
	)
	INSERT INTO site_hold (site_id, run_id, reason, url_id, cause, live, turned_lost)
	VALUES ($1, $2, $3, $4, $5, $6, $7)`

// Hold puts the site on hold because this document's failure exceeds the limit.
func (d *DocumentTx) Hold(reason, cause string) {
	g := d.Prev.Gate
	d.before.Queue(holdSQL, g.Site, d.held.Run, reason, d.ID, cause, g.Live, g.TurnedLost)
}

const expireHoldsSQL = `
	WITH over AS (
		UPDATE /* store.ExpireHolds */ site_hold SET ended_at = now(), ended_by = 'expired'
		WHERE ended_at IS NULL AND held_at < now() - $1::interval AND reason NOT IN ('robots.txt', 'redirects', 'noindex', 'canonical')
		RETURNING site_id
	)
	UPDATE sitestate s SET gate = 'o' FROM over WHERE s.site_id = over.site_id`

// ExpireHolds ends the holds that have lasted for period.
func (s *Store) ExpireHolds(ctx context.Context, period time.Duration) error {
	return s.InTx(ctx, "expire holds", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, expireHoldsSQL, period)
		return err
	})
}

const releaseSQL = `
	WITH over AS (
		UPDATE /* store.ReleaseSite */ site_hold SET ended_at = now(), ended_by = 'released'
		WHERE ended_at IS NULL AND site_id = (SELECT site_id FROM sites WHERE site = $1)
		RETURNING site_id, reason
	)
	UPDATE sitestate s SET gate = 'o',
		redirects_until = CASE WHEN over.reason = 'redirects' THEN now() + greatest($2::interval, interval '1 day') ELSE s.redirects_until END,
		canonical_until = CASE WHEN over.reason = 'canonical' THEN now() + greatest($2::interval, interval '1 day') ELSE s.canonical_until END
	FROM over WHERE s.site_id = over.site_id
	RETURNING s.site_id, over.reason`

const releaseRobotsSQL = `
	UPDATE /* store.ReleaseSite */ robots_cache SET ban_released = true WHERE hostinfo = $1 AND ban_hash IS NOT NULL`

// ReleaseSite ends the hold of a site at the operator's request, and returns its reason, empty when there was none. After a
// hold for redirects these are carried out for a period.
func (s *Store) ReleaseSite(ctx context.Context, site, hostInfo string, period time.Duration) (reason string, err error) {
	err = s.InTx(ctx, "release site", func(tx pgx.Tx) error {
		var id store.SiteID
		err := tx.QueryRow(ctx, releaseSQL, site, period).Scan(&id, &reason)
		if errors.Is(err, pgx.ErrNoRows) {
			reason = ""
			return nil
		}
		if err != nil {
			return err
		}
		if reason == HoldRedirects {
			if _, err := tx.Exec(ctx, forgetRedirectsSQL, id, 0); err != nil {
				return err
			}
		}
		if _, err = tx.Exec(ctx, releaseRobotsSQL, hostInfo); err == nil {
			_, err = tx.Exec(ctx, releaseNoIndexSQL, site)
		}
		return err
	})
	return reason, err
}

// recoverSQL arms the gates of sites that have recovered: few live documents are in a series of errors, and
// not all start URLs are. It reads only the URLs of sites whose gate is not armed, by indexes that begin with
// the site. The start URLs are $2; for a run without any they are those of the last run that had some.
const recoverSQL = `
	WITH start AS MATERIALIZED (
		SELECT unnest(coalesce($2::integer[],
			(SELECT starts FROM reindexing WHERE kind = 'crawl' AND starts <> '{}' ORDER BY run_id DESC LIMIT 1))) AS url_id
	), state AS MATERIALIZED (
		SELECT t.site_id, d.live, d.failing, f.starts, f.starts_failing
		FROM sitestate t CROSS JOIN LATERAL (
			SELECT count(*) AS live, count(*) FILTER (WHERE s.error_count > 0) AS failing
			FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id
			WHERE w.site_id = t.site_id AND w.deleted = 0 AND w.status <> 0 AND w.status & 65535 = 200  -- urlword_due
		) d CROSS JOIN LATERAL (
			SELECT count(*) AS starts, count(*) FILTER (WHERE s.error_count > 0) AS starts_failing
			FROM (
				SELECT w.url_id FROM urlword w WHERE w.site_id = t.site_id AND w.hops = 0 AND w.referrer = 0  -- urlword_typed
				UNION
				SELECT w.url_id FROM start JOIN urlword w ON w.url_id = start.url_id WHERE w.site_id = t.site_id
			) u LEFT JOIN urlstate s ON s.url_id = u.url_id
		) f
		WHERE t.gate <> 'a'
			AND NOT EXISTS (SELECT 1 FROM site_hold r WHERE r.site_id = t.site_id AND r.ended_at IS NULL AND r.reason IN ('robots.txt', 'redirects', 'noindex', 'canonical')) -- site_hold_open
	), well AS (
		UPDATE /* store.ArmGates */ sitestate t SET gate = 'a'
		FROM state WHERE t.site_id = state.site_id
			AND (state.live < 10 OR state.failing <= $1::double precision * state.live) AND (state.starts = 0 OR state.starts_failing < state.starts)
		RETURNING t.site_id
	)
	UPDATE site_hold h SET ended_at = now(), ended_by = 'recovered'
	FROM well WHERE h.site_id = well.site_id AND h.ended_at IS NULL`

const countLiveSQL = `
	WITH live AS MATERIALIZED (
		SELECT w.site_id, count(*) FILTER (WHERE w.deleted = 0 AND w.status & 65535 = 200) AS live,
			count(*) FILTER (WHERE w.url_id = ANY($1) AND w.next_index_time = 0) AS starts
		FROM urlword w GROUP BY w.site_id
	)
	UPDATE /* store.beginGates */ sitestate t SET live = live.live, starts = live.starts, turned_lost = 0, starts_failed = 0
	FROM live WHERE t.site_id = live.site_id`

// beginGates prepares the gates for a run: it ends the holds that are over and counts the documents and start
// URLs of every site. The start URLs are due already.
func beginGates(ctx context.Context, tx pgx.Tx, g GateRules, starts []store.URLID) error {
	if _, err := tx.Exec(ctx, expireHoldsSQL, g.Period); err != nil {
		return err
	}
	if len(starts) == 0 {
		starts = nil
	}
	if _, err := tx.Exec(ctx, recoverSQL, g.Share, starts); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, countLiveSQL, starts)
	return err
}

// ArmGates arms the gates of sites that have recovered. It is called at the end of a run; the beginning of
// the next run does the same. It may take long where sites with many documents are on hold.
func (s *Store) ArmGates(ctx context.Context, g GateRules) error {
	return s.InTx(ctx, "arm gates", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, recoverSQL, g.Share, nil)
		return err
	})
}
