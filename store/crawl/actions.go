package crawl

import (
	"slices"
	"time"

	"github.com/pgseek/pgseek/store"
)

// The actions of a document transaction. RegisterURL is in urls.go, because URLs are registered before the
// transaction that links to them. See docs/reference/behavior.md, Recording a document.

// Inet is the part of urlword that an unchanged answer updates: status, times and validators.
type Inet struct {
	ETag, LastModified string // as sent; empty keeps the stored one
	Next               int64  // next_index_time
}

const updateInetSQL = `
	UPDATE /* store.UpdateInetAttrib */ urlword
	SET status = status & 65535, last_index_time = $2, next_index_time = $3,
		etag = CASE WHEN $4 = '' THEN etag ELSE $4 END,
		last_modified = CASE WHEN $5 = '' THEN last_modified ELSE $5 END
	WHERE url_id = $1`

// UpdateInetAttrib records an unchanged document: times and validators. Its status loses the lost part (T-02,
// T-03).
func (d *DocumentTx) UpdateInetAttrib(i Inet) {
	d.batch.Queue(updateInetSQL, d.ID, d.now, i.Next, i.ETag, i.LastModified)
	if d.Prev.Origin != 0 {
		d.showWaiting(d.Prev.Origin)
	} else {
		d.showWaiting(d.ID)
	}
}

const modifyLostSQL = `
	UPDATE /* store.ModifyLost */ urlword
	SET status = $2, last_index_time = $3, next_index_time = $4
	WHERE url_id = $1`

// ModifyLost records that a live document answered with an error: the packed status and the two times change,
// content and postings stay (T-07, T-09, T-11). The loss count rises once in a run; when counts is false it
// does not rise for a document that is lost already.
func (d *DocumentTx) ModifyLost(code int, next int64, counts bool) store.Status {
	status := d.Prev.Status.Lose(code)
	if d.Prev.Status.Lost() != 0 && (!counts || d.Prev.SeenRun == d.held.Run) {
		status = d.Prev.Status.LoseAgain(code)
	}
	d.batch.Queue(modifyLostSQL, d.ID, status, d.now, next)
	return status
}

// Version is a new version of a document, or of a URL that has become a redirect or an error.
type Version struct {
	Status             int  // plain: no lost part
	Failed             bool // the server answered with this status: nothing of the version is in the index
	CRC                string
	ETag, LastModified string
	Redir, Origin      store.URLID
	Next               int64
	Content            *Content      // nil: no row of urlwordsNN
	Links              []store.URLID // of the content row, ascending, no duplicates, not its own
	Words              []byte        // packed for the journal (posting.AppendWords); nil: no words
	Modified           time.Time
	Same               bool // the content has not changed: the dates stay
	Redated            bool // but the date by the rules is another

	// KeepContent says that the content row stays as it is, but for the links; Content is not looked at. A clone gets a copy of
	// that of KeepFrom, its original.
	KeepContent bool
	KeepFrom    store.URLID
}

// Content is a row of urlwordsNN.
type Content struct {
	WordCount, TotalCount       int
	ContentType, Charset        string
	Title, Text                 string
	DocSize                     int64
	Keywords, Description, Lang string
	Words                       []byte // packed content (posting.PackContent); nil in a link-only row
	Converted                   Converted
}

// Converted says what the stored content of a document is when it was converted; zero when it was not.
type Converted struct {
	ReadAs string // its media type
	CRC    string // its MD5, 32 hex digits
	By     string // digest of the converter; empty = it is to be converted again
}

const updateDocumentSQL = `
	UPDATE /* store.UpdateDocument */ urlword
	SET status = $2, crc = $3, etag = $4, last_modified = $5, redir = $6, origin = $7, last_index_time = $8, next_index_time = $9
	WHERE url_id = $1`

var (
	putContentSQL = store.PerTable(`
	INSERT /* store.UpdateDocument */ INTO urlwordsNN (url_id, wordcount, totalcount, content_type, charset, title, txt,
		docsize, keywords, description, lang, words, hrefs)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
	ON CONFLICT (url_id) DO UPDATE SET deleted = 0, wordcount = $2, totalcount = $3, content_type = $4, charset = $5,
		title = $6, txt = $7, docsize = $8, keywords = $9, description = $10, lang = $11, words = $12, hrefs = $13`)

	dropContentSQL = store.PerTable(`DELETE /* store.UpdateDocument */ FROM urlwordsNN WHERE url_id = $1`)
)

