package crawl

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Documents that are purged: orphans, which no link reaches (SR-09), and documents that were lost too often
// (T-18). This file finds them; spider/purge.go decides on them one by one.

// Orphan is a document that no link reaches.
type Orphan struct {
	ID        store.URLID
	URL       string
	Status    store.Status
	LastIndex time.Time // last answer
	Purgeable time.Time // earliest time at which it may be purged
	Ripe      bool      // that time has come
	Held      bool      // but its site is on hold
}

const respiderSQL = `
	SELECT /* store.LastRespider */ started_at FROM reindexing
	WHERE kind = 'crawl' AND respider AND NOT limited AND end_reason = 'complete' AND begun_at IS NOT NULL AND starts <> '{}'
	ORDER BY run_id DESC LIMIT 1`

// LastRespider returns the start of the run that defines the orphans: the last index --respider that ended as
// complete, without limits and with start URLs. It is zero when there is none.
func (s *Store) LastRespider(ctx context.Context) (start time.Time, err error) {
	err = s.InTx(ctx, "last respider", func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, respiderSQL).Scan(&start)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return start, err
}

// orphanIDsSQL reads all orphans at once, because only all of them together show which of them links reach
// again.
const orphanIDsSQL = `
	SELECT /* store.OrphanIDs */ url_id FROM orphans ORDER BY url_id DESC`

// OrphanIDs returns all orphans (SR-09), the highest ids first (see KnownURLs): the documents that the run of
// LastRespider did not reach, and to which no page links now that was visited since.
func (s *Store) OrphanIDs(ctx context.Context) (ids []store.URLID, err error) {
	err = s.InTx(ctx, "orphans", func(tx pgx.Tx) (err error) {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		ids, err = store.Collect[store.URLID](ctx, tx, orphanIDsSQL)
		return err
	})
	return ids, err
}

// The purge of lost documents writes no last_index_time, so the periods count from the last answer.
const orphansSQL = `
	SELECT /* store.Orphans */ o.url_id, o.url, w.status, o.last_index, p.at, p.at <= now(), coalesce(t.gate = 'h', false)
	FROM unreached o
	JOIN urlword w ON w.url_id = o.url_id
	LEFT JOIN sitestate t ON t.site_id = o.site_id
	CROSS JOIN LATERAL (SELECT o.last_index + $2::interval + CASE WHEN o.lost THEN $3::interval ELSE interval '0' END) AS p (at)
	WHERE o.url_id = ANY($1)                                                     -- urlword_pkey
	ORDER BY o.url_id DESC`

// Orphans returns details of some orphans, the highest ids first. It leaves out those that were visited
// since. period is how long after its last answer an orphan may be purged; lost is added to it for a lost
// orphan.
func (s *Store) Orphans(ctx context.Context, ids []store.URLID, period, lost time.Duration) (orphans []Orphan, err error) {
	err = s.InTx(ctx, "orphans", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, orphansSQL, ids, period, lost)
		if err != nil {
			return err
		}
		orphans, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (o Orphan, err error) {
			err = row.Scan(&o.ID, &o.URL, &o.Status, &o.LastIndex, &o.Purgeable, &o.Ripe, &o.Held)
			return o, err
		})
		return err
	})
	return orphans, err
}

// PurgeLimits are the loss counts at which a live document may be purged.
type PurgeLimits struct {
	Lost int // times that it was found lost, whatever the error; 0 = the limit of its error's class
	Gone int // the limit of 404, 410 and 905 (LostLimit)
}

// LostDocument is a live document that may be purged.
type LostDocument struct {
	ID    store.URLID
	As    int // the plain status that it will get
	Times int // how many times it was found lost, or not reached
}

// heldSitesSQL finds the sites on hold, those whose gate is closed.
const heldSitesSQL = `SELECT h.site_id FROM site_hold h WHERE h.ended_at IS NULL` // site_hold_open

const lostDocumentsSQL = `
	SELECT /* store.LostDocuments */ w.url_id, w.status >> 16 & 2047, w.status >> 27 & 15  -- urlword_pkey
	FROM urlword w
	WHERE w.url_id <= $1 AND w.status >= 65536 AND w.deleted = 0 AND w.status & 65535 = 200
		AND CASE
			WHEN $3 > 0 THEN w.status >> 27 & 15 >= $3
			WHEN w.status >> 16 & 2047 IN (404, 410, 905) THEN w.status >> 27 & 15 >= $4
			WHEN w.status >> 16 & 2047 = 401 THEN
				EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = w.url_id AND s.error_class = 'auth' AND s.error_count >= 3)
			ELSE w.status >> 27 & 15 >= 4 END
		AND w.site_id NOT IN (` + heldSitesSQL + `)
	ORDER BY w.url_id DESC
	LIMIT $2`

