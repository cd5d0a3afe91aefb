package index

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// each runs a query and calls f after each row has been read into to.
func (v *Snapshot) each(ctx context.Context, sql string, args []any, to []any, f func() error) error {
	rows, err := v.tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, to, f)
	return err
}

// window returns the first and the last id of a range that ends before to.
func window(from, to int64) []any {
	return []any{int32(min(from, math.MaxInt32)), int32(min(to-1, math.MaxInt32))}
}

const snapshotURLsSQL = `
	SELECT /* store.SnapshotURLs */ url_id, site_id, deleted = 0 AND status & 65535 = 200 AND origin = 0
	FROM urlword WHERE url_id BETWEEN $1 AND $2`

// URLs calls f with each URL of a range, in no order. document says that it is a live document and no clone.
func (v *Snapshot) URLs(ctx context.Context, from, to int64, f func(url store.URLID, site store.SiteID, document bool)) error {
	var url store.URLID
	var site store.SiteID
	var document bool
	return v.each(ctx, snapshotURLsSQL, window(from, to), []any{&url, &site, &document}, func() error {
		f(url, site, document)
		return nil
	})
}

const snapshotWaitingSQL = `
	SELECT /* store.SnapshotWaiting */ f.url_id
	FROM (
		SELECT url_id, max(seq) AS seq
		FROM (SELECT url_id, seq FROM journal WHERE words IS NOT NULL UNION ALL SELECT url_id, seq FROM markdel) a
		WHERE url_id BETWEEN $1 AND $2
		GROUP BY url_id
	) f LEFT JOIN docwords d USING (url_id)
	WHERE f.seq > coalesce(d.seq, 0)`

// Waiting calls f with each URL of a range that has an entry about its words which waits for the merge and is
// newer than the merged one.
func (v *Snapshot) Waiting(ctx context.Context, from, to int64, f func(store.URLID)) error {
	var url store.URLID
	return v.each(ctx, snapshotWaitingSQL, window(from, to), []any{&url}, func() error { f(url); return nil })
}

// NamedRow is a row of wordurl with its word.
type NamedRow struct {
	WordRow
	Word string
}

const snapshotWordsSQL = `
	SELECT /* store.SnapshotWords */ word_id, word, urls, urlcount, totalcount
	FROM wordurl                                                                 -- wordurl_pkey
	WHERE word_id > $1 ORDER BY word_id LIMIT $2`

// Words returns the next rows of wordurl after one, at most n.
func (v *Snapshot) Words(ctx context.Context, after store.WordID, n int) (rows []NamedRow, err error) {
	var r NamedRow
	err = v.each(ctx, snapshotWordsSQL, []any{after, n}, []any{&r.ID, &r.Word, &r.URLs, &r.URLCount, &r.TotalCount}, func() error {
		rows = append(rows, r)
		r.URLs = nil // bytes of its own for the next row
		return nil
	})
	return rows, err
}

const snapshotFileSizesSQL = `
	SELECT /* store.SnapshotFiles */ word_id, sum(octet_length(urls))
	FROM wordfile                                                                -- reads no TOAST
	WHERE word_id BETWEEN $1 AND $2 GROUP BY word_id`

// FileSizes calls f with the bytes that words of a range have in wordfile, if any.
func (v *Snapshot) FileSizes(ctx context.Context, first, last store.WordID, f func(store.WordID, int64)) error {
	var word store.WordID
	var size int64
	return v.each(ctx, snapshotFileSizesSQL, []any{first, last}, []any{&word, &size}, func() error { f(word, size); return nil })
}

const snapshotFilesSQL = `
	SELECT /* store.SnapshotFiles */ word_id, level, seq, first_site, first_url, urlcount, totalcount, urls
	FROM wordfile                                                                -- wordfile_pkey
	WHERE word_id = ANY($1)
	ORDER BY word_id, level, seq DESC, first_site, first_url`

const snapshotMoreFilesSQL = `
	SELECT /* store.SnapshotFiles */ word_id, level, seq, first_site, first_url, urlcount, totalcount, urls
	FROM wordfile                                                                -- wordfile_pkey
	WHERE word_id = $1 AND level = $2 AND seq = $3 AND (first_site, first_url) > ($4, $5)
	ORDER BY first_site, first_url
	LIMIT 4`

// Files calls f with the rows that words have in wordfile: by word, the newest segment first, within it in
// the order of the postings. f may keep the blob.
func (v *Snapshot) Files(ctx context.Context, words []store.WordID, f func(FileRow)) error {
	return v.files(ctx, snapshotFilesSQL, []any{words}, f)
}

func (v *Snapshot) files(ctx context.Context, sql string, args []any, f func(FileRow)) error {
	var r FileRow
	to := []any{&r.Word, &r.Level, &r.Seq, &r.FirstSite, &r.FirstURL, &r.URLs, &r.Total, &r.Blob}
	return v.each(ctx, sql, args, to, func() error {
		f(r)
		r.Blob = nil
		return nil
	})
}

