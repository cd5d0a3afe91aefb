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
	Live         int // documents when the run began, or before the first loss that counts
	TurnedLost   int // documents that turned lost in the day before the run, and are, or in the run
	Starts       int // start URLs of this run; in a round all
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

const lostAtSQL = `UPDATE /* store.CountLoss */ urlstate SET lost_at = now() WHERE url_id = $1`

// CountLoss counts a document that turns lost at the gate of its site.
func (d *DocumentTx) CountLoss() {
	d.before.Queue(countLossSQL, d.Prev.Gate.Site)
	d.after.Queue(lostAtSQL, d.ID)
}

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
// the site. The start URLs are $2; for a run without any they are those of the last run that had some. With $3 only sites that the last run
// asked, or that have work now, are looked at: nothing has changed about the others.
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
			AND (NOT $3 OR t.next_class < 9 OR t.leased_at >= (SELECT max(started_at) FROM reindexing WHERE kind = 'crawl' AND begun_at IS NOT NULL))
			AND NOT EXISTS (SELECT 1 FROM site_hold r WHERE r.site_id = t.site_id AND r.ended_at IS NULL AND r.reason IN ('robots.txt', 'redirects', 'noindex', 'canonical')) -- site_hold_open
	), well AS (
		UPDATE /* store.ArmGates */ sitestate t SET gate = 'a'
		FROM state WHERE t.site_id = state.site_id
			AND (state.live < 10 OR state.failing <= $1::double precision * state.live) AND (state.starts = 0 OR state.starts_failing < state.starts)
		RETURNING t.site_id
	)
	UPDATE site_hold h SET ended_at = now(), ended_by = 'recovered'
	FROM well WHERE h.site_id = well.site_id AND h.ended_at IS NULL`

// lossesSQL counts the documents of each site that turned lost within a day and are lost or have left the index. So several runs a day lose
// no more than one.
const lossesSQL = `
	WITH lost AS MATERIALIZED (
		SELECT w.site_id, count(*) AS n FROM urlstate s JOIN urlword w ON w.url_id = s.url_id                 -- urlstate_lost_at
		WHERE s.lost_at > now() - interval '1 day' AND (w.deleted = 1 OR w.status & 65535 <> 200 OR w.status >= 65536)
		GROUP BY w.site_id
	), site AS MATERIALIZED (
		SELECT t.site_id, coalesce(lost.n, 0) AS n FROM sitestate t LEFT JOIN lost ON lost.site_id = t.site_id
	)
	UPDATE /* store.beginGates */ sitestate t SET turned_lost = site.n
	FROM site WHERE t.site_id = site.site_id AND t.turned_lost <> site.n`

// startsSQL counts the start URLs $1 of each site. In a round ($2) they are all of them, and one that is not due has failed if it did when
// it was visited last.
const startsSQL = `
	WITH start AS MATERIALIZED (
		SELECT w.site_id, count(*) FILTER (WHERE w.next_index_time = 0 OR $2) AS n,
			count(*) FILTER (WHERE w.next_index_time <> 0 AND $2 AND s.error_count > 0) AS failed
		FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id WHERE w.url_id = ANY($1)                   -- urlword_pkey
		GROUP BY w.site_id
	), site AS MATERIALIZED (
		SELECT t.site_id, coalesce(start.n, 0) AS n, coalesce(start.failed, 0) AS failed
		FROM sitestate t LEFT JOIN start ON start.site_id = t.site_id
	)
	UPDATE /* store.beginGates */ sitestate t SET starts = site.n, starts_failed = site.failed
	FROM site WHERE t.site_id = site.site_id AND (t.starts, t.starts_failed) IS DISTINCT FROM (site.n, site.failed)`

// largeSite is the number of live documents from which on a site is counted once an hour at most.
const largeSite = 10_000

// uncountedSitesSQL returns the sites of which some documents may be visited ($2: any), or were since the last count.
const uncountedSitesSQL = `
	SELECT /* store.beginGates */ site_id FROM sitestate
	WHERE (next_class < 9 OR leased_at >= live_at OR $2) AND (live < $1 OR live_at < now() - interval '1 hour')
	ORDER BY site_id`

// countLiveSQL counts the live documents of some sites. While a loss counts, the number does not fall: what has left since was a part of it.
const countLiveSQL = `
	WITH live AS MATERIALIZED (
		SELECT w.site_id, count(*) AS n FROM urlword w                                                        -- urlword_due
		WHERE w.site_id = ANY($1) AND w.deleted = 0 AND w.status <> 0 AND w.status & 65535 = 200
		GROUP BY w.site_id
	), counted AS MATERIALIZED (
		SELECT site.site_id, coalesce(live.n, 0) AS n FROM unnest($1::integer[]) site (site_id) LEFT JOIN live ON live.site_id = site.site_id
	)
	UPDATE /* store.beginGates */ sitestate t
	SET live = CASE WHEN t.turned_lost > 0 THEN greatest(t.live, counted.n) ELSE counted.n END, live_at = now()
	FROM counted WHERE t.site_id = counted.site_id`

func countLive(ctx context.Context, tx pgx.Tx, all bool) error {
	rows, err := tx.Query(ctx, uncountedSitesSQL, largeSite, all)
	if err != nil {
		return err
	}
	sites, err := pgx.CollectRows(rows, pgx.RowTo[store.SiteID])
	if err != nil || len(sites) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, countLiveSQL, sites)
	return err
}

// beginGates prepares the gates for a run: it ends the holds that are over and counts the losses of the last day, the start URLs and the
// documents. The start URLs are due already.
func beginGates(ctx context.Context, tx pgx.Tx, c CrawlStart) error {
	starts := c.Starts
	if len(starts) == 0 {
		starts = nil
	}
	if _, err := tx.Exec(ctx, expireHoldsSQL, c.Gate.Period); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, recoverSQL, c.Gate.Share, starts, c.Round); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, lossesSQL); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, startsSQL, starts, c.Round); err != nil {
		return err
	}
	return countLive(ctx, tx, c.Respider)
}

// ArmGates arms the gates of sites that have recovered in the last run. It is called at its end; the beginning of
// the next run does the same. It may take long where sites with many documents are on hold.
func (s *Store) ArmGates(ctx context.Context, g GateRules) error {
	return s.InTx(ctx, "arm gates", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, recoverSQL, g.Share, nil, true)
		return err
	})
}
