package crawl

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// What the operator removes (T-21). A URL that index -C removed is like a purged orphan: a link registers it again. One that
// index --remove took out stays out until somebody asks for it by name. next_index_time tells the two apart.

// keptOut is the next_index_time of a URL that stays out until somebody asks for it by name.
const keptOut = neverDue + 1

var keptOutSQL = strconv.FormatInt(keptOut, 10)

const removeURLSQL = `
	UPDATE /* store.Remove */ urlword
	SET deleted = 1, status = status & 65535, crc = '', etag = '', last_modified = '', redir = 0, origin = 0, next_index_time = $2
	WHERE url_id = $1`

// removeTracesSQL removes what else is stored of the contents of a page.
var removeTracesSQL = []string{
	`UPDATE /* store.Remove */ urlstate SET meta = NULL, marks = '{}', read_as = NULL, content_crc = NULL, converter = NULL WHERE url_id = $1`,
	`UPDATE /* store.Remove */ journal SET words = NULL WHERE url_id = $1 AND words IS NOT NULL`, // the mark is newer than these rows
}

// Remove removes a URL and everything that is stored of its contents, because the operator asked for it (T-21). forGood keeps it out
// until somebody asks for it by name.
func (d *DocumentTx) Remove(forGood bool) {
	next := neverDue
	if forGood {
		next = keptOut
	}
	d.before.Queue(removeURLSQL, d.ID, next)
	for _, sql := range removeTracesSQL {
		d.before.Queue(sql, d.ID)
	}
	if d.Prev.HasRow {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

// KeptOut reports whether the operator took the URL out until somebody asks for it by name.
func (p *Previous) KeptOut() bool { return p.Deleted && p.NextIndexTime == keptOut }

// readmitSQL makes URLs that the operator removed URLs that were never fetched.
const readmitSQL = `
	WITH back AS (
		UPDATE /* store.Readmit */ urlword
		SET deleted = 0, status = 0, next_index_time = $2
		WHERE url_id = ANY($1) AND deleted = 1 AND next_index_time = $3           -- urlword_pkey
		RETURNING url_id, site_id
	), state AS (
		UPDATE urlstate s SET withdrawn_by = '', error_class = '', error_count = 0, next_why = 'asked for again'
		FROM back WHERE s.url_id = back.url_id
	)
	SELECT site_id FROM back`

// Readmit lets those of the URLs come back, due at a time, that index --remove took out, and wakes their sites. It returns their number.
func (s *Store) Readmit(ctx context.Context, ids []store.URLID, due int64) (n int, err error) {
	var sites []store.SiteID
	err = s.InTx(ctx, "readmit", func(tx pgx.Tx) (err error) {
		sites, err = store.Collect[store.SiteID](ctx, tx, readmitSQL, ids, due, keptOut)
		return err
	})
	n = len(sites)
	if err != nil || n == 0 {
		return n, err
	}
	slices.Sort(sites)
	return n, s.WakeSites(ctx, slices.Compact(sites), due)
}

const chosenURLsSQL = `
	SELECT /* store.ChosenURLs */ w.url_id                                     -- urlword_pkey
	FROM urlword w
	WHERE w.url_id <= $4 AND NOT (w.deleted = 1 AND w.next_index_time >= $6) AND ` + LimitsSQL + `
	ORDER BY w.url_id DESC
	LIMIT $5`

// ChosenURLs returns the n URLs within the limits with the highest ids up to upto, the highest first (see KnownURLs). It leaves out
// what was purged as an orphan or removed before.
func (s *Store) ChosenURLs(ctx context.Context, l Limits, upto store.URLID, n int) (ids []store.URLID, err error) {
	err = s.InTx(ctx, "chosen urls", func(tx pgx.Tx) (err error) {
		ids, err = store.Collect[store.URLID](ctx, tx, chosenURLsSQL, l.Statuses, l.Tags, l.URLs, upto, n, neverDue)
		return err
	})
	return ids, err
}

const countChosenSQL = `
	SELECT /* store.CountChosen */ count(*), count(*) FILTER (WHERE w.deleted = 0 AND w.status & 65535 = 200)
	FROM urlword w
	WHERE NOT (w.deleted = 1 AND w.next_index_time >= $4) AND ` + LimitsSQL

// CountChosen returns how many URLs ChosenURLs finds in all, and how many of them are documents.
func (s *Store) CountChosen(ctx context.Context, l Limits) (urls, documents int64, err error) {
	err = s.InTx(ctx, "count chosen urls", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, countChosenSQL, l.Statuses, l.Tags, l.URLs, neverDue).Scan(&urls, &documents)
	})
	return urls, documents, err
}
