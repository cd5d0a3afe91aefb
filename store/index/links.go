package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

var currentLinksSQL = store.PerTable(`
	SELECT /* store.CurrentLinks */ c.url_id, c.hrefs, c.deleted = 0 AND w.deleted = 0
	FROM urlwordsNN c JOIN urlword w ON w.url_id = c.url_id
	WHERE c.url_id = ANY($1)`)

// CurrentLinks calls f with the current links of documents. live is false for a document that is out of the
// index, whose links do not count. URLs without a content row are skipped. The slice is valid only during the
// call.
func (b *MergeBatch) CurrentLinks(ctx context.Context, urls []store.URLID, f func(url store.URLID, links []store.URLID, live bool)) error {
	var parts [16][]store.URLID
	for _, u := range urls {
		parts[u%16] = append(parts[u%16], u)
	}
	for n, part := range parts {
		for lo := 0; lo < len(part); lo += store.SetSize {
			rows, err := b.tx.Query(ctx, currentLinksSQL[n], part[lo:min(lo+store.SetSize, len(part))])
			if err != nil {
				return err
			}
			var u store.URLID
			var links []store.URLID
			var live bool
			_, err = pgx.ForEachRow(rows, []any{&u, store.Keys(&links), &live}, func() error { f(u, links, live); return nil })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Citation is a row of citation.
type Citation struct {
	URL       store.URLID
	Referrers []store.URLID // ascending
}

const citationSizesSQL = `
	SELECT /* store.Citations */ url_id, pg_column_size(referrers)
	FROM citation                                                                -- citation_pkey
	WHERE url_id = ANY($1)`

const citationsSQL = `
	SELECT /* store.Citations */ url_id, referrers
	FROM citation                                                                -- citation_pkey
	WHERE url_id = ANY($1)`

// CitationSizes calls f with the stored size in bytes of each of the rows that exist. At most 5,000 rows may
// be given.
func (b *MergeBatch) CitationSizes(ctx context.Context, urls []store.URLID, f func(url store.URLID, bytes int)) error {
	rows, err := b.tx.Query(ctx, citationSizesSQL, urls)
	if err != nil {
		return err
	}
	var u store.URLID
	var size int
	_, err = pgx.ForEachRow(rows, []any{&u, &size}, func() error { f(u, size); return nil })
	return err
}

// Citations calls f with each of the rows that exist. At most 5,000 rows may be given. f may keep the slice.
func (b *MergeBatch) Citations(ctx context.Context, urls []store.URLID, f func(Citation)) error {
	rows, err := b.tx.Query(ctx, citationsSQL, urls)
	if err != nil {
		return err
	}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		var c Citation
		err := row.Scan(&c.URL, store.Keys(&c.Referrers))
		if err == nil {
			f(c)
		}
		return struct{}{}, err
	})
	return err
}

const updateCitationsSQL = `
	WITH i AS MATERIALIZED (
		SELECT url_id, ($4::integer[])[lo:hi] AS referrers
		FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS i (url_id, lo, hi)
	)
	UPDATE /* store.UpdateCitations */ citation c SET referrers = i.referrers
	FROM i WHERE c.url_id = i.url_id                                             -- citation_pkey`

// UpdateCitations updates existing rows.
func (b *MergeBatch) UpdateCitations(ctx context.Context, rows []Citation) error {
	if len(rows) == 0 {
		return nil
	}
	// PostgreSQL has no array of arrays of different lengths: all referrers travel in one array, with the
	// range of each row.
	urls, lo, hi := make([]store.URLID, len(rows)), make([]int32, len(rows)), make([]int32, len(rows))
	var flat []store.URLID
	for i, c := range rows {
		urls[i], lo[i] = c.URL, int32(len(flat)+1)
		flat = append(flat, c.Referrers...)
		hi[i] = int32(len(flat))
	}
	_, err := b.tx.Exec(ctx, updateCitationsSQL, urls, lo, hi, flat)
	return err
}

// InsertCitations inserts new rows.
func (b *MergeBatch) InsertCitations(ctx context.Context, rows []Citation) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := b.tx.CopyFrom(ctx, pgx.Identifier{"citation"}, []string{"url_id", "referrers"},
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) { return []any{rows[i].URL, rows[i].Referrers}, nil }))
	return err
}

const deleteCitationsSQL = `
	DELETE /* store.DeleteCitations */ FROM citation WHERE url_id = ANY($1)`

// DeleteCitations removes the rows of URLs to which nothing links any more.
func (b *MergeBatch) DeleteCitations(ctx context.Context, urls []store.URLID) error {
	if len(urls) == 0 {
		return nil
	}
	_, err := b.tx.Exec(ctx, deleteCitationsSQL, urls)
	return err
}

// MendCitations gives existing rows, at most 5,000 at once, the referrers that mend returns. It removes a row
// that has none.
func (b *MergeBatch) MendCitations(ctx context.Context, urls []store.URLID, mend func(Citation) []store.URLID) error {
	var update []Citation
	var drop []store.URLID
	err := b.Citations(ctx, urls, func(c Citation) {
		if list := mend(c); len(list) > 0 {
			update = append(update, Citation{c.URL, list})
		} else {
			drop = append(drop, c.URL)
		}
	})
	if err != nil {
		return err
	}
	if err := b.UpdateCitations(ctx, update); err != nil {
		return err
	}
	return b.DeleteCitations(ctx, drop)
}
