package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// DocWords is a row of docwords: the words that the index has of a document.
type DocWords struct {
	URL   store.URLID
	Seq   int64  // number of the entry that was merged last
	Words []byte // packed (posting.AppendDocWords)
}

const docWordsSQL = `
	SELECT /* store.DocWords */ url_id, seq, words
	FROM docwords                                                                -- docwords_pkey
	WHERE url_id = ANY($1)`

// DocWords calls f with the rows of docwords of the documents that have one, in no order. f may keep the
// bytes.
func (b *MergeBatch) DocWords(ctx context.Context, urls []store.URLID, f func(DocWords)) error {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		rows, err := b.tx.Query(ctx, docWordsSQL, urls[lo:min(lo+store.SetSize, len(urls))])
		if err != nil {
			return err
		}
		var d DocWords
		_, err = pgx.ForEachRow(rows, []any{&d.URL, &d.Seq, &d.Words}, func() error {
			f(d)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const updateDocWordsSQL = `
	UPDATE /* store.UpdateDocWords */ docwords d
	SET seq = i.seq, words = i.words
	FROM unnest($1::integer[], $2::bigint[], $3::bytea[]) AS i (url_id, seq, words)
	WHERE d.url_id = i.url_id`

// UpdateDocWords updates existing rows.
func (b *MergeBatch) UpdateDocWords(ctx context.Context, docs []DocWords) error {
	for lo := 0; lo < len(docs); lo += store.SetSize {
		set := docs[lo:min(lo+store.SetSize, len(docs))]
		urls, seqs, words := make([]store.URLID, len(set)), make([]int64, len(set)), make([][]byte, len(set))
		for i, d := range set {
			urls[i], seqs[i], words[i] = d.URL, d.Seq, d.Words
		}
		done, err := b.tx.Exec(ctx, updateDocWordsSQL, urls, seqs, words)
		if err != nil {
			return err
		}
		b.Churned.Docwords += done.RowsAffected()
	}
	return nil
}

const copyDocWordsSQL = `COPY docwords (url_id, seq, words) FROM STDIN (FORMAT binary) /* store.InsertDocWords */`

// InsertDocWords inserts new rows.
func (b *MergeBatch) InsertDocWords(ctx context.Context, docs []DocWords) error {
	if len(docs) == 0 {
		return nil
	}
	return copyRows(ctx, b.tx, copyDocWordsSQL, 3, len(docs), func(buf []byte, i int) []byte {
		d := &docs[i]
		return appendField(appendInt64Field(appendInt32Field(buf, int32(d.URL)), d.Seq), d.Words)
	})
}

const deleteDocWordsSQL = `
	DELETE /* store.DeleteDocWords */ FROM docwords WHERE url_id = ANY($1)`

// DeleteDocWords removes rows.
func (b *MergeBatch) DeleteDocWords(ctx context.Context, urls []store.URLID) error {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		done, err := b.tx.Exec(ctx, deleteDocWordsSQL, urls[lo:min(lo+store.SetSize, len(urls))])
		if err != nil {
			return err
		}
		b.Churned.Docwords += done.RowsAffected()
	}
	return nil
}

const olderFactsSQL = `
	SELECT /* store.OlderEntries */ DISTINCT i.url_id
	FROM unnest($1::integer[], $2::bigint[]) AS i (url_id, seq)
	JOIN journal j ON j.url_id = i.url_id AND j.seq < i.seq                      -- journal_pkey
	WHERE j.words IS NOT NULL`

// OlderEntries calls f with the documents for which the journal still has words older than the given entry:
// they will be merged late.
func (b *MergeBatch) OlderEntries(ctx context.Context, urls []store.URLID, seqs []int64, f func(store.URLID)) error {
	for lo := 0; lo < len(urls); lo += store.SetSize {
		hi := min(lo+store.SetSize, len(urls))
		rows, err := b.tx.Query(ctx, olderFactsSQL, urls[lo:hi], seqs[lo:hi])
		if err != nil {
			return err
		}
		var u store.URLID
		if _, err = pgx.ForEachRow(rows, []any{&u}, func() error { f(u); return nil }); err != nil {
			return err
		}
	}
	return nil
}