const snapshotRunsSQL = `
	SELECT /* store.SnapshotRuns */ DISTINCT level, seq
	FROM wordfile
	WHERE word_id = $1
	ORDER BY level, seq DESC`

// Segments returns the segments of a word, newest first.
func (v *Snapshot) Segments(ctx context.Context, word store.WordID) ([]Segment, error) {
	rows, err := v.tx.Query(ctx, snapshotRunsSQL, word)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Segment, error) {
		r := Segment{Word: word}
		return r, row.Scan(&r.Level, &r.Seq)
	})
}

// RunRows returns a function that returns the rows of a segment one by one, reading a few at a time; nil at
// the end.
func (v *Snapshot) RunRows(ctx context.Context, r Segment) func() (*FileRow, error) {
	var rows []FileRow
	site, url := int32(-1<<31), int32(-1<<31)
	return func() (*FileRow, error) {
		if len(rows) == 0 {
			err := v.files(ctx, snapshotMoreFilesSQL, []any{r.Word, r.Level, r.Seq, site, url}, func(f FileRow) { rows = append(rows, f) })
			if err != nil || len(rows) == 0 {
				return nil, err
			}
		}
		row := rows[0]
		rows = rows[1:]
		site, url = row.FirstSite, row.FirstURL
		return &row, nil
	}
}

const snapshotDocWordsSQL = `
	SELECT /* store.SnapshotDocWords */ url_id, seq, words FROM docwords WHERE url_id BETWEEN $1 AND $2`

// DocWords calls f with the rows of docwords of a range, in no order. The bytes are valid only during the
// call.
func (v *Snapshot) DocWords(ctx context.Context, from, to int64, f func(DocWords) error) error {
	var d DocWords
	var words store.Bytes
	return v.each(ctx, snapshotDocWordsSQL, window(from, to), []any{&d.URL, &d.Seq, &words}, func() error {
		d.Words = words
		return f(d)
	})
}

// StoredRow is a content row with content.
type StoredRow struct {
	URL                   store.URLID
	Site                  store.SiteID
	Name                  string // the URL
	Packed                []byte // unpacked by UnpackContent
	ReadAs                string // the media type by which it is parsed
	How                   store.HowRead
	WordCount, TotalCount int32
	Document              bool   // a live document and no clone
	CRC                   string // digest of the whole content; only Contents sets it, and Truncated
	Truncated             bool   // only the beginning is stored
}

var snapshotContentSQL = store.PerTable(`
	SELECT /* store.SnapshotContent */ c.url_id, w.site_id, w.url, c.words, coalesce(s.read_as, c.content_type), c.wordcount, c.totalcount,
		w.deleted = 0 AND w.status & 65535 = 200 AND w.origin = 0, coalesce(s.content_crc, w.crc), coalesce('truncated' = ANY (s.marks), false),
		coalesce(s.index_mode, 3), ` + store.LeaveOutSQL + `
	FROM urlwordsNN c JOIN urlword w USING (url_id) LEFT JOIN urlstate s USING (url_id)
	WHERE c.url_id BETWEEN $1 AND $2 AND c.words IS NOT NULL`)

