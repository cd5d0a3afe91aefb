package crawl

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/store"
)

// Clone groups: the live documents with one crc. The one with the lowest url_id is the original, whatever the
// order of fetching. The others name it in origin and have neither content nor postings.

const cloneOfSQL = `
	UPDATE /* store.BecomeOriginal */ urlword SET origin = $2
	WHERE url_id = $1 OR origin = $1 AND origin <> 0 -- urlword_origin`

var demoteSQL = store.PerTable(`
	WITH gone AS (
		DELETE FROM urlwordsNN WHERE url_id = $4 RETURNING hrefs
	)
	INSERT /* store.BecomeOriginal */ INTO markdel (schedule_seq, site_id, run_id, url_id, reason, links)
	SELECT NULLIF($1::bigint, 0), w.site_id, $2, w.url_id, $3, coalesce((SELECT hrefs FROM gone), '{}')
	FROM urlword w WHERE w.url_id = $4
	ON CONFLICT (url_id) DO UPDATE SET seq = EXCLUDED.seq, schedule_seq = EXCLUDED.schedule_seq, run_id = EXCLUDED.run_id,
		marked_at = EXCLUDED.marked_at, reason = EXCLUDED.reason,
		links = (SELECT coalesce(array_agg(DISTINCT l ORDER BY l), '{}') FROM unnest(markdel.links || EXCLUDED.links) l)`)

const followSQL = `
	UPDATE /* store.BecomeClone */ urlword SET origin = $2
	WHERE origin = $1 AND origin <> 0                             -- urlword_origin`

// BecomeClone makes the document a clone of Prev.Twin, and with it all withdrawn clones that still name the
// document as their original: no clone is a clone of a clone (T-01c).
func (d *DocumentTx) BecomeClone() {
	d.before.Queue(followSQL, d.ID, d.Prev.Twin)
	d.showWaiting(d.Prev.Twin)
}

// BecomeOriginal makes the former original of the group and all its clones clones of this document. The
// content row of the former original is deleted, and the next merge removes its words (T-01o).
func (d *DocumentTx) BecomeOriginal(former store.URLID, rule string) {
	d.before.Queue(cloneOfSQL, former, d.ID)
	d.before.Queue(demoteSQL[former%16], d.held.Seq, d.held.Run, rule, former)
	d.hide(former)
}

// Successor returns the successor of a document: its live clone with the lowest id, 0 when it has none. The
// document transaction reads it again.
func (s *Store) Successor(ctx context.Context, id store.URLID) (successor store.URLID, err error) {
	err = s.Retry(ctx, "successor", func() error { return s.Pool.QueryRow(ctx, heirSQL, id).Scan(&successor) })
	return successor, err
}

// inheritSQL returns the statement that copies a content row from one table to another. Both names come from
// the fixed list of sixteen.
func inheritSQL(from, to store.URLID) string {
	return strings.NewReplacer("urlwordsFROM", fmt.Sprintf("urlwords%02d", from%16), "urlwordsTO", fmt.Sprintf("urlwords%02d", to%16)).Replace(`
	INSERT /* store.Promote */ INTO urlwordsTO (url_id, wordcount, totalcount, content_type, charset, title, txt,
		docsize, keywords, description, lang, words, hrefs)
	SELECT $2, coalesce($5::integer, wordcount), coalesce($6::integer, totalcount), content_type, charset, title, txt, docsize, keywords, description, lang, words,
		coalesce($4::integer[], ARRAY(SELECT DISTINCT l FROM unnest(CASE WHEN $3 THEN hrefs || $1::integer ELSE hrefs END) l WHERE l <> $2 ORDER BY l))
	FROM urlwordsFROM WHERE url_id = $1`)
}

const followHeirSQL = `
	UPDATE /* store.Promote */ urlword SET origin = CASE WHEN url_id = $2 THEN 0 ELSE $2 END
	WHERE origin = $1 AND origin <> 0                             -- urlword_origin`

