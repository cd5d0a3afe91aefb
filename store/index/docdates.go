package index

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// The sources of a document's dates (docdates.created_from, docdates.modified_from, docdates.unruled_from).
const (
	FromLastModified = "last-modified" // the header, believable; of modified only
	FromFetch        = "fetch"         // time of our fetch of the version
	FromRule         = "rule"          // a DateRule (docdates.modified_from only)
)

// Dates is a row of docdates without the date by a DateRule, which Rule writes.
type Dates struct {
	URL         store.URLID
	Created     time.Time
	CreatedFrom string
	Modified    time.Time
	From        string // source of Modified
}

const datesSQL = `
	SELECT /* store.Dates */ url_id, created, created_from, coalesce(unruled, modified), coalesce(unruled_from, modified_from)
	FROM docdates                                                                -- docdates_pkey
	WHERE url_id = ANY($1)`

// Dates calls f with the dates of documents that have any, in no order.
func (b *MergeBatch) Dates(ctx context.Context, urls []store.URLID, f func(Dates)) error {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		rows, err := b.tx.Query(ctx, datesSQL, urls[lo:min(lo+store.SetSize, len(urls))])
		if err != nil {
			return err
		}
		var d Dates
		to := []any{&d.URL, &d.Created, &d.CreatedFrom, &d.Modified, &d.From}
		if _, err = pgx.ForEachRow(rows, to, func() error { f(d); return nil }); err != nil {
			return err
		}
	}
	return nil
}

const putDatesSQL = `
	INSERT /* store.PutDates */ INTO docdates (url_id, created, created_from, modified, modified_from)
	SELECT url_id, created, created_from, modified, modified_from
	FROM unnest($1::integer[], $2::timestamptz[], $3::text[], $4::timestamptz[], $5::text[])
		AS i (url_id, created, created_from, modified, modified_from)
	ON CONFLICT (url_id) DO UPDATE
	SET created = EXCLUDED.created, created_from = EXCLUDED.created_from,
		modified = CASE WHEN docdates.unruled IS NULL THEN EXCLUDED.modified ELSE docdates.modified END,
		modified_from = CASE WHEN docdates.unruled IS NULL THEN EXCLUDED.modified_from ELSE docdates.modified_from END,
		unruled = CASE WHEN docdates.unruled IS NOT NULL THEN EXCLUDED.modified END,
		unruled_from = CASE WHEN docdates.unruled IS NOT NULL THEN EXCLUDED.modified_from END`

// PutDates inserts or replaces rows. A date by a DateRule stays.
func (b *MergeBatch) PutDates(ctx context.Context, dates []Dates) error {
	for lo := 0; lo < len(dates); lo += store.SetSize {
		set := dates[lo:min(lo+store.SetSize, len(dates))]
		urls := make([]store.URLID, len(set))
		created, createdFrom := make([]time.Time, len(set)), make([]string, len(set))
		modified, modifiedFrom := make([]time.Time, len(set)), make([]string, len(set))
		for i, d := range set {
			urls[i], created[i], createdFrom[i], modified[i], modifiedFrom[i] = d.URL, d.Created, d.CreatedFrom, d.Modified, d.From
		}
		if _, err := b.tx.Exec(ctx, putDatesSQL, urls, created, createdFrom, modified, modifiedFrom); err != nil {
			return err
		}
	}
	return nil
}

// Both indexes are empty as long as there is no DateRule.
const ruleDatesSQL = `
	UPDATE /* store.RuleDates */ docdates d
	SET modified = coalesce(s.dated, d.unruled), modified_from = CASE WHEN s.dated IS NULL THEN d.unruled_from ELSE 'rule' END,
		unruled = CASE WHEN s.dated IS NOT NULL THEN coalesce(d.unruled, d.modified) END,
		unruled_from = CASE WHEN s.dated IS NOT NULL THEN coalesce(d.unruled_from, d.modified_from) END
	FROM urlstate s
	WHERE s.url_id = d.url_id
		AND d.url_id IN (
			SELECT url_id FROM urlstate WHERE dated IS NOT NULL AND url_id = ANY($1)  -- urlstate_dated
			UNION SELECT url_id FROM docdates WHERE unruled IS NOT NULL AND url_id = ANY($1)) -- docdates_ruled
		AND s.dated IS DISTINCT FROM CASE WHEN d.unruled IS NOT NULL THEN d.modified END`

// RuleDates brings the dates by DateRule lines, which the crawl found, into the dates of documents.
func (b *MergeBatch) RuleDates(ctx context.Context, urls []store.URLID) error {
	return ruleDates(ctx, b.tx, urls)
}

func ruleDates(ctx context.Context, tx pgx.Tx, urls []store.URLID) error {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		if _, err := tx.Exec(ctx, ruleDatesSQL, urls[lo:min(lo+store.SetSize, len(urls))]); err != nil {
			return err
		}
	}
	return nil
}

// A Length is the length of a document as a value of docdates.length (posting.LengthCode).
type Length struct {
	URL  store.URLID
	Code byte
}

// A document whose content row is gone already, because a later version is an error or a redirect, keeps its language and type.
var putKindsSQL = store.PerTable(`
	UPDATE /* store.PutKinds */ docdates d SET length = n.length, lang = n.lang, type = n.type, tag = n.tag
	FROM (
		SELECT i.url_id, i.length, coalesce(c.lang, o.lang) AS lang, coalesce(document_type(c.content_type), o.type) AS type, w.tag
		FROM unnest($1::integer[], $2::smallint[]) AS i (url_id, length)
			JOIN docdates o ON o.url_id = i.url_id                               -- docdates_pkey
			LEFT JOIN urlword w ON w.url_id = i.url_id                           -- urlword_pkey
			LEFT JOIN urlwordsNN c ON c.url_id = i.url_id) n                     -- urlwordsNN_pkey
	WHERE d.url_id = n.url_id AND (d.length, d.lang, d.type, d.tag) IS DISTINCT FROM (n.length, n.lang, n.type, n.tag)`)

