package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// Levels of wordfile.
const (
	LevelBatch  = 0 // segments of single batches
	LevelUnited = 1 // merged segments
	LevelBase   = 2 // the base: everything older
)

// FileRow is a row of wordfile.
type FileRow struct {
	Word  store.WordID
	Level int16
	Seq   int64
	posting.Row
}

// Segment names the rows that one batch wrote for one word on one level.
type Segment struct {
	Word  store.WordID
	Level int16
	Seq   int64
}

// Newer is negative when segment r counts before segment q of the same word: it is on a lower level, or on
// the same level and newer.
func (r *Segment) Newer(q *Segment) int {
	return cmp.Or(cmp.Compare(r.Level, q.Level), cmp.Compare(q.Seq, r.Seq))
}

// SegmentStat is a segment and its bytes.
type SegmentStat struct {
	Segment
	Bytes int64
}

const runStatsSQL = `
	SELECT /* store.SegmentStats */ word_id, level, seq, sum(octet_length(urls))
	FROM wordfile                                                                -- wordfile_pkey; reads no TOAST
	WHERE word_id = ANY($1)
	GROUP BY word_id, level, seq`

// SegmentStats calls f for each segment of the words, in no order.
func (b *MergeBatch) SegmentStats(ctx context.Context, words []store.WordID, f func(SegmentStat)) error {
	for lo := 0; lo < len(words); lo += store.SetSize {
		rows, err := b.tx.Query(ctx, runStatsSQL, words[lo:min(lo+store.SetSize, len(words))])
		if err != nil {
			return err
		}
		var s SegmentStat
		_, err = pgx.ForEachRow(rows, []any{&s.Word, &s.Level, &s.Seq, &s.Bytes}, func() error { f(s); return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// Run returns the segment of the row.
func (r *FileRow) Run() Segment { return Segment{r.Word, r.Level, r.Seq} }

// dropRunsSQL does not remove rows that this batch has written itself.
const dropRunsSQL = `
	DELETE /* store.DropSegments */ FROM wordfile f                                  -- wordfile_pkey
	USING unnest($1::integer[], $2::smallint[], $3::bigint[]) AS i (word_id, level, seq)
	WHERE f.word_id = i.word_id AND (f.level < i.level OR f.level = i.level AND f.seq >= i.seq) AND f.seq < $4`

const takeRunsSQL = dropRunsSQL + `
	RETURNING f.word_id, f.level, f.seq, f.first_site, f.first_url, f.urls`

// TakeSegments removes segments of words, for each the newest down to the given one, and returns their rows: by
// word, the newest segment first, within a segment in the order of the postings. It keeps the rows that the
// batch has written itself.
func (b *MergeBatch) TakeSegments(ctx context.Context, oldest []Segment) ([]FileRow, error) {
	rows, err := b.tx.Query(ctx, takeRunsSQL, runColumns(oldest, b.Seq)...)
	if err != nil {
		return nil, err
	}
	var files []FileRow
	var r FileRow
	to := []any{&r.Word, &r.Level, &r.Seq, &r.FirstSite, &r.FirstURL, &r.Blob}
	if _, err := pgx.ForEachRow(rows, to, func() error { files = append(files, r); return nil }); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b FileRow) int {
		x, y := a.Run(), b.Run()
		return cmp.Or(cmp.Compare(a.Word, b.Word), x.Newer(&y), cmp.Compare(a.FirstSite, b.FirstSite), cmp.Compare(a.FirstURL, b.FirstURL))
	})
	b.Churned.Wordfile += int64(len(files))
	return files, nil
}

// DropSegments removes the rows that TakeSegments would return.
func (b *MergeBatch) DropSegments(ctx context.Context, oldest []Segment) error {
	if len(oldest) == 0 {
		return nil
	}
	done, err := b.tx.Exec(ctx, dropRunsSQL, runColumns(oldest, b.Seq)...)
	b.Churned.Wordfile += done.RowsAffected()
	return err
}

// runColumns returns the parameters of dropRunsSQL.
func runColumns(runs []Segment, before int64) []any {
	words, levels, seqs := make([]store.WordID, len(runs)), make([]int16, len(runs)), make([]int64, len(runs))
	for i, r := range runs {
		words[i], levels[i], seqs[i] = r.Word, r.Level, r.Seq
	}
	return []any{words, levels, seqs, before}
}

const runRowsSQL = `
	SELECT /* store.RunRows */ first_site, first_url, urls
	FROM wordfile                                                                -- wordfile_pkey
	WHERE word_id = $1 AND level = $2 AND seq = $3 AND (first_site, first_url) > ($4, $5)
	ORDER BY first_site, first_url
	LIMIT 4`

// Blobs returns a function that returns the blobs of a segment one by one, reading a few rows (at most 1 MiB)
// at a time: for words that are too large for memory.
func (b *MergeBatch) Blobs(ctx context.Context, r Segment) func() ([]byte, error) {
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

// InsertFiles inserts rows.
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
