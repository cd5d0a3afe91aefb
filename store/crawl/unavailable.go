package crawl

import "time"

const unavailableSQL = `UPDATE /* store.SetUnavailable */ urlstate SET unavailable_after = $2 WHERE url_id = $1`

// SetUnavailable stores from when on the document is as one with noindex; the zero time means never. It follows Attempt.
func (d *DocumentTx) SetUnavailable(from time.Time) {
	d.batch.Queue(unavailableSQL, d.ID, timeOrNull(from))
}
