package crawl

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
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
	d.before.Queue(updateInetSQL, d.ID, d.now, i.Next, i.ETag, i.LastModified)
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
	d.before.Queue(modifyLostSQL, d.ID, status, d.now, next)
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

// versionRow is a row of urlword with a new version.
type versionRow struct {
	id  store.URLID
	now int64
	v   *Version
}

const updateDocumentsSQL = `
	UPDATE /* store.UpdateDocument */ urlword w
	SET status = i.status, crc = i.crc, etag = i.etag, last_modified = i.last_modified, redir = i.redir, origin = i.origin,
		last_index_time = i.now, next_index_time = i.next
	FROM unnest($1::integer[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::bigint[], $9::bigint[])
		AS i (url_id, status, crc, etag, last_modified, redir, origin, now, next)
	WHERE w.url_id = i.url_id`

func writeVersions(b *pgx.Batch, rows []versionRow) {
	if len(rows) == 0 {
		return
	}
	b.Queue(updateDocumentsSQL, column(rows, func(r *versionRow) int32 { return int32(r.id) }),
		column(rows, func(r *versionRow) int32 { return int32(r.v.Status) }),
		column(rows, func(r *versionRow) string { return r.v.CRC }),
		column(rows, func(r *versionRow) string { return r.v.ETag }),
		column(rows, func(r *versionRow) string { return r.v.LastModified }),
		column(rows, func(r *versionRow) int32 { return int32(r.v.Redir) }),
		column(rows, func(r *versionRow) int32 { return int32(r.v.Origin) }),
		column(rows, func(r *versionRow) int64 { return r.now }),
		column(rows, func(r *versionRow) int64 { return r.v.Next }))
}

// contentRow is a row of urlwordsNN.
type contentRow struct {
	id    store.URLID
	c     *Content
	links []store.URLID
}

var (
	putContentsSQL = store.PerTable(`
	INSERT /* store.UpdateDocument */ INTO urlwordsNN (url_id, wordcount, totalcount, content_type, charset, title, txt,
		docsize, keywords, description, lang, words, hrefs)
	SELECT i.url_id, i.wordcount, i.totalcount, i.content_type, i.charset, i.title, i.txt, i.docsize, i.keywords, i.description, i.lang, i.words,
		($13::integer[])[i.first:i.last]
	FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[], $10::text[],
			$11::text[], $12::bytea[], $14::integer[], $15::integer[])
		AS i (url_id, wordcount, totalcount, content_type, charset, title, txt, docsize, keywords, description, lang, words, first, last)
	ON CONFLICT (url_id) DO UPDATE SET deleted = 0, wordcount = EXCLUDED.wordcount, totalcount = EXCLUDED.totalcount,
		content_type = EXCLUDED.content_type, charset = EXCLUDED.charset, title = EXCLUDED.title, txt = EXCLUDED.txt, docsize = EXCLUDED.docsize,
		keywords = EXCLUDED.keywords, description = EXCLUDED.description, lang = EXCLUDED.lang, words = EXCLUDED.words, hrefs = EXCLUDED.hrefs`)

	dropContentSQL = store.PerTable(`DELETE /* store.UpdateDocument */ FROM urlwordsNN WHERE url_id = $1`)
)

func writeContents(b *pgx.Batch, table int, rows []contentRow) {
	if len(rows) == 0 {
		return
	}
	links := columnOfLists(rows, func(r *contentRow) []store.URLID { return r.links })
	b.Queue(putContentsSQL[table], column(rows, func(r *contentRow) int32 { return int32(r.id) }),
		column(rows, func(r *contentRow) int32 { return int32(r.c.WordCount) }),
		column(rows, func(r *contentRow) int32 { return int32(r.c.TotalCount) }),
		column(rows, func(r *contentRow) string { return r.c.ContentType }),
		column(rows, func(r *contentRow) string { return r.c.Charset }),
		column(rows, func(r *contentRow) string { return r.c.Title }),
		column(rows, func(r *contentRow) string { return r.c.Text }),
		column(rows, func(r *contentRow) int32 { return int32(min(r.c.DocSize, 1<<31-1)) }),
		column(rows, func(r *contentRow) string { return r.c.Keywords }),
		column(rows, func(r *contentRow) string { return r.c.Description }),
		column(rows, func(r *contentRow) string { return r.c.Lang }),
		column(rows, func(r *contentRow) []byte { return r.c.Words }),
		links.links, links.from, links.to)
}

// journalRow is a row of journal.
type journalRow struct {
	held           Token
	id             store.URLID
	site           store.SiteID
	now            int64
	added, removed []store.URLID
	v              *Version
}