const journalSQL = `
	INSERT /* store.Journal */ INTO journal (schedule_seq, place, run_id, url_id, site_id, status, words,
		links_added, links_removed, redir, modified, fetched_at, same_content)
	VALUES (NULLIF($1::bigint, 0), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12::bigint), $13)`

// UpdateDocument replaces a document completely: all attributes, its content row (deleted when the version
// has none), and for 200, 301, 302, 406 and 906 a journal row with the differences, unless the version failed.
func (d *DocumentTx) UpdateDocument(v Version) {
	d.batch.Queue(updateDocumentSQL, d.ID, v.Status, v.CRC, v.ETag, v.LastModified, v.Redir, v.Origin, d.now, v.Next)
	if c := v.Content; v.KeepContent {
		if v.KeepFrom != 0 {
			d.inherit(v.KeepFrom, d.ID, false, nil, new(int), new(int))
		}
		d.batch.Queue(keepContentSQL[d.ID%16], d.ID, store.NotNil(v.Links))
	} else if c != nil {
		d.stored = c
		d.batch.Queue(putContentSQL[d.ID%16], d.ID, c.WordCount, c.TotalCount, c.ContentType, c.Charset, c.Title, c.Text,
			min(c.DocSize, 1<<31-1), c.Keywords, c.Description, c.Lang, c.Words, store.NotNil(v.Links))
	} else if d.Prev.HasRow {
		d.batch.Queue(dropContentSQL[d.ID%16], d.ID)
	}
	switch v.Status {
	case 200, 301, 302, 406, StatusCanonical:
		if !v.Failed {
			d.journal(v)
		}
	}
	if d.realtime != nil {
		d.show(d.ID, d.Prev.Site, v.Words, d.realtime.New)
	}
}

// journal writes the journal row of a version. It writes none when nothing differs that the merge looks at,
// for example for an unchanged redirect.
func (d *DocumentTx) journal(v Version) {
	added, removed := difference(d.Prev.Hrefs, v.Links)
	if !v.Redated && v.Words == nil && len(added) == 0 && len(removed) == 0 &&
		d.Prev.Status.Base() == v.Status && d.Prev.Redir == v.Redir && d.Prev.Origin == v.Origin && (v.Same || d.Prev.CRC == v.CRC) {
		return
	}
	d.batch.Queue(journalSQL, d.held.Seq, d.held.Place, d.held.Run, d.ID, d.Prev.Site, v.Status, v.Words,
		store.NotNil(added), store.NotNil(removed), v.Redir, timeOrNull(v.Modified), d.now, v.Same)
}

var updateLinksSQL = store.PerTable(`UPDATE /* store.UpdateLinks */ urlwordsNN SET hrefs = $2 WHERE url_id = $1`)

// UpdateLinks gives an unchanged document the links that it has under the current rules. Without a difference
// it does nothing (T-02, T-03). A 406 without links has a content row only when that is kept.
func (d *DocumentTx) UpdateLinks(links []store.URLID) {
	if !d.Prev.HasRow || slices.Equal(d.Prev.Hrefs, links) {
		return
	}
	if d.Prev.Status.Base() == 406 && len(links) == 0 && !d.Prev.Kept {
		d.batch.Queue(dropContentSQL[d.ID%16], d.ID)
	} else {
		d.batch.Queue(updateLinksSQL[d.ID%16], d.ID, store.NotNil(links))
	}
	d.journal(Version{Status: d.Prev.Status.Base(), Links: links, Redir: d.Prev.Redir, Origin: d.Prev.Origin, Same: true})
}

const markDeletedSQL = `
	INSERT /* store.MarkDeleted */ INTO markdel (schedule_seq, site_id, run_id, url_id, reason, links)
	VALUES (NULLIF($1::bigint, 0), $2, $3, $4, $5, $6)
	ON CONFLICT (url_id) DO UPDATE SET seq = EXCLUDED.seq, schedule_seq = EXCLUDED.schedule_seq, run_id = EXCLUDED.run_id,
		marked_at = EXCLUDED.marked_at, reason = EXCLUDED.reason,
		links = (SELECT coalesce(array_agg(DISTINCT l ORDER BY l), '{}') FROM unnest(markdel.links || EXCLUDED.links) l)`

