package crawl

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// RobotsFile is the state of a host's robots.txt in robots_cache.
type RobotsFile struct {
	HostInfo string        // host for http at port 80, else host:port
	Age      time.Duration // since it was asked for, on the database's clock
	Status   int           // extended status of that answer, after redirects
	Cause    string        // why it decided nothing
	Failures int           // answers in a row that decided nothing
	Refusals int           // answers of HTTP other than 200 and 404 in a row, for RobotsPolicy gsa
	Body     []byte        // last good file, empty when the host has none, nil when there never was a decisive answer
	Swept    []byte        // hash of the rules under which the host's URLs were tested last, nil when they never were

	Ban         []byte // hash of rules that forbid most of the site and take nothing out yet, nil for none (RobotsBan)
	BanDays     int    // on how many days they were fetched
	BanReleased bool   // index --release: they take the documents out
}

const loadRobotsSQL = `
	SELECT /* store.LoadRobots */ now() - fetched_at, status, cause, failures, refusals,
		CASE WHEN good_at IS NULL THEN NULL ELSE coalesce(body, '') END, swept,
		ban_hash, ban_days, ban_released
	FROM robots_cache
	WHERE hostinfo = $1`

// LoadRobots returns the state of a host's robots.txt, nil when it was never requested.
func (s *Store) LoadRobots(ctx context.Context, hostInfo string) (f *RobotsFile, err error) {
	err = s.InTx(ctx, "load robots.txt", func(tx pgx.Tx) error {
		f = &RobotsFile{HostInfo: hostInfo}
		err := tx.QueryRow(ctx, loadRobotsSQL, hostInfo).Scan(&f.Age, &f.Status, &f.Cause, &f.Failures, &f.Refusals, &f.Body, &f.Swept,
			&f.Ban, &f.BanDays, &f.BanReleased)
		if errors.Is(err, pgx.ErrNoRows) {
			f = nil
			return nil
		}
		return err
	})
	return f, err
}

const saveRobotsSQL = `
	INSERT /* store.SaveRobots */ INTO robots_cache (hostinfo, fetched_at, status, failures, good_at, body)
	VALUES ($1, now(), $2, 0, now(), $3)
	ON CONFLICT (hostinfo) DO UPDATE SET fetched_at = now(), status = $2, failures = 0, refusals = 0, cause = '',
		good_at = now(), body = $3`

const replaceRobotsSQL = `
	WITH input AS (
		SELECT DISTINCT p FROM unnest($2::text[]) p
	), gone AS (
		DELETE FROM robots WHERE hostinfo = $1 AND path NOT IN (SELECT p FROM input)
	)
	INSERT /* store.SaveRobots */ INTO robots (hostinfo, path)
	SELECT $1, p FROM input
	ON CONFLICT DO NOTHING`

const replaceRobotsAllowSQL = `
	WITH input AS (
		SELECT DISTINCT p FROM unnest($2::text[]) p
	), gone AS (
		DELETE FROM robots_allow WHERE hostinfo = $1 AND path NOT IN (SELECT p FROM input)
	)
	INSERT /* store.SaveRobots */ INTO robots_allow (hostinfo, path)
	SELECT $1, p FROM input
	ON CONFLICT DO NOTHING`

// dueAgainSQL makes the URLs of a site due of which the last attempt ended with 902.
const dueAgainSQL = `
	WITH waiting AS MATERIALIZED (
		SELECT w.url_id
		FROM sites t JOIN urlword w ON w.site_id = t.site_id JOIN urlstate s ON s.url_id = w.url_id
		WHERE t.site = $1 AND w.next_index_time > $2 AND s.error_class = 'unreachable'
			AND (SELECT h.result FROM crawl_history h WHERE h.url_id = w.url_id ORDER BY h.at DESC, h.slot DESC LIMIT 1) = 902
		ORDER BY w.url_id
		FOR UPDATE OF w
	), told AS (
		UPDATE urlstate s SET next_why = 'robots.txt can be had again' FROM waiting i WHERE s.url_id = i.url_id
	)
	UPDATE /* store.SaveRobots */ urlword w SET next_index_time = $2 FROM waiting i WHERE w.url_id = i.url_id
	RETURNING w.site_id`

// DueAgain makes the URLs of a site due that were put off because its robots.txt could not be had.
type DueAgain struct {
	Site string
	At   int64
}

// SaveRobots records a decisive answer: the file, and its rules for us in the tables robots and robots_allow. When the answer
// before decided nothing, again is not nil; it returns the site when some of its URLs have become due, for WakeSites.
func (s *Store) SaveRobots(ctx context.Context, f RobotsFile, disallow, allow []string, again *DueAgain) (woken []store.SiteID, err error) {
	err = s.InTx(ctx, "save robots.txt", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, saveRobotsSQL, f.HostInfo, f.Status, store.NotNil(f.Body)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, replaceRobotsSQL, f.HostInfo, store.NotNil(disallow)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, replaceRobotsAllowSQL, f.HostInfo, store.NotNil(allow))
		if err == nil && again != nil {
			woken, err = store.Collect[store.SiteID](ctx, tx, dueAgainSQL, again.Site, again.At)
		}
		return err
	})
	return slices.Compact(woken), err
}

const failRobotsSQL = `
	INSERT /* store.FailRobots */ INTO robots_cache AS r (hostinfo, fetched_at, status, cause, failures, refusals)
	VALUES ($1, now(), $2, $4, 1, $3)
	ON CONFLICT (hostinfo) DO UPDATE SET fetched_at = now(), status = $2, cause = $4, failures = r.failures + 1,
		refusals = r.refusals + $3
	RETURNING refusals`

// FailRobots records an indecisive answer (5xx, 429, none); the last good file is kept. refused says that the
// answer counts for RobotsPolicy gsa. It returns how many such answers there were in a row.
func (s *Store) FailRobots(ctx context.Context, hostInfo string, status int, cause string, refused bool) (refusals int, err error) {
	more := 0
	if refused {
		more = 1
	}
	err = s.InTx(ctx, "save robots.txt", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, failRobotsSQL, hostInfo, status, more, cause).Scan(&refusals)
	})
	return refusals, err
}

const sweptRobotsSQL = `UPDATE /* store.SweptRobots */ robots_cache SET swept = $2 WHERE hostinfo = $1`

// SweptRobots records that the URLs of a host were tested under the rules with this hash.
func (s *Store) SweptRobots(ctx context.Context, hostInfo string, hash []byte) error {
	return s.InTx(ctx, "swept host", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sweptRobotsSQL, hostInfo, hash)
		return err
	})
}
