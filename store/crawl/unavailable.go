package crawl

import "time"

const unavailableSQL = `UPDATE /* store.SetUnavailable */ urlstate SET unavailable_after = $2 WHERE url_id = $1`

// SetUnavailable stores the time from which the document is treated like one with noindex; the zero time means never. It must be
// called after Attempt.
func (d *DocumentTx) SetUnavailable(from time.Time) {
	d.after.Queue(unavailableSQL, d.ID, timeOrNull(from))
}
