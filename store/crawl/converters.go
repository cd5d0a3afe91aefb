package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// ConvertedBy says that documents of a type have texts that a converter made.
type ConvertedBy struct {
	ContentType string // as it was fetched
	Converter   string // as in urlstate
}

// ConvertersKnown reports whether documents were compared with the converters of this digest last.
func (s *Store) ConvertersKnown(ctx context.Context, id string) (known bool, err error) {
	err = s.InTx(ctx, "known converters", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT /* store.ConvertersKnown */ converters IS NOT DISTINCT FROM $1 FROM crawl_control`, id).Scan(&known)
	})
	return known, err
}

const convertedBySQL = `
	SELECT /* store.ConvertedBy */ DISTINCT c.content_type, coalesce(s.converter, '')
	FROM urlstate s JOIN urlwords c USING (url_id)
	WHERE s.read_as IS NOT NULL`

const unreadCausesSQL = `
	SELECT /* store.UnreadCauses */ DISTINCT h.cause
	FROM urlword w CROSS JOIN LATERAL (
		SELECT cause FROM crawl_history h WHERE h.url_id = w.url_id AND h.result = w.status ORDER BY at DESC LIMIT 1) h
	WHERE w.deleted = 0 AND w.status = $1`

// Conversions returns which converters made the texts that are stored, and the causes for which URLs with a status are not read.
func (s *Store) Conversions(ctx context.Context, unread int) (list []ConvertedBy, causes []string, err error) {
	err = s.InTx(ctx, "conversions", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, convertedBySQL)
		if err != nil {
			return err
		}
		if list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[ConvertedBy]); err != nil {
			return err
		}
		if rows, err = tx.Query(ctx, unreadCausesSQL, unread); err != nil {
			return err
		}
		causes, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return list, causes, err
}

const convertAgainSQL = `
	UPDATE /* store.ConvertAgain */ urlstate s SET converter = ''
	FROM unnest($1::text[], $2::text[]) AS p (content_type, converter), urlwords c
	WHERE c.url_id = s.url_id AND c.content_type = p.content_type AND s.read_as IS NOT NULL AND s.converter IS DISTINCT FROM ''
		AND coalesce(s.converter, '') = p.converter`

const readAgainSQL = `
	WITH woken AS (
		UPDATE /* store.ConvertAgain */ urlword w SET next_index_time = $2
		WHERE w.deleted = 0 AND w.next_index_time > $2 AND (w.status = $4 OR w.status = $3 AND EXISTS (
			SELECT 1 FROM (SELECT cause FROM crawl_history h WHERE h.url_id = w.url_id AND h.result = w.status ORDER BY at DESC LIMIT 1) h
			WHERE h.cause = ANY ($1)))
		RETURNING w.url_id, w.site_id
	), told AS (
		UPDATE urlstate s SET next_why = 'the converters have changed' FROM woken WHERE s.url_id = woken.url_id
	)
	SELECT site_id, count(*) FROM woken GROUP BY site_id ORDER BY site_id`

// Conversion says what is to be converted, or read for the first time, because the converters have changed.
type Conversion struct {
	ID      string        // digest of today's converters
	Changed []ConvertedBy // texts that are made otherwise now

	Unread int      // status of URLs whose type nothing read
	Causes []string // of those whose type something reads now
	Failed int      // status of URLs whose converter failed
}

// ConvertAgain makes the next visits of documents convert them again, makes URLs due that could not be read, and records the digest of the
// converters. It returns the numbers of documents and of URLs.
func (s *Store) ConvertAgain(ctx context.Context, c Conversion, due int64) (documents, urls int64, err error) {
	var types, converters []string
	for _, by := range c.Changed {
		types, converters = append(types, by.ContentType), append(converters, by.Converter)
	}
	var sites []store.SiteID
	err = s.InTx(ctx, "convert again", func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, convertAgainSQL, types, converters)
		if err != nil {
			return err
		}
		documents, urls, sites = tag.RowsAffected(), 0, nil
		rows, err := tx.Query(ctx, readAgainSQL, store.NotNil(c.Causes), due, c.Unread, c.Failed)
		if err != nil {
			return err
		}
		var site store.SiteID
		var n int64
		if _, err := pgx.ForEachRow(rows, []any{&site, &n}, func() error {
			sites, urls = append(sites, site), urls+n
			return nil
		}); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE /* store.ConvertAgain */ crawl_control SET converters = $1`, c.ID)
		return err
	})
	if err != nil || len(sites) == 0 {
		return documents, urls, err
	}
	return documents, urls, s.WakeSites(ctx, sites, due)
}
