package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// StatusCount is a line of index -S.
type StatusCount struct {
	Status         int // extended status; of a lost document that of its loss
	Lost           bool
	Expired, Total int64
}

const statisticsSQL = `
	SELECT /* store.Statistics */
		CASE WHEN w.status < 65536 THEN w.status ELSE w.status >> 16 & 2047 END,
		w.status >= 65536,
		count(*) FILTER (WHERE w.next_index_time <= extract(epoch FROM now())),
		count(*)
	FROM urlword w
	WHERE w.deleted = 0 AND ` + limitsSQL + `
	GROUP BY 1, 2
	ORDER BY 1, 2`

// Statistics counts URLs by status, those that are due now and all, lost documents apart (-S).
func (s *Store) Statistics(ctx context.Context, l Limits) (lines []StatusCount, err error) {
	err = s.inTx(ctx, "statistics", func(tx pgx.Tx) error {
		if err := readAll(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, statisticsSQL, l.Statuses, l.Tags, l.URLs)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StatusCount])
		return err
	})
	return lines, err
}