// The results of the last attempts are the newest rows of the URL's history, because sweeps and purges leave
// no live document. The error class is not enough: it also counts attempts that were postponed.
const unreachableDocumentsSQL = `
	SELECT /* store.UnreachableDocuments */ s.url_id, h.result, s.error_count              -- urlstate_pkey
	FROM urlstate s
	JOIN urlword w ON w.url_id = s.url_id
	CROSS JOIN LATERAL (
		SELECT (array_agg(l.result ORDER BY l.at DESC))[1] AS result, bool_and(l.silent) AS silent
		FROM (
			SELECT c.result, c.at,
				c.result BETWEEN 700 AND 799 OR c.result IN (429, 503) AND c.rule = 'T-10' AND c.cause NOT LIKE 'site on hold:%' AS silent
			FROM crawl_history c WHERE c.url_id = s.url_id ORDER BY c.at DESC LIMIT 4
		) l
	) h
	WHERE s.url_id <= $1 AND s.error_class = 'unreachable' AND s.error_count >= 4
		AND w.deleted = 0 AND w.status & 65535 = 200 AND h.silent
		AND w.site_id NOT IN (` + heldSitesSQL + `)
	ORDER BY s.url_id DESC
	LIMIT $2`

// LostDocuments returns the n live documents with the highest ids up to upto that were found lost often
// enough, the highest first (see KnownURLs). It leaves out sites on hold.
func (s *Store) LostDocuments(ctx context.Context, upto store.URLID, n int, l PurgeLimits) ([]LostDocument, error) {
	return s.lostDocuments(ctx, lostDocumentsSQL, upto, n, l.Lost, l.Gone)
}

// UnreachableDocuments returns the n live documents with the highest ids up to upto that did not answer four
// times in a row, neither themselves nor to the request for robots.txt, the highest first. A robots.txt that is answered but
// cannot be had does not count as such a time. It leaves out sites on hold.
func (s *Store) UnreachableDocuments(ctx context.Context, upto store.URLID, n int) ([]LostDocument, error) {
	return s.lostDocuments(ctx, unreachableDocumentsSQL, upto, n)
}

func (s *Store) lostDocuments(ctx context.Context, query string, args ...any) (lost []LostDocument, err error) {
	err = s.InTx(ctx, "lost documents", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		lost, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d LostDocument, err error) {
			err = row.Scan(&d.ID, &d.As, &d.Times)
			return d, err
		})
		return err
	})
	return lost, err
}

// foundURL is a registered URL to which a link or a start URL leads.
type foundURL struct {
	id       store.URLID
	hops     int
	referrer store.URLID
}

// A purged orphan becomes a URL that was never fetched. It is recognized by its time, so for other URLs only
// one row is read.
const reviveOrphansSQL = `
	WITH back AS (
		UPDATE /* store.ReviveOrphans */ urlword w
		SET deleted = 0, status = 0, crc = '', redir = 0, origin = 0, hops = i.hops, referrer = i.referrer, next_index_time = $4
		FROM unnest($1::integer[], $2::smallint[], $3::integer[]) AS i (url_id, hops, referrer)
		WHERE w.url_id = i.url_id AND w.deleted = 1 AND w.next_index_time = $5   -- urlword_pkey
		RETURNING w.url_id, w.site_id
	), state AS (
		UPDATE urlstate s SET withdrawn_by = '', error_class = '', error_count = 0, next_why = 'found again'
		FROM back WHERE s.url_id = back.url_id
	)
	SELECT site_id FROM back`

// reviveOrphans restores those of the URLs that were purged as orphans (SR-09), due at a time, and returns
// the site of each.
func reviveOrphans(ctx context.Context, tx pgx.Tx, found []foundURL, due int64) ([]store.SiteID, error) {
	slices.SortFunc(found, func(a, b foundURL) int { return cmp.Compare(a.id, b.id) })
	found = slices.CompactFunc(found, func(a, b foundURL) bool { return a.id == b.id })
	ids, hops, referrers := make([]store.URLID, len(found)), make([]int16, len(found)), make([]store.URLID, len(found))
	for i, f := range found {
		ids[i], hops[i], referrers[i] = f.id, int16(min(f.hops, math.MaxInt16)), f.referrer
	}
	return store.Collect[store.SiteID](ctx, tx, reviveOrphansSQL, ids, hops, referrers, due, neverDue)
}
