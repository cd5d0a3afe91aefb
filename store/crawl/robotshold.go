package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// RobotsBan is a robots.txt that forbids most of a site, while its documents are kept.
type RobotsBan struct {
	HostInfo   string
	Hash       []byte // of the rules
	Site       store.SiteID
	Run        store.RunID
	Live       int         // documents of the site
	Banned     int         // of them, those that are forbidden
	BannedOne  store.URLID // one of these
	Cause      string      // the line that forbids it
	FirstSight bool        // the site is put on hold
}

// anotherDay is SQL: 1 when a time is of another day (UTC) than the last one, which may be NULL, else 0.
func anotherDay(last, at string) string {
	return `CASE WHEN (` + last + ` AT TIME ZONE 'UTC')::date >= (` + at + ` AT TIME ZONE 'UTC')::date THEN 0 ELSE 1 END`
}

var banDaySQL = `
	UPDATE /* store.HoldRobots */ robots_cache
	SET ban_hash = $2, ban_seen = fetched_at, ban_days = ban_days + ` + anotherDay("ban_seen", "fetched_at") + `
	WHERE hostinfo = $1
	RETURNING ban_days`

const banHoldSQL = `
	WITH held AS (
		UPDATE /* store.HoldRobots */ sitestate SET gate = 'h' WHERE site_id = $1
	)
	INSERT INTO site_hold (site_id, run_id, reason, url_id, cause, live, turned_lost)
	VALUES ($1, $2, 'robots.txt', $3, $4, $5, 0)
	ON CONFLICT (site_id) WHERE ended_at IS NULL DO UPDATE SET reason = 'robots.txt', url_id = $3, cause = $4`

// HoldRobots records that a robots.txt was fetched that forbids most of a site. It returns on how many days that
// happened.
func (s *Store) HoldRobots(ctx context.Context, b RobotsBan) (days int, err error) {
	err = s.InTx(ctx, "hold robots.txt", func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, banDaySQL, b.HostInfo, b.Hash).Scan(&days); err != nil || !b.FirstSight {
			return err
		}
		_, err := tx.Exec(ctx, banHoldSQL, b.Site, b.Run, b.BannedOne, b.Cause, b.Live)
		return err
	})
	return days, err
}

const endBanSQL = `
	UPDATE /* store.EndRobotsHold */ robots_cache SET ban_hash = NULL, ban_days = 0, ban_seen = NULL, ban_released = false
	WHERE hostinfo = $1`

const endBanHoldSQL = `
	WITH over AS (
		UPDATE /* store.EndRobotsHold */ site_hold SET ended_at = now(), ended_by = $2
		WHERE site_id = $1 AND ended_at IS NULL AND reason = 'robots.txt'
		RETURNING site_id
	)
	UPDATE sitestate t SET gate = 'a' FROM over WHERE t.site_id = over.site_id`

// EndRobotsHold ends the hold of a site by its robots.txt: by = recovered or expired.
func (s *Store) EndRobotsHold(ctx context.Context, hostInfo string, site store.SiteID, by string) error {
	return s.InTx(ctx, "end hold of robots.txt", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, endBanSQL, hostInfo); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, endBanHoldSQL, site, by)
		return err
	})
}
