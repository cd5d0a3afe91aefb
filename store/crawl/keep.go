package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// What is kept of a document that left the index because a rule or the page itself asked for it (T-12, T-06): its content row, its
// digest, its validators and its dates. It comes back from them without a fetch (T-15, T-16). They are removed LostPeriod after it
// left (T-20). urlstate.kept_since says since when; a withdrawn clone has no content of its own, but that of its former group.

const keepSQL = `
	UPDATE /* store.Keep */ urlstate SET kept_since = CASE WHEN $2 THEN '-infinity'::timestamptz ELSE to_timestamp($3::bigint) END WHERE url_id = $1`

// Keep records that the document has left the index and that its content is kept; with brief only until the next purge that may
// remove it (DeleteBad). It follows Attempt or Settled.
func (d *DocumentTx) Keep(brief bool) { d.after.Queue(keepSQL, d.ID, brief, d.now) }

const endKeepingSQL = `UPDATE /* store.EndKeeping */ urlstate SET kept_since = NULL WHERE url_id = $1`

// EndKeeping records that nothing is kept for a return of the document: it is back, or its content is gone.
func (d *DocumentTx) EndKeeping() { d.after.Queue(endKeepingSQL, d.ID) }

const earlierSQL = `UPDATE /* store.KeepEarlier */ urlstate SET index_mode = $2 WHERE url_id = $1`

// KeepEarlier records the indexing mode of a page whose earlier version is kept. What else is known of that version stays: the
// Attempt has not read another one.
func (d *DocumentTx) KeepEarlier(mode int) { d.before.Queue(earlierSQL, d.ID, mode) }

var keepContentSQL = store.PerTable(`
	UPDATE /* store.UpdateDocument */ urlwordsNN SET wordcount = 0, totalcount = 0, txt = '', hrefs = $2 WHERE url_id = $1`)

var removeKeptSQL = store.PerTable(`
	UPDATE /* store.RemoveKept */ urlwordsNN
	SET words = NULL, title = '', txt = '', keywords = '', description = '', lang = '', charset = '', wordcount = 0, totalcount = 0
	WHERE url_id = $1`)

var removeKeptFromURL = []string{
	`UPDATE /* store.RemoveKept */ urlstate SET meta = NULL WHERE url_id = $1`,
	`UPDATE /* store.RemoveKept */ urlword SET crc = '', etag = '', last_modified = '', origin = 0 WHERE url_id = $1 AND deleted = 1`,
}

// RemoveKept removes the content that was kept. Of a page that is not to be indexed the links stay; what a rule took out is
// fetched as new when it is allowed again (T-20).
func (d *DocumentTx) RemoveKept() {
	for _, sql := range removeKeptFromURL {
		d.before.Queue(sql, d.ID)
	}
	switch {
	case !d.Prev.HasRow:
	case d.Prev.Deleted || len(d.Prev.Hrefs) == 0:
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	default:
		d.before.Queue(removeKeptSQL[d.ID%16], d.ID)
	}
}

const keptBySQL = `
	SELECT /* store.Document */ coalesce((
		SELECT o.url_id FROM urlword w JOIN urlword o ON o.url_id = w.origin
		WHERE w.url_id = $1 AND o.crc = w.crc AND o.deleted = 1
			AND EXISTS (SELECT 1 FROM urlwords c WHERE c.url_id = o.url_id AND c.words IS NOT NULL)), 0)`

const keptContentSQL = `
	SELECT /* store.KeptContent */ ` + storedColumns + `
	FROM (
		SELECT url_id, 0 AS rank FROM urlword WHERE url_id = $1 AND crc = $2
		UNION ALL
		SELECT url_id, 1 FROM urlword                                -- urlword_crc
		WHERE crc = $2 AND crc <> '' AND deleted = 0 AND (status & 65535) = 200 AND origin = 0 AND url_id <> $1
		UNION ALL
		SELECT o.url_id, 2 FROM urlword w JOIN urlword o ON o.url_id = w.origin
		WHERE w.url_id = $1 AND w.crc = $2 AND o.crc = $2 AND o.deleted = 1
	) w CROSS JOIN LATERAL (
		SELECT words, content_type, docsize FROM urlwords u WHERE u.url_id = w.url_id AND u.words IS NOT NULL
	) c LEFT JOIN urlstate s ON s.url_id = w.url_id
	ORDER BY w.rank
	LIMIT 1`

// KeptContent returns the content with the digest crc from which a withdrawn document can come back: its own, that of the live
// original of its group, or that of its withdrawn former original; nil when there is none.
func (s *Store) KeptContent(ctx context.Context, id store.URLID, crc string) (c *Stored, err error) {
	err = s.Retry(ctx, "kept content", func() error {
		c = &Stored{}
		err := c.scan(s.Pool.QueryRow(ctx, keptContentSQL, id, crc))
		if errors.Is(err, pgx.ErrNoRows) {
			c, err = nil, nil
		}
		return err
	})
	return c, err
}

const keptDocumentsSQL = `
	SELECT /* store.KeptDocuments */ s.url_id, s.kept_since = '-infinity'        -- urlstate_kept
	FROM urlstate s JOIN urlword w ON w.url_id = s.url_id
	WHERE s.kept_since IS NOT NULL AND s.kept_since < now() - $3::interval AND s.url_id <= $1
		AND w.site_id NOT IN (` + heldSitesSQL + `)
	ORDER BY s.url_id DESC
	LIMIT $2`

// KeptDocument is a document that left the index and whose content is kept.
type KeptDocument struct {
	ID    store.URLID
	Brief bool // only until the next purge
}

// KeptDocuments returns the n documents with the highest ids up to upto that left the index longer than period ago and whose
// content is still kept, the highest first (see KnownURLs). It leaves out sites on hold.
func (s *Store) KeptDocuments(ctx context.Context, upto store.URLID, n int, period time.Duration) (list []KeptDocument, err error) {
	err = s.InTx(ctx, "kept documents", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, keptDocumentsSQL, upto, n, period)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d KeptDocument, err error) {
			err = row.Scan(&d.ID, &d.Brief)
			return d, err
		})
		return err
	})
	return list, err
}
