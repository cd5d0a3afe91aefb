package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Where a document's dates come from (docdates.created_from, docdates.modified_from).
const (
	FromLastModified = "last-modified" // the header, believable; of modified only
	FromFetch        = "fetch"         // when we fetched the version
)

// Dates is a row of docdates.
type Dates struct {
	URL         URLID
	Created     time.Time
	CreatedFrom string
	Modified    time.Time
	From        string // where Modified comes from
}

const datesSQL = `
	SELECT /* store.Dates */ url_id, created, created_from, modified, modified_from
	FROM docdates                                                                -- docdates_pkey
	WHERE url_id = ANY($1)`

// Dates calls f with the dates of documents that have some, in no order.
func (b *MergeBatch) Dates(ctx context.Context, urls []URLID, f func(Dates)) error {
	for lo := 0; lo < len(urls); lo += setSize {
		rows, err := b.tx.Query(ctx, datesSQL, urls[lo:min(lo+setSize, len(urls))])
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
		modified = EXCLUDED.modified, modified_from = EXCLUDED.modified_from`

// PutDates writes rows, new ones and others.
func (b *MergeBatch) PutDates(ctx context.Context, dates []Dates) error {
	for lo := 0; lo < len(dates); lo += setSize {
		set := dates[lo:min(lo+setSize, len(dates))]
		urls := make([]URLID, len(set))
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

const deleteDatesSQL = `
	DELETE /* store.DeleteDates */ FROM docdates d
	WHERE d.url_id = ANY($1)
	  AND NOT EXISTS (SELECT FROM urlword w WHERE w.url_id = d.url_id AND w.deleted = 0)`

// DeleteDates removes the dates of those of the documents that are out of the index for good.
func (b *MergeBatch) DeleteDates(ctx context.Context, urls []URLID) error {
	for lo := 0; lo < len(urls); lo += setSize {
		if _, err := b.tx.Exec(ctx, deleteDatesSQL, urls[lo:min(lo+setSize, len(urls))]); err != nil {
			return err
		}
	}
	return nil
}
