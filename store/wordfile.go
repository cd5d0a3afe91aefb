package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store/posting"
)

// Levels of wordfile (D-4).
const (
	LevelBatch  = 0 // what a batch brought
	LevelUnited = 1 // batches united
	LevelBase   = 2 // all that is older
)

// FileRow is a row of wordfile.
type FileRow struct {
	Word  WordID
	Level int16
	Seq   int64
	posting.Row
}

// LevelStat says what a word has on a level: how many batches (or unions) wrote there and how many bytes stand there.
type LevelStat struct {
	Word  WordID
	Level int16
	Runs  int
	Bytes int64
}

const levelStatsSQL = `
	SELECT /* store.LevelStats */ word_id, level, count(DISTINCT seq), sum(octet_length(urls))
	FROM wordfile                                                                -- wordfile_pkey; reads no TOAST
	WHERE word_id = ANY($1)
	GROUP BY word_id, level`

const anyFilesSQL = `SELECT /* store.LevelStats */ EXISTS (SELECT FROM wordfile)`

// LevelStats calls f for each level that one of the words has rows on.
func (b *MergeBatch) LevelStats(ctx context.Context, words []WordID, f func(LevelStat)) error {
	var some bool
	if err := b.tx.QueryRow(ctx, anyFilesSQL).Scan(&some); err != nil || !some {
		return err
	}
	for lo := 0; lo < len(words); lo += setSize {
		rows, err := b.tx.Query(ctx, levelStatsSQL, words[lo:min(lo+setSize, len(words))])
		if err != nil {
			return err
		}
		var s LevelStat
		_, err = pgx.ForEachRow(rows, []any{&s.Word, &s.Level, &s.Runs, &s.Bytes}, func() error { f(s); return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

const fileRowsSQL = `
	SELECT /* store.FileRows */ word_id, level, seq, first_site, first_url, urls
	FROM wordfile                                                                -- wordfile_pkey
	WHERE word_id = ANY($1) AND level <= $2
	ORDER BY word_id, level, seq DESC, first_site, first_url`

// FileRows calls f with the rows of words up to a level, by word, the newest run first, within a run in the order of the
// postings. The blob is f's to keep.
func (b *MergeBatch) FileRows(ctx context.Context, words []WordID, level int, f func(FileRow)) error {
	rows, err := b.tx.Query(ctx, fileRowsSQL, words, level)
	if err != nil {
		return err
	}
	var r FileRow
	to := []any{&r.Word, &r.Level, &r.Seq, &r.FirstSite, &r.FirstURL, &r.Blob}
	_, err = pgx.ForEachRow(rows, to, func() error { f(r); return nil })
	return err
}

const runsSQL = `
	SELECT /* store.Runs */ DISTINCT level, seq
	FROM wordfile
	WHERE word_id = $1 AND level <= $2
	ORDER BY level, seq DESC`

const runRowsSQL = `
	SELECT /* store.RunRows */ first_site, first_url, urls
	FROM wordfile                                                                -- wordfile_pkey
	WHERE word_id = $1 AND level = $2 AND seq = $3 AND (first_site, first_url) > ($4, $5)
	ORDER BY first_site, first_url
	LIMIT 4`

// Run is what one batch wrote of a word on a level: rows that follow each other.
type Run struct {
	Word  WordID
	Level int16
	Seq   int64
}

// Runs returns the runs of a word up to a level, newest first.
func (b *MergeBatch) Runs(ctx context.Context, word WordID, level int) ([]Run, error) {
	rows, err := b.tx.Query(ctx, runsSQL, word, level)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Run, error) {
		r := Run{Word: word}
		return r, row.Scan(&r.Level, &r.Seq)
	})
}

// Blobs returns a function that hands out the blobs of a run one by one, reading a few rows (at most 1 MiB) at a time:
// for words too large to be held.
func (b *MergeBatch) Blobs(ctx context.Context, r Run) func() ([]byte, error) {
	var site, url int32
	var blobs [][]byte
	return func() ([]byte, error) {
		if len(blobs) == 0 {
			rows, err := b.tx.Query(ctx, runRowsSQL, r.Word, r.Level, r.Seq, site, url)
			if err != nil {
				return nil, err
			}
			var blob []byte
			_, err = pgx.ForEachRow(rows, []any{&site, &url, &blob}, func() error {
				blobs = append(blobs, blob)
				blob = nil
				return nil
			})
			if err != nil || len(blobs) == 0 {
				return nil, err
			}
		}
		blob := blobs[0]
		blobs = blobs[1:]
		return blob, nil
	}
}

const copyFilesSQL = `
	COPY wordfile (word_id, level, first_site, first_url, seq, urlcount, totalcount, urls)
	FROM STDIN (FORMAT binary) /* store.InsertFiles */`

// InsertFiles adds rows.
func (b *MergeBatch) InsertFiles(ctx context.Context, files []FileRow) error {
	if len(files) == 0 {
		return nil
	}
	return copyRows(ctx, b.tx, copyFilesSQL, 8, len(files), func(buf []byte, i int) []byte {
		f := &files[i]
		buf = appendInt16Field(appendInt32Field(buf, int32(f.Word)), f.Level)
		buf = appendInt32Field(appendInt32Field(buf, f.FirstSite), f.FirstURL)
		buf = appendInt32Field(appendInt64Field(buf, f.Seq), int32(f.URLs))
		return appendField(appendInt32Field(buf, int32(f.Total)), f.Blob)
	})
}

const deleteFilesSQL = `
	DELETE /* store.DeleteFiles */ FROM wordfile
	WHERE word_id = ANY($1) AND level <= $2 AND seq < $3`

// DeleteFiles removes the rows of words up to a level, except those that this batch has written.
func (b *MergeBatch) DeleteFiles(ctx context.Context, words []WordID, level int) error {
	if len(words) == 0 {
		return nil
	}
	done, err := b.tx.Exec(ctx, deleteFilesSQL, words, level, b.Seq)
	b.Churned.Wordfile += done.RowsAffected()
	return err
}
