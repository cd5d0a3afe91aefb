package report

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// The tables of a dumped posting.
const (
	InWordurl  = "wordurl"
	InWordfile = "wordfile"
	InWordurl1 = "wordurl1"
)

// DumpRow is a stored row of a word, decoded.
type DumpRow struct {
	Table    string // InWordurl, InWordfile or InWordurl1
	Level    int    // of wordfile
	Seq      int64  // of wordfile
	Bytes    int    // of the blob
	Postings []posting.Entry
}

// WordDump is a word's row in wordurl.
type WordDump struct {
	Word                 string
	ID                   store.WordID
	URLCount, TotalCount int
}

const dumpWordSQL = `
	SELECT /* store.DumpWord */ word_id, urlcount, totalcount, urls
	FROM wordurl WHERE word = $1`

const dumpFilesSQL = `
	SELECT /* store.DumpWord */ level, seq, urls
	FROM wordfile WHERE word_id = $1
	ORDER BY level, seq DESC, first_site, first_url`

const dumpRealtimeSQL = `
	SELECT /* store.DumpWord */ urls FROM wordurl1 WHERE word_id = $1`

// DumpWord decodes every stored row of a word: it calls f with each row that has postings, newest first
// within wordfile, removals included (index --dump-word). found is false when the word is unknown. A damaged
// row is an error that wraps posting.ErrCorrupt.
func (s *Store) DumpWord(ctx context.Context, word string, f func(DumpRow) error) (w WordDump, found bool, err error) {
	w.Word = word
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly} // one state of the index
	err = pgx.BeginTxFunc(ctx, s.Pool, opts, func(tx pgx.Tx) error {
		var blob []byte
		err := tx.QueryRow(ctx, dumpWordSQL, word).Scan(&w.ID, &w.URLCount, &w.TotalCount, &blob)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		if err := dumpRow(DumpRow{Table: InWordurl}, blob, f); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, dumpFilesSQL, w.ID)
		if err != nil {
			return err
		}
		row := DumpRow{Table: InWordfile}
		_, err = pgx.ForEachRow(rows, []any{&row.Level, &row.Seq, &blob}, func() error { return dumpRow(row, blob, f) })
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, dumpRealtimeSQL, w.ID).Scan(&blob)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return dumpRow(DumpRow{Table: InWordurl1}, blob, f)
	})
	if err != nil {
		return w, found, fmt.Errorf("dump word %q: %w", word, err)
	}
	return w, found, nil
}

// dumpRow decodes a blob and passes it to f.
func dumpRow(row DumpRow, blob []byte, f func(DumpRow) error) error {
	if len(blob) == 0 {
		return nil
	}
	row.Bytes, row.Postings = len(blob), nil
	it := posting.NewIterator(blob)
	for it.Next() {
		row.Postings = append(row.Postings, posting.Entry{Site: it.Site(), URL: it.URL(), Positions: it.Positions(nil)})
	}
	if err := it.Err(); err != nil {
		return &store.Damaged{Table: string(row.Table), Err: fmt.Errorf("%s, level %d, seq %d: %w", row.Table, row.Level, row.Seq, err)}
	}
	return f(row)
}