// MarkDeleted writes a mark: the next merge removes the document's postings and links. It must be called
// before UpdateDocument, so that the journal row of the new version is newer than the mark. rule is the T-id.
func (d *DocumentTx) MarkDeleted(rule string) { d.mark(rule, d.Prev.Hrefs) }

// MarkReplaced is MarkDeleted for a document whose new version has a journal row. That row names the links
// that came and went, so the merge need not look at the other links.
func (d *DocumentTx) MarkReplaced(rule string) { d.mark(rule, nil) }

func (d *DocumentTx) mark(rule string, links []store.URLID) {
	d.batch.Queue(markDeletedSQL, d.held.Seq, d.Prev.Site, d.held.Run, d.ID, rule, store.NotNil(links))
	d.hide(d.ID)
}

const withdrawSQL = `
	UPDATE /* store.Withdraw */ urlword SET deleted = 1, next_index_time = $2 WHERE url_id = $1`

var withdrawContentSQL = store.PerTable(`UPDATE /* store.Withdraw */ urlwordsNN SET deleted = 1 WHERE url_id = $1`)

// Withdraw removes a URL from the index because a rule forbids it. The row and its content stay (T-12; see Keep).
func (d *DocumentTx) Withdraw(next int64) {
	d.batch.Queue(withdrawSQL, d.ID, next)
	if d.Prev.HasRow {
		d.batch.Queue(withdrawContentSQL[d.ID%16], d.ID)
	}
}

const removeBadSQL = `
	UPDATE /* store.RemoveBad */ urlword SET deleted = 1, status = $2, redir = 0, last_index_time = $3, next_index_time = $4
	WHERE url_id = $1`

// RemoveBad removes a URL from the index because it is gone and its Server has DeleteBad. Its row stays, without content
// (T-13). Its redirect is cleared.
func (d *DocumentTx) RemoveBad(code int, next int64) {
	d.batch.Queue(removeBadSQL, d.ID, code, d.now, next)
	if d.Prev.HasRow {
		d.batch.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const purgeSQL = `
	UPDATE /* store.Purge */ urlword SET status = $2, redir = 0, origin = 0, next_index_time = $3
	WHERE url_id = $1`

// Purge removes a document that was lost too often: the error becomes its status, its content row goes
// (T-18).
func (d *DocumentTx) Purge(code int, next int64) {
	d.batch.Queue(purgeSQL, d.ID, code, next)
	if d.Prev.HasRow {
		d.batch.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const purgeOrphanSQL = `
	UPDATE /* store.PurgeOrphan */ urlword SET deleted = 1, status = status & 65535, origin = 0, next_index_time = $2
	WHERE url_id = $1`

// PurgeOrphan removes a document that no link reaches. It is not due again until a link reaches it (SR-09).
func (d *DocumentTx) PurgeOrphan() {
	d.batch.Queue(purgeOrphanSQL, d.ID, neverDue)
	if d.Prev.HasRow {
		d.batch.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const restoreSQL = `
	UPDATE /* store.Restore */ urlword
	SET deleted = 0, status = 0, crc = '', redir = 0, origin = 0, next_index_time = $2
	WHERE url_id = $1`

// Restore makes a URL that a rule had withdrawn, and that is allowed now, a URL that was never fetched
// (T-15, when nothing is kept; else see Revive).
func (d *DocumentTx) Restore(next int64) {
	d.batch.Queue(restoreSQL, d.ID, next)
	if d.Prev.HasRow {
		d.batch.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const setNextSQL = `UPDATE /* store.Postpone */ urlword SET next_index_time = $2 WHERE url_id = $1`

// Postpone changes next_index_time only: a network error changes nothing else of a document (T-10).
func (d *DocumentTx) Postpone(next int64) { d.batch.Queue(setNextSQL, d.ID, next) }

const recordStatusSQL = `
	UPDATE /* store.RecordStatus */ urlword SET status = $2, next_index_time = $3 WHERE url_id = $1`

// RecordStatus records the error of a URL that never answered (T-10n). last_index_time stays.
func (d *DocumentTx) RecordStatus(code int, next int64) {
	d.batch.Queue(recordStatusSQL, d.ID, code, next)
}

// difference returns the elements that only after has and those that only before has. Both lists are
// ascending.
func difference(before, after []store.URLID) (added, removed []store.URLID) {
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case j == len(after) || i < len(before) && before[i] < after[j]:
			removed = append(removed, before[i])
			i++
		case i == len(before) || before[i] > after[j]:
			added = append(added, after[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
	return added, removed
}