const journalSQL = `
	INSERT /* store.Journal */ INTO journal (schedule_seq, place, run_id, url_id, site_id, status, words,
		links_added, links_removed, redir, modified, fetched_at, same_content)
	SELECT NULLIF(i.schedule_seq, 0), i.place, i.run_id, i.url_id, i.site_id, i.status, i.words, ($8::integer[])[i.first_added:i.last_added],
		($11::integer[])[i.first_removed:i.last_removed], i.redir, i.modified, to_timestamp(i.now), i.same
	FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::bytea[], $9::integer[], $10::integer[],
			$12::integer[], $13::integer[], $14::integer[], $15::timestamptz[], $16::bigint[], $17::boolean[])
		AS i (schedule_seq, place, run_id, url_id, site_id, status, words, first_added, last_added, first_removed, last_removed, redir, modified, now, same)`

func writeJournal(b *pgx.Batch, rows []journalRow) {
	if len(rows) == 0 {
		return
	}
	added := columnOfLists(rows, func(r *journalRow) []store.URLID { return r.added })
	removed := columnOfLists(rows, func(r *journalRow) []store.URLID { return r.removed })
	b.Queue(journalSQL, column(rows, func(r *journalRow) int64 { return r.held.Seq }),
		column(rows, func(r *journalRow) int32 { return int32(r.held.Place) }),
		column(rows, func(r *journalRow) int32 { return int32(r.held.Run) }),
		column(rows, func(r *journalRow) int32 { return int32(r.id) }),
		column(rows, func(r *journalRow) int32 { return int32(r.site) }),
		column(rows, func(r *journalRow) int32 { return int32(r.v.Status) }),
		column(rows, func(r *journalRow) []byte { return r.v.Words }),
		added.links, added.from, added.to, removed.links, removed.from, removed.to,
		column(rows, func(r *journalRow) int32 { return int32(r.v.Redir) }),
		column(rows, func(r *journalRow) *time.Time { return timeOrNull(r.v.Modified) }),
		column(rows, func(r *journalRow) int64 { return r.now }),
		column(rows, func(r *journalRow) bool { return r.v.Same }))
}