// Contents calls f with the content rows of a range that have content, in no order. f may keep the bytes.
func (v *Snapshot) Contents(ctx context.Context, from, to int64, f func(StoredRow) error) error {
	for n := range snapshotContentSQL {
		var r StoredRow
		fields := []any{&r.URL, &r.Site, &r.Name, &r.Packed, &r.ReadAs, &r.WordCount, &r.TotalCount, &r.Document, &r.CRC, &r.Truncated, &r.How.Mode, &r.How.Selectors}
		err := v.each(ctx, snapshotContentSQL[n], window(from, to), fields, func() error {
			err := f(r)
			r.Packed = nil
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// JournalWords is a row of journal that has words, with the state of its document.
type JournalWords struct {
	URL                   store.URLID
	Seq                   int64
	Words                 []byte
	Newest                bool // the newest entry about the document's words, and not merged
	Document              bool // it is a live document and no clone
	HasRow                bool // it has a content row, with these counts
	WordCount, TotalCount int32
}

const snapshotJournalSQL = `
	SELECT /* store.SnapshotJournal */ j.url_id, j.seq, j.words,
		j.seq > coalesce(d.seq, 0) AND j.seq > coalesce(m.seq, 0)
			AND NOT EXISTS (SELECT 1 FROM journal k WHERE k.url_id = j.url_id AND k.seq > j.seq AND k.words IS NOT NULL),
		coalesce(w.deleted = 0 AND w.status & 65535 = 200 AND w.origin = 0, false), c.url_id IS NOT NULL,
		coalesce(c.wordcount, 0), coalesce(c.totalcount, 0)
	FROM journal j LEFT JOIN urlword w USING (url_id) LEFT JOIN docwords d USING (url_id) LEFT JOIN markdel m USING (url_id)
		LEFT JOIN (SELECT url_id, wordcount, totalcount FROM urlwords) c USING (url_id)
	WHERE j.words IS NOT NULL`

// JournalWords calls f with the rows of journal that have words, in no order. The bytes are valid only during
// the call.
func (v *Snapshot) JournalWords(ctx context.Context, f func(JournalWords) error) error {
	var j JournalWords
	var words store.Bytes
	to := []any{&j.URL, &j.Seq, &words, &j.Newest, &j.Document, &j.HasRow, &j.WordCount, &j.TotalCount}
	return v.each(ctx, snapshotJournalSQL, nil, to, func() error {
		j.Words = words
		return f(j)
	})
}

const snapshotMarkedSQL = `
	SELECT /* store.SnapshotMarked */ m.url_id, c.wordcount, c.totalcount
	FROM markdel m JOIN urlword w USING (url_id) JOIN urlwords c USING (url_id) LEFT JOIN docwords d USING (url_id)
	WHERE w.deleted = 0 AND w.status & 65535 = 200 AND w.origin = 0 AND (c.wordcount > 0 OR c.totalcount > 0)
		AND m.seq > coalesce(d.seq, 0)
		AND NOT EXISTS (SELECT 1 FROM journal k WHERE k.url_id = m.url_id AND k.seq > m.seq AND k.words IS NOT NULL)`

// WronglyMarked calls f with live documents that have words and that the next merge will remove.
func (v *Snapshot) WronglyMarked(ctx context.Context, f func(url store.URLID, words, total int32) error) error {
	var url store.URLID
	var words, total int32
	return v.each(ctx, snapshotMarkedSQL, nil, []any{&url, &words, &total}, func() error { return f(url, words, total) })
}

const snapshotRealtimeSQL = `SELECT /* store.SnapshotRealtime */ word_id, word, urls, urlcount, totalcount FROM wordurl1`

// Realtime calls f with the rows of wordurl1. The bytes are valid only during the call.
func (v *Snapshot) Realtime(ctx context.Context, f func(NamedRow) error) error {
	var r NamedRow
	var urls store.Bytes
	return v.each(ctx, snapshotRealtimeSQL, nil, []any{&r.ID, &r.Word, &urls, &r.URLCount, &r.TotalCount}, func() error {
		r.URLs = urls
		return f(r)
	})
}

const snapshotShownSQL = `SELECT /* store.SnapshotRealtime */ url_id, words FROM rt_urls`

// Shown calls f with the rows of rt_urls: the words that wordurl1 must have of each document. The bytes are
// valid only during the call.
func (v *Snapshot) Shown(ctx context.Context, f func(url store.URLID, words []byte) error) error {
	var url store.URLID
	var words store.Bytes
	return v.each(ctx, snapshotShownSQL, nil, []any{&url, &words}, func() error { return f(url, words) })
}

const snapshotRealtimeURLsSQL = `
	SELECT /* store.SnapshotRealtime */ r.url_id, r.seq, w.site_id, j.words
	FROM rt_urls r JOIN urlword w USING (url_id) JOIN journal j ON j.url_id = r.url_id AND j.seq = r.seq
	WHERE j.words IS NOT NULL`

// RealtimeVersions calls f with the documents of rt_urls and the packed words of their journal rows. The
// bytes are valid only during the call.
func (v *Snapshot) RealtimeVersions(ctx context.Context, f func(url store.URLID, seq int64, site store.SiteID, words []byte) error) error {
	var url store.URLID
	var seq int64
	var site store.SiteID
	var words store.Bytes
	return v.each(ctx, snapshotRealtimeURLsSQL, nil, []any{&url, &seq, &site, &words}, func() error { return f(url, seq, site, words) })
}

const snapshotNamesSQL = `SELECT /* store.SnapshotNames */ word_id, word FROM wordurl WHERE word_id = ANY($1)`

// WordNames calls f with the words of ids.
func (v *Snapshot) WordNames(ctx context.Context, ids []store.WordID, f func(store.WordID, string)) error {
	var id store.WordID
	var word string
	return v.each(ctx, snapshotNamesSQL, []any{ids}, []any{&id, &word}, func() error { f(id, word); return nil })
}

const snapshotURLNamesSQL = `SELECT /* store.SnapshotNames */ url_id, url FROM urlword WHERE url_id = ANY($1)`

// URLNames calls f with the URLs of ids.
func (v *Snapshot) URLNames(ctx context.Context, ids []store.URLID, f func(store.URLID, string)) error {
	var id store.URLID
	var url string
	return v.each(ctx, snapshotURLNamesSQL, []any{ids}, []any{&id, &url}, func() error { f(id, url); return nil })
}