var journalHeirSQL = store.PerTable(`
	INSERT /* store.Promote */ INTO journal (schedule_seq, place, run_id, url_id, site_id, status, words, links_added, fetched_at,
		same_content)
	SELECT NULLIF($1::bigint, 0), $2, $3, w.url_id, w.site_id, 200, $5, c.hrefs, to_timestamp($6::bigint), true
	FROM urlword w JOIN urlwordsNN c ON c.url_id = w.url_id
	WHERE w.url_id = $4`)

// PromotedContent holds what a promoted clone, the successor, derives from the content that it receives.
type PromotedContent struct {
	Words      []byte        // packed for the journal; nil = the content cannot be read: the successor is fetched again at once
	WordCount  int           // of Words; the old original's count may come from other settings
	TotalCount int           // likewise
	Links      []store.URLID // as read from the successor's URL, with their LinksHash; nil = the old links, until the next visit
	LinksHash  []byte
	Mode       int  // how Words were read, as bits of store.ModeReading
	Itself     bool // the content links to the old original's own URL, which that row does not contain
}

// inherit copies the content row of one document to another, and how it is to be read. itself adds a link to the first document.
// nil links and counts are copied, too.
func (d *DocumentTx) inherit(from, to store.URLID, itself bool, links []store.URLID, words, total *int) {
	d.before.Queue(inheritSQL(from, to), from, to, itself, links, words, total)
	d.before.Queue(inheritConvertedSQL, from, to)
}

const inheritConvertedSQL = `
	UPDATE /* store.Promote */ urlstate t SET read_as = s.read_as, content_crc = s.content_crc, converter = s.converter
	FROM urlstate s
	WHERE s.url_id = $1 AND t.url_id = $2 AND (s.read_as, s.content_crc, s.converter) IS DISTINCT FROM (t.read_as, t.content_crc, t.converter)`

const inheritHashSQL = `UPDATE /* store.Promote */ urlstate SET links_hash = $2 WHERE url_id = $1`

const inheritModeSQL = `
	UPDATE /* store.Promote */ urlstate SET index_mode = index_mode & 1023 | $2 WHERE url_id = $1 AND index_mode & ~1023 <> $2`

// readAnewSQL makes the successor due and resets its indexing mode. So its next visit reads the stored
// content again, or, when that is damaged, sends a request without conditions (T-16). What the header said stays, and that others may not
// read a file. No document with
// words has bit 0 unset.
var readAnewSQL = [...]string{
	`UPDATE /* store.Promote */ urlstate SET index_mode = index_mode & 944 WHERE url_id = $1`,
	`UPDATE /* store.Promote */ urlword SET next_index_time = least(next_index_time, $2) WHERE url_id = $1`,
}

// Promote makes Prev.Successor the original of the group that this document leaves: it receives a copy of the
// content row, its words go to the journal, and the other clones follow it. It must be called before the
// actions that change this document.
func (d *DocumentTx) Promote(h PromotedContent) {
	successor := d.Prev.Successor
	var words, total *int
	if h.Words != nil {
		words, total = &h.WordCount, &h.TotalCount
	}
	d.inherit(d.ID, successor, h.Itself, h.Links, words, total)
	d.before.Queue(inheritHashSQL, successor, h.LinksHash)
	d.before.Queue(followHeirSQL, d.ID, successor)
	if h.Words == nil {
		d.before.Queue(readAnewSQL[0], successor)
		d.before.Queue(readAnewSQL[1], successor, d.now)
	} else {
		d.before.Queue(inheritModeSQL, successor, h.Mode)
	}
	d.before.Queue(journalHeirSQL[successor%16], d.held.Seq, d.held.Place, d.held.Run, successor, h.Words, d.now)
	if d.realtime != nil {
		d.show(successor, 0, h.Words, d.realtime.Successor)
	}
}
