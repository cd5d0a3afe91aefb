package index

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Redated is a document whose date by the DateRule lines is another than the stored one. Zero times mean none.
type Redated struct {
	URL       store.URLID
	Date, Was time.Time
}

const noteDatedSQL = `
	INSERT /* store.Rebuild */ INTO REBUILD.dated (url_id, dated, was)
	SELECT * FROM unnest($1::integer[], $2::timestamptz[], $3::timestamptz[])
	ON CONFLICT DO NOTHING`

// NoteDated records the new dates of documents.
func (r *Rebuild) NoteDated(ctx context.Context, b *MergeBatch, list []Redated) error {
	urls, dates, was := make([]store.URLID, len(list)), make([]*time.Time, len(list)), make([]*time.Time, len(list))
	for i := range list {
		x := &list[i]
		urls[i] = x.URL
		if !x.Date.IsZero() {
			dates[i] = &x.Date
		}
		if !x.Was.IsZero() {
			was[i] = &x.Was
		}
	}
	_, err := b.tx.Exec(ctx, r.sql(noteDatedSQL), urls, dates, was)
	return err
}

// A document that was read again since has the date of its new version.
const redateSQL = `
	UPDATE /* store.Redate */ REAL.urlstate s SET dated = n.dated
	FROM REBUILD.dated n
	WHERE n.url_id = s.url_id AND s.dated IS NOT DISTINCT FROM n.was
	RETURNING s.url_id`

// Redate writes the recorded dates, and brings them into the index. It returns their number.
func (r *Rebuild) Redate(ctx context.Context) (n int64, err error) {
	var now store.Changes
	err = r.store.ChangeIndex(ctx, "date documents", r.since, func(tx pgx.Tx) error {
		urls, err := store.Collect[store.URLID](ctx, tx, r.sql(redateSQL))
		if err != nil {
			return err
		}
		n, now = int64(len(urls)), r.since
		if n == 0 {
			return nil
		}
		if err := ruleDates(ctx, tx, urls); err != nil {
			return err
		}
		now, err = store.CountChange(ctx, tx)
		return err
	})
	if err == nil {
		r.since = now
	}
	return n, err
}
