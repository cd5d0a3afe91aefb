package lookup

import (
	"bytes"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// SearchWord is a word of wordurl with the postings in its row.
type SearchWord struct {
	ID          store.WordID
	Text        string
	URLs, Total int64  // documents and positions in the main index
	Blob        []byte // empty for a word without postings or with some in wordfile
}

// SearchRow is a row of wordfile. Rows are never altered, so Key always identifies the same contents.
type SearchRow struct {
	Key   RowKey
	Bytes int
	Blob  []byte // nil unless the row is small
}

// Forget releases the blob of a row that is not small.
func (r *SearchRow) Forget() {
	if r.Bytes > smallRow {
		r.Blob = nil
	}
}

// RowKey is the key of wordfile and the transaction that wrote the row, because index -C restarts the
// numbers.
type RowKey struct {
	Word                store.WordID
	Level               int16
	Seq                 int64
	FirstSite, FirstURL int32
	Xmin                uint32
}

// smallRow is the size in bytes up to which the blob of a wordfile row is returned at once: such a blob is
// stored in the table itself, so reading it costs nothing more.
const smallRow = 2000

// A word with rows in wordfile comes once with each of them. Its row of wordurl has no postings then.
const searchWordsSQL = `
	SELECT /* store.SearchWords */ w.word_id, w.word, w.urlcount, w.totalcount, w.urls, coalesce(f.level, -1) AS level, coalesce(f.seq, 0) AS seq,
		coalesce(f.first_site, 0) AS site, coalesce(f.first_url, 0) AS url, coalesce(f.xmin, '0'), coalesce(octet_length(f.urls), 0),
		CASE WHEN octet_length(f.urls) <= $2 THEN f.urls END
	FROM wordurl w LEFT JOIN wordfile f ON f.word_id = w.word_id                 -- wordurl_word_key, wordfile_pkey
	WHERE w.word = ANY($1)
	UNION ALL
	SELECT word_id, word, 0, 0, urls, 32767, 0, 0, 0, '0', 0, NULL
	FROM wordurl1                                                                -- wordurl1_pkey
	WHERE word = ANY($1)
	ORDER BY word_id, level, seq DESC, site, url`

// Words asks for words by their text. word is called for each that the dictionary has, row for each of its
// rows in wordfile, the newest segment first and within a segment in the order of the postings, realtime for
// its postings in wordurl1. The callee may keep the slices.
func (x *Tx) Words(texts []string, word func(SearchWord), row func(SearchRow), realtime func(store.WordID, []byte)) {
	const none, live = -1, 32767
	var w SearchWord
	var r SearchRow
	k, last := &r.Key, store.WordID(0)
	to := []any{
		&w.ID, &w.Text, &w.URLs, &w.Total, &w.Blob, &k.Level, &k.Seq, &k.FirstSite, &k.FirstURL, &k.Xmin, &r.Bytes, &r.Blob,
	}
	x.ask(searchWordsSQL, []any{texts, smallRow}, each(to, func() error {
		if k.Level == live {
			realtime(w.ID, w.Blob)
			return nil
		}
		if w.ID != last {
			word(w)
			last = w.ID
		}
		if k.Level != none {
			k.Word = w.ID
			row(r)
		}
		return nil
	}))
}

const (
	searchPatternSQL = `
		SELECT /* store.SearchPattern */ word_id, word, urlcount, totalcount, urls
		FROM (SELECT * FROM wordurl                                              -- wordurl_word_key
			WHERE word >= $1 AND word < $2 AND word LIKE $3 ORDER BY word LIMIT $4) w
		ORDER BY urlcount DESC, word
		LIMIT $5`
	searchPatternRowsSQL = `
		SELECT /* store.SearchPattern */ f.word_id, f.level, f.seq, f.first_site, f.first_url, f.xmin, octet_length(f.urls),
			CASE WHEN octet_length(f.urls) <= $6 THEN f.urls END
		FROM (SELECT word_id FROM (SELECT * FROM wordurl WHERE word >= $1 AND word < $2 AND word LIKE $3 ORDER BY word LIMIT $4) s
				ORDER BY urlcount DESC, word LIMIT $5) w
			JOIN wordfile f ON f.word_id = w.word_id                             -- wordfile_pkey
		ORDER BY f.word_id, f.level, f.seq DESC, f.first_site, f.first_url`
	searchPatternRealtimeSQL = `
		SELECT /* store.SearchPattern */ word_id, urls
		FROM wordurl1                                                            -- wordurl1_pkey
		WHERE word >= $1 AND word < $2 AND word LIKE $3`
)

// Pattern asks for the words from prefix on that match a LIKE pattern, the limit most frequent of the first scan, as Words
// does. The caller has escaped the characters that are not wildcards.
func (x *Tx) Pattern(prefix, like string, scan, limit int, word func(SearchWord), row func(SearchRow), realtime func(store.WordID, []byte)) {
	from, to := prefix, after(prefix)
	x.ask(searchPatternSQL, []any{from, to, like, scan, limit}, eachWordRow(word))
	x.ask(searchPatternRowsSQL, []any{from, to, like, scan, limit, smallRow}, eachFileRow(row))
	x.ask(searchPatternRealtimeSQL, []any{from, to, like}, eachRealtimeRow(realtime))
}

// after returns the first text after all that begin with prefix, in byte order.
func after(prefix string) string {
	const last = "\U0010FFFF" // no word contains it or sorts after it
	return prefix + last
}

func eachWordRow(f func(SearchWord)) func(pgx.Rows) error {
	var w SearchWord
	return each([]any{&w.ID, &w.Text, &w.URLs, &w.Total, &w.Blob}, func() error { f(w); return nil })
}

func eachFileRow(f func(SearchRow)) func(pgx.Rows) error {
	var r SearchRow
	k := &r.Key
	return each([]any{&k.Word, &k.Level, &k.Seq, &k.FirstSite, &k.FirstURL, &k.Xmin, &r.Bytes, &r.Blob}, func() error { f(r); return nil })
}

func eachRealtimeRow(f func(store.WordID, []byte)) func(pgx.Rows) error {
	var id store.WordID
	var blob []byte
	return each([]any{&id, &blob}, func() error { f(id, blob); return nil })
}

const searchBlobSQL = `
	SELECT /* store.SearchBlobs */ f.urls
	FROM unnest($1::integer[], $2::smallint[], $3::bigint[], $4::integer[], $5::integer[]) WITH ORDINALITY
			AS i (word_id, level, seq, first_site, first_url, place)
		JOIN wordfile f ON f.word_id = i.word_id AND f.level = i.level AND f.seq = i.seq -- wordfile_pkey
			AND f.first_site = i.first_site AND f.first_url = i.first_url
	ORDER BY i.place`

// Blobs asks for the postings in rows of wordfile that the same snapshot has found. blob is called for each,
// in their order; the callee may keep it.
func (x *Tx) Blobs(rows []RowKey, blob func([]byte)) {
	n := len(rows)
	words, levels, seqs := make([]store.WordID, n), make([]int16, n), make([]int64, n)
	sites, urls := make([]int32, n), make([]int32, n)
	for i, r := range rows {
		words[i], levels[i], seqs[i], sites[i], urls[i] = r.Word, r.Level, r.Seq, r.FirstSite, r.FirstURL
	}
	var b store.Bytes
	x.ask(searchBlobSQL, []any{words, levels, seqs, sites, urls}, each([]any{&b}, func() error {
		blob(bytes.Clone(b))
		return nil
	}))
}
