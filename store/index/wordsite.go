package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Site is a row of sites.
type Site struct {
	ID   store.SiteID
	Name string // http://host[:port]/
}

const newSitesSQL = `
	SELECT /* store.LabelSites */ s.site_id, s.site
	FROM sitestate t JOIN sites s ON s.site_id = t.site_id                       -- sitestate_new
	WHERE NOT t.labelled
	ORDER BY s.site_id
	LIMIT $1`

// lockLabelsSQL takes LabelLock, by which a merge and index -T take turns: both read rows and write them
// back.
const lockLabelsSQL = `SELECT /* store.LabelSites */ pg_advisory_xact_lock($1, $2)`

const anyNewSitesSQL = `SELECT /* store.LabelSites */ EXISTS (SELECT 1 FROM sitestate WHERE NOT labelled) -- sitestate_new`

const readLabelsSQL = `
	SELECT /* store.LabelSites */ word, sites
	FROM wordsite
	WHERE word = ANY($1)`

const putLabelsSQL = `
	INSERT /* store.LabelSites */ INTO wordsite (word, sites)
	SELECT i.word, ($4::integer[])[i.lo:i.hi]
	FROM unnest($1::text[], $2::integer[], $3::integer[]) AS i (word, lo, hi)
	ORDER BY i.word
	ON CONFLICT (word) DO UPDATE SET sites = EXCLUDED.sites`

// A site that a mask covers is in its subset as a whole from now on, and its documents are no longer listed.
const coverSitesSQL = `
	INSERT /* store.LabelSites */ INTO subsetdocs (subset_id, site_id, block)
	SELECT t.subset_id, s.site_id, $2
	FROM subsetstate t CROSS JOIN sites s
	WHERE s.site_id = ANY($1) AND CASE WHEN t.whole_sites THEN s.site LIKE t.mask ELSE false END
	ON CONFLICT DO NOTHING`

const labelledSQL = `
	UPDATE /* store.LabelSites */ sitestate SET labelled = true
	WHERE site_id = ANY($1)`

// LabelSites writes the labels of up to limit sites that wordsite does not have yet, and returns the number
// of these sites. It also adds them to the subsets that cover them. words returns the distinct labels of
// sites. unite gets the sites, by ascending id, with the rows that wordsite has of these labels, and returns
// the rows to be written.
func (s *Store) LabelSites(ctx context.Context, limit int,
	words func([]Site) []string, unite func([]Site, map[string][]int32) map[string][]int32,
) (n int, err error) {
	err = s.InTx(ctx, "label sites", func(tx pgx.Tx) error {
		var some bool
		if err := tx.QueryRow(ctx, anyNewSitesSQL).Scan(&some); err != nil || !some {
			n = 0
			return err
		}
		if _, err := tx.Exec(ctx, lockLabelsSQL, int32(store.LockClass), store.LabelLock); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, newSitesSQL, limit)
		if err != nil {
			return err
		}
		sites, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Site])
		if n = len(sites); err != nil || n == 0 {
			return err
		}
		known := map[string][]int32{}
		if rows, err = tx.Query(ctx, readLabelsSQL, words(sites)); err != nil {
			return err
		}
		_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
			var word string
			var packed []int32
			err := row.Scan(&word, &packed)
			known[word] = packed
			return struct{}{}, err
		})
		if err != nil {
			return err
		}
		var (
			text   []string
			lo, hi []int32
			flat   []int32
		)
		for word, packed := range unite(sites, known) {
			text, lo = append(text, word), append(lo, int32(len(flat)+1))
			flat = append(flat, packed...)
			hi = append(hi, int32(len(flat)))
		}
		if _, err = tx.Exec(ctx, putLabelsSQL, text, lo, hi, flat); err != nil {
			return err
		}
		ids := make([]store.SiteID, n)
		for i := range sites {
			ids[i] = sites[i].ID
		}
		if _, err = tx.Exec(ctx, coverSitesSQL, ids, wholeSite); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, labelledSQL, ids)
		return err
	})
	return n, err
}
