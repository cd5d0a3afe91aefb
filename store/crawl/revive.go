package crawl

import "github.com/pgseek/pgseek/store"

// A document that a rule had taken out and that is allowed again comes back with its stored contents (T-15). Its journal row has the
// time of its last answer, and its dates stay as they are.

// Kept holds what a document that comes back derives from its content.
type Kept struct {
	CRC                   string // of the content
	Words                 []byte // packed for the journal; nil for a page that is not to be indexed
	WordCount, TotalCount int    // of Words
	Mode                  int    // how Words were read, as bits of store.ModeReading
}

const reviveSQL = `
	UPDATE /* store.Revive */ urlword SET deleted = 0, status = $2, origin = $3, next_index_time = $4 WHERE url_id = $1`

var (
	reviveContentSQL = store.PerTable(`
	UPDATE /* store.Revive */ urlwordsNN SET deleted = 0, wordcount = $2, totalcount = $3 WHERE url_id = $1`)

	reviveJournalSQL = store.PerTable(`
	INSERT /* store.Revive */ INTO journal (schedule_seq, place, run_id, url_id, site_id, status, words, links_added, redir, fetched_at,
		same_content)
	SELECT NULLIF($1::bigint, 0), $2, $3, w.url_id, w.site_id, w.status & 65535, $5, c.hrefs, 0, to_timestamp($6::bigint), true
	FROM urlword w JOIN urlwordsNN c ON c.url_id = w.url_id
	WHERE w.url_id = $4`)
)

// Revive makes a withdrawn document an original again, or a page that is not to be indexed one again. A former clone receives a
// copy of its group's content row: that of from, which is 0 when the document has its own. When from is live it becomes a clone.
func (d *DocumentTx) Revive(k Kept, from store.URLID, rule string, next int64) {
	p := &d.Prev
	if from != 0 {
		d.inherit(from, d.ID, false, nil, &k.WordCount, &k.TotalCount)
		d.before.Queue(inheritHashSQL, d.ID, nil) // its links are read again from its own URL at its next visit
	} else {
		d.before.Queue(reviveContentSQL[d.ID%16], d.ID, k.WordCount, k.TotalCount)
	}
	if k.Words != nil {
		d.before.Queue(inheritModeSQL, d.ID, k.Mode)
	}
	if p.Twin != 0 && p.Status.Base() == 200 { // a page that is not to be indexed is in no group
		d.BecomeOriginal(p.Twin, rule)
	}
	d.before.Queue(reviveSQL, d.ID, p.Status.Base(), 0, next)
	d.before.Queue(reviveJournalSQL[d.ID%16], d.held.Seq, d.held.Place, d.held.Run, d.ID, k.Words, p.LastIndexTime)
	if d.realtime != nil {
		d.show(d.ID, p.Site, k.Words, d.realtime.New)
	}
}

// ReviveAsClone makes a withdrawn document a clone of Prev.Twin.
func (d *DocumentTx) ReviveAsClone(next int64) {
	d.BecomeClone()
	if d.Prev.HasRow {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	}
	d.before.Queue(reviveSQL, d.ID, d.Prev.Status.Base(), d.Prev.Twin, next)
}
