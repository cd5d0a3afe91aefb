package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pgseek/pgseek/store"
)

const knownRowsSQL = `
	SELECT /* store.WordIDs */ word, word_id, urls, urlcount, totalcount
	FROM wordurl                                                                 -- wordurl_word_key
	WHERE word = ANY($1)
	ORDER BY word`

const dictionaryPagesSQL = `
	SELECT /* store.WordIDs */ EXISTS (SELECT 1 FROM wordurl), pg_relation_size('wordurl') / current_setting('block_size')::integer`

// WordIDs calls f with the row of each of the ascending words that has one; i is the place of the word. The
// rows come in no order, and their bytes are valid only during the call. empty says that the table has no
// rows.
func (b *MergeBatch) WordIDs(ctx context.Context, words []string, f func(i int, row WordRow)) (empty bool, err error) {
	var some bool
	var pages int // 0 where the rows are elsewhere, as in a partitioned or distributed table
	if err := b.tx.QueryRow(ctx, dictionaryPagesSQL).Scan(&some, &pages); err != nil || !some {
		return err == nil, err
	}
	set, find := store.SetSize, b.lookUp
	if pages > 0 && len(words) > pages*wordsPerPage {
		set, find = scanSize, b.scanFor
	}
	for lo := 0; lo < len(words); lo += set {
		err := find(ctx, words[lo:min(lo+set, len(words))], func(i int, row WordRow) { f(lo+i, row) })
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// lookUp finds words by the index of wordurl.
func (b *MergeBatch) lookUp(ctx context.Context, words []string, f func(i int, row WordRow)) error {
	rows, err := b.tx.Query(ctx, knownRowsSQL, words)
	if err != nil {
		return err
	}
	var row WordRow
	var word, urls store.Bytes
	i := 0
	_, err = pgx.ForEachRow(rows, []any{&word, &row.ID, &urls, &row.URLCount, &row.TotalCount}, func() error {
		for words[i] != string(word) {
			i++
		}
		row.URLs = urls
		f(i, row)
		return nil
	})
	return err
}

const (
	// wordsPerPage is the number of words for each page of wordurl from which reading the whole table is
	// cheaper than looking them up, at 4 µs a word. With 7 both cost the same; with 20 and more, as in a
	// build in batches, reading saves a twentieth of the merge.
	wordsPerPage = 12
	scanSize     = 50_000 // words at once, which the server keeps in memory
)

const (
	scanOnSQL = `SELECT /* store.WordIDs */ set_config('enable_seqscan', 'on', true), set_config('enable_nestloop', 'off', true),
		set_config('enable_mergejoin', 'off', true)`
	scanOffSQL = `SELECT /* store.WordIDs */ set_config('enable_seqscan', 'off', true), set_config('enable_nestloop', 'on', true),
		set_config('enable_mergejoin', 'on', true)`
	scannedRowsSQL = `
		SELECT /* store.WordIDs */ i.n - 1, w.word_id, w.urls, w.urlcount, w.totalcount
		FROM wordurl w JOIN unnest($1::text[]) WITH ORDINALITY AS i (word, n) ON i.word = w.word`
)

// scanFor finds words by reading the whole dictionary.
func (b *MergeBatch) scanFor(ctx context.Context, words []string, f func(i int, row WordRow)) error {
	var batch pgx.Batch
	batch.Queue(scanOnSQL)
	batch.Queue(scannedRowsSQL, words).Query(func(rows pgx.Rows) error {
		var i int
		var row WordRow
		var urls store.Bytes
		_, err := pgx.ForEachRow(rows, []any{&i, &row.ID, &urls, &row.URLCount, &row.TotalCount}, func() error {
			row.URLs = urls
			f(i, row)
			return nil
		})
		return err
	})
	batch.Queue(scanOffSQL)
	return b.tx.SendBatch(ctx, &batch).Close()
}

// How many ids are drawn before a batch begins, so that a batch of changed documents needs no second
// connection. Their texts have about one new word in every four KiB of packed words. A first build has many
// times as many, and there it does not matter.
const (
	leastWordIDs  = 64
	mostWordIDs   = 1024
	bytesANewWord = 2048
)

// wordIDsBefore returns how many ids are drawn before a batch begins.
func (r *MergeRange) wordIDsBefore() int {
	return int(min(leastWordIDs+r.Bytes/bytesANewWord, mostWordIDs))
}

// DrawWordIDs returns n new ids of words, ascending. They are drawn outside the batch's transaction, before
// the rows that use them. Ids of a batch that fails, or needs none, are never used.
func (b *MergeBatch) DrawWordIDs(ctx context.Context, n int) ([]store.WordID, error) {
	few := min(n, len(b.ids))
	more, err := b.store.DrawWordIDs(ctx, n-few)
	if err != nil {
		return nil, err
	}
	ids := append(b.ids[:few:few], more...)
	b.ids = b.ids[few:]
	return ids, nil
}

// WordRow is a row of wordurl without its word.
type WordRow struct {
	ID         store.WordID
	URLs       []byte // inline postings; empty when the word has none, or has them in wordfile
	URLCount   int32
	TotalCount int32
}

const wordRowsSQL = `
	SELECT /* store.WordRows */ word_id, urls, urlcount, totalcount
	FROM wordurl                                                                 -- wordurl_pkey
	WHERE word_id = ANY($1)
	ORDER BY word_id`

// WordRows calls f with the row of each word, by ascending id; ids are ascending and at most 5,000. The bytes
// are valid only during the call.
func (b *MergeBatch) WordRows(ctx context.Context, ids []store.WordID, f func(WordRow) error) error {
	if len(ids) == 0 {
		return nil
	}
	rows, err := b.tx.Query(ctx, wordRowsSQL, ids)
	if err != nil {
		return err
	}
	var r WordRow
	var urls store.Bytes
	_, err = pgx.ForEachRow(rows, []any{&r.ID, &urls, &r.URLCount, &r.TotalCount}, func() error {
		r.URLs = urls
		return f(r)
	})
	return err
}

const updateWordsSQL = `
	UPDATE /* store.UpdateWords */ wordurl w
	SET urls = i.urls, urlcount = i.urlcount, totalcount = i.totalcount
	FROM unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[]) AS i (word_id, urls, urlcount, totalcount)
	WHERE w.word_id = i.word_id`

// UpdateWords updates the rows of known words: at most 5,000, by ascending id.
func (b *MergeBatch) UpdateWords(ctx context.Context, words []WordRow) error {
	if len(words) == 0 {
		return nil
	}
	bytes := 0
	for i := range words {
		bytes += len(words[i].URLs)
	}
	n := len(words)
	done, err := execPacked(ctx, b.tx, updateWordsSQL,
		packArray(pgtype.Int4OID, n, 4*n, func(buf []byte, i int) []byte { return appendInt32Field(buf, int32(words[i].ID)) }),
		packArray(pgtype.ByteaOID, n, bytes, func(buf []byte, i int) []byte { return appendField(buf, words[i].URLs) }),
		packArray(pgtype.Int4OID, n, 4*n, func(buf []byte, i int) []byte { return appendInt32Field(buf, words[i].URLCount) }),
		packArray(pgtype.Int4OID, n, 4*n, func(buf []byte, i int) []byte { return appendInt32Field(buf, words[i].TotalCount) }))
	if err != nil {
		return err
	}
	b.Churned.Wordurl += done.RowsAffected()
	if done.RowsAffected() != int64(len(words)) {
		return fmt.Errorf("update words: %d rows for %d words", done.RowsAffected(), len(words))
	}
	return nil
}

// errWordMade says that another program has created a word that the batch took for new.
var errWordMade = errors.New("another program has created a new word of the batch")

const copyWordsSQL = `COPY wordurl (word, word_id, urls, urlcount, totalcount) FROM STDIN (FORMAT binary) /* store.InsertWords */`

// InsertWords inserts n new words. row returns them one after the other, best by ascending word and id.
func (b *MergeBatch) InsertWords(ctx context.Context, n int, row func(i int) (word string, r WordRow)) error {
	if n == 0 {
		return nil
	}
	err := copyRows(ctx, b.tx, copyWordsSQL, 5, n, func(buf []byte, i int) []byte {
		word, r := row(i)
		buf = append(binary.BigEndian.AppendUint32(buf, uint32(len(word))), word...)
		buf = appendField(appendInt32Field(buf, int32(r.ID)), r.URLs)
		return appendInt32Field(appendInt32Field(buf, r.URLCount), r.TotalCount)
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "23505" {
		err = fmt.Errorf("%w: %w", errWordMade, err)
	}
	return err
}