// UpdateDocument replaces a document completely: all attributes, its content row (deleted when the version
// has none), and for 200, 301, 302, 406 and 906 a journal row with the differences, unless the version failed.
func (d *DocumentTx) UpdateDocument(v Version) {
	d.version = &versionRow{id: d.ID, now: d.now, v: &v}
	if c := v.Content; v.KeepContent {
		if v.KeepFrom != 0 {
			d.inherit(v.KeepFrom, d.ID, false, nil, new(int), new(int))
		}
		d.before.Queue(keepContentSQL[d.ID%16], d.ID, store.NotNil(v.Links))
	} else if c != nil {
		d.content = &contentRow{d.ID, c, v.Links}
	} else if d.Prev.HasRow {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
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
	d.journals = append(d.journals, journalRow{d.held, d.ID, d.Prev.Site, d.now, added, removed, &v})
}

var updateLinksSQL = store.PerTable(`UPDATE /* store.UpdateLinks */ urlwordsNN SET hrefs = $2 WHERE url_id = $1`)

// UpdateLinks gives an unchanged document the links that it has under the current rules. Without a difference
// it does nothing (T-02, T-03). A 406 without links has a content row only when that is kept.
func (d *DocumentTx) UpdateLinks(links []store.URLID) {
	if !d.Prev.HasRow || slices.Equal(d.Prev.Hrefs, links) {
		return
	}
	if d.Prev.Status.Base() == 406 && len(links) == 0 && !d.Prev.Kept {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	} else {
		d.before.Queue(updateLinksSQL[d.ID%16], d.ID, store.NotNil(links))
	}
	d.journal(Version{Status: d.Prev.Status.Base(), Links: links, Redir: d.Prev.Redir, Origin: d.Prev.Origin, Same: true})
}

// markRow is a row of markdel.
type markRow struct {
	held  Token
	id    store.URLID
	site  store.SiteID
	rule  string
	links []store.URLID
}

// marksSQL adds the links of a mark to those of an earlier one, which no merge has removed yet.
const marksSQL = `
	INSERT /* store.MarkDeleted */ INTO markdel (schedule_seq, site_id, run_id, url_id, reason, links)
	SELECT NULLIF(i.schedule_seq, 0), i.site_id, i.run_id, i.url_id, i.reason,
		CASE WHEN m.links IS NULL THEN ($6::integer[])[i.first:i.last]
			ELSE ARRAY(SELECT DISTINCT l FROM unnest(m.links || ($6::integer[])[i.first:i.last]) l ORDER BY l) END
	FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::text[], $7::integer[], $8::integer[])
			AS i (schedule_seq, site_id, run_id, url_id, reason, first, last)
		LEFT JOIN markdel m ON m.url_id = i.url_id
	ON CONFLICT (url_id) DO UPDATE SET seq = EXCLUDED.seq, schedule_seq = EXCLUDED.schedule_seq, run_id = EXCLUDED.run_id,
		marked_at = EXCLUDED.marked_at, reason = EXCLUDED.reason, links = EXCLUDED.links`

func writeMarks(b *pgx.Batch, rows []markRow) {
	if len(rows) == 0 {
		return
	}
	links := columnOfLists(rows, func(r *markRow) []store.URLID { return r.links })
	b.Queue(marksSQL, column(rows, func(r *markRow) int64 { return r.held.Seq }),
		column(rows, func(r *markRow) int32 { return int32(r.site) }),
		column(rows, func(r *markRow) int32 { return int32(r.held.Run) }),
		column(rows, func(r *markRow) int32 { return int32(r.id) }),
		column(rows, func(r *markRow) string { return r.rule }),
		links.links, links.from, links.to)
}

// MarkDeleted writes a mark: the next merge removes the document's postings and links. It must be called
// before UpdateDocument, so that the journal row of the new version is newer than the mark. rule is the T-id.
func (d *DocumentTx) MarkDeleted(rule string) { d.noteMark(rule, d.Prev.Hrefs) }

// MarkReplaced is MarkDeleted for a document whose new version has a journal row. That row names the links
// that came and went, so the merge need not look at the other links.
func (d *DocumentTx) MarkReplaced(rule string) { d.noteMark(rule, nil) }

func (d *DocumentTx) noteMark(rule string, links []store.URLID) {
	d.mark = &markRow{d.held, d.ID, d.Prev.Site, rule, links}
	d.hide(d.ID)
}

const withdrawSQL = `
	UPDATE /* store.Withdraw */ urlword SET deleted = 1, next_index_time = $2 WHERE url_id = $1`

var withdrawContentSQL = store.PerTable(`UPDATE /* store.Withdraw */ urlwordsNN SET deleted = 1 WHERE url_id = $1`)

// Withdraw removes a URL from the index because a rule forbids it. The row and its content stay (T-12; see Keep).
func (d *DocumentTx) Withdraw(next int64) {
	d.before.Queue(withdrawSQL, d.ID, next)
	if d.Prev.HasRow {
		d.before.Queue(withdrawContentSQL[d.ID%16], d.ID)
	}
}

const removeBadSQL = `
	UPDATE /* store.RemoveBad */ urlword SET deleted = 1, status = $2, redir = 0, last_index_time = $3, next_index_time = $4
	WHERE url_id = $1`

// RemoveBad removes a URL from the index because it is gone and its Server has DeleteBad. Its row stays, without content
// (T-13). Its redirect is cleared.
func (d *DocumentTx) RemoveBad(code int, next int64) {
	d.before.Queue(removeBadSQL, d.ID, code, d.now, next)
	if d.Prev.HasRow {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const purgeSQL = `
	UPDATE /* store.Purge */ urlword SET status = $2, redir = 0, origin = 0, next_index_time = $3
	WHERE url_id = $1`

// Purge removes a document that was lost too often: the error becomes its status, its content row goes
// (T-18).
func (d *DocumentTx) Purge(code int, next int64) {
	d.before.Queue(purgeSQL, d.ID, code, next)
	if d.Prev.HasRow {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const purgeOrphanSQL = `
	UPDATE /* store.PurgeOrphan */ urlword SET deleted = 1, status = status & 65535, origin = 0, next_index_time = $2
	WHERE url_id = $1`

// PurgeOrphan removes a document that no link reaches. It is not due again until a link reaches it (SR-09).
func (d *DocumentTx) PurgeOrphan() {
	d.before.Queue(purgeOrphanSQL, d.ID, neverDue)
	if d.Prev.HasRow {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const restoreSQL = `
	UPDATE /* store.Restore */ urlword
	SET deleted = 0, status = 0, crc = '', redir = 0, origin = 0, next_index_time = $2
	WHERE url_id = $1`

// Restore makes a URL that a rule had withdrawn, and that is allowed now, a URL that was never fetched
// (T-15, when nothing is kept; else see Revive).
func (d *DocumentTx) Restore(next int64) {
	d.before.Queue(restoreSQL, d.ID, next)
	if d.Prev.HasRow {
		d.before.Queue(dropContentSQL[d.ID%16], d.ID)
	}
}

const setNextSQL = `UPDATE /* store.Postpone */ urlword SET next_index_time = $2 WHERE url_id = $1`

// Postpone changes next_index_time only: a network error changes nothing else of a document (T-10).
func (d *DocumentTx) Postpone(next int64) { d.before.Queue(setNextSQL, d.ID, next) }

const recordStatusSQL = `
	UPDATE /* store.RecordStatus */ urlword SET status = $2, next_index_time = $3 WHERE url_id = $1`

// RecordStatus records the error of a URL that never answered (T-10n). last_index_time stays.
func (d *DocumentTx) RecordStatus(code int, next int64) {
	d.before.Queue(recordStatusSQL, d.ID, code, next)
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
