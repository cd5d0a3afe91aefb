package crawl

import "time"

const setDatedSQL = `UPDATE /* store.SetDated */ urlstate SET dated = $2 WHERE url_id = $1`

// SetDated stores the date that a DateRule found in the document, in whole seconds; the zero time means none. It follows Attempt.
func (d *DocumentTx) SetDated(at time.Time) { d.after.Queue(setDatedSQL, d.ID, timeOrNull(at)) }

// RedateUnchanged tells the merge that an unchanged document has another date by the rules.
func (d *DocumentTx) RedateUnchanged() {
	d.journal(Version{
		Status: d.Prev.Status.Base(), Links: d.Prev.Hrefs, Redir: d.Prev.Redir, Origin: d.Prev.Origin, Same: true, Redated: true,
	})
}

// timeOrNull returns NULL for the zero time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
