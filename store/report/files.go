package report

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store/crawl"
)

const leftOutFilesSQL = `
	SELECT /* store.LeftOutFiles */ h.result, count(*)
	FROM urlword w                                                  -- urlword_withdrawn
	CROSS JOIN LATERAL (SELECT result FROM crawl_history WHERE url_id = w.url_id ORDER BY at DESC, slot DESC LIMIT 1) h
	WHERE w.site_id = (SELECT site_id FROM sites WHERE site = 'file:///') AND w.deleted = 1 AND h.result IN (908, 909) AND ` + crawl.LimitsSQL + `
	GROUP BY 1`

// LeftOutFiles counts the files and directories that are left out because others may not read them (908), or because they are no files
// of a FileRoot (909).
func (s *Store) LeftOutFiles(ctx context.Context, l crawl.Limits) (numbers map[int]int64, err error) {
	err = s.InTx(ctx, "files that are left out", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, leftOutFilesSQL, l.Statuses, l.Tags, l.URLs)
		if err != nil {
			return err
		}
		numbers = make(map[int]int64)
		var status int
		var n int64
		_, err = pgx.ForEachRow(rows, []any{&status, &n}, func() error {
			numbers[status] = n
			return nil
		})
		return err
	})
	return numbers, err
}