// PutKinds writes the lengths of documents that have dates, and from their content rows the languages, types and tags.
func (b *MergeBatch) PutKinds(ctx context.Context, lengths []Length) error {
	var of [16][]Length
	for _, l := range lengths {
		of[l.URL%16] = append(of[l.URL%16], l)
	}
	for n := range of {
		if err := putLengths(ctx, b.tx, putKindsSQL[n], of[n]); err != nil {
			return err
		}
	}
	return nil
}

func putLengths(ctx context.Context, tx pgx.Tx, sql string, lengths []Length) error {
	for lo := 0; lo < len(lengths); lo += store.SetSize {
		set := lengths[lo:min(lo+store.SetSize, len(lengths))]
		urls, codes := make([]store.URLID, len(set)), make([]int16, len(set))
		for i, l := range set {
			urls[i], codes[i] = l.URL, int16(l.Code)
		}
		if _, err := tx.Exec(ctx, sql, urls, codes); err != nil {
			return err
		}
	}
	return nil
}

const missingKindsSQL = `
	UPDATE /* store.AddMissingKinds */ docdates d SET length = coalesce(d.length, least(round(16 * ln(1 + c.totalcount::double precision)), 255)),
		lang = c.lang, type = document_type(c.content_type), tag = w.tag
	FROM urlwords c JOIN urlword w USING (url_id)
	WHERE c.url_id = d.url_id AND d.url_id BETWEEN $1 AND $2 AND c.totalcount > 0
		AND (d.length IS NULL OR d.lang IS NULL OR d.type IS NULL OR d.tag IS NULL)`

const deleteDatesSQL = `
	DELETE /* store.DeleteDates */ FROM docdates d
	WHERE d.url_id = ANY($1)
	  AND NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = d.url_id AND w.deleted = 0)
	  AND NOT EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = d.url_id AND s.kept_since IS NOT NULL)`

// DeleteDates removes the dates of those of the documents that have left the index for good. A document whose content is kept
// has its dates when it comes back.
func (b *MergeBatch) DeleteDates(ctx context.Context, urls []store.URLID) error {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		if _, err := b.tx.Exec(ctx, deleteDatesSQL, urls[lo:min(lo+store.SetSize, len(urls))]); err != nil {
			return err
		}
	}
	return nil
}

// Live documents, clones too, without a version that waits for the merge: the merge sets the dates of those.
const missingDatesSQL = `
	SELECT /* store.AddMissingDates */ w.url_id, w.last_modified, w.last_index_time
	FROM urlword w
	WHERE w.url_id BETWEEN $1 AND $2 AND w.deleted = 0 AND (w.status & 65535) = 200 AND w.last_index_time > 0
		AND NOT EXISTS (SELECT 1 FROM docdates d WHERE d.url_id = w.url_id)
		AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.url_id = w.url_id)
	ORDER BY w.url_id`

const addDatesSQL = `
	INSERT /* store.AddMissingDates */ INTO docdates (url_id, created, created_from, modified, modified_from)
	SELECT url_id, created, 'fetch', modified, modified_from
	FROM unnest($1::integer[], $2::timestamptz[], $3::timestamptz[], $4::text[]) AS i (url_id, created, modified, modified_from)
	ON CONFLICT DO NOTHING`

// datesWidth is how many ids one transaction covers.
const datesWidth = 50000

// AddMissingDates adds dates to live documents that have none, and returns their number; it adds missing lengths, languages, types and tags, too. created is their
// last answer, because nothing earlier is known. modified is the result of when, which gets the Last-Modified
// header and the time of that answer. It works in portions of ids, a transaction each.
func (s *Store) AddMissingDates(ctx context.Context, when func(lastModified string, indexed time.Time) (modified time.Time, from string)) (total int64, err error) {
	var last store.URLID
	err = s.InTx(ctx, "add missing dates", func(tx pgx.Tx) error { return tx.QueryRow(ctx, lastURLSQL).Scan(&last) })
	if err != nil {
		return 0, err
	}
	for lo := int64(1); lo <= int64(last); lo += datesWidth {
		var n int64
		err := s.InTx(ctx, "add missing dates", func(tx pgx.Tx) error {
			var (
				urls              []store.URLID
				created, modified []time.Time
				from              []string
			)
			rows, err := tx.Query(ctx, missingDatesSQL, lo, min(lo+datesWidth-1, int64(last)))
			if err != nil {
				return err
			}
			var u store.URLID
			var header string
			var seconds int64
			_, err = pgx.ForEachRow(rows, []any{&u, &header, &seconds}, func() error {
				indexed := time.Unix(seconds, 0)
				t, why := when(header, indexed)
				urls, created, modified, from = append(urls, u), append(created, indexed), append(modified, t), append(from, why)
				return nil
			})
			if err != nil {
				return err
			}
			done, err := tx.Exec(ctx, addDatesSQL, urls, created, modified, from)
			if err != nil {
				return err
			}
			n = done.RowsAffected()
			if err := ruleDates(ctx, tx, urls); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, missingKindsSQL, lo, min(lo+datesWidth-1, int64(last)))
			return err
		})
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
