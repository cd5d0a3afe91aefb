package report

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const dumpMarksSQL = `SELECT /* store.DumpMarks */ url_id FROM markdel ORDER BY url_id -- markdel_pkey`

// DumpMarks calls f with each document of the delete set, ascending (index --dump-markdel).
func (s *Store) DumpMarks(ctx context.Context, f func(store.URLID) error) error {
	rows, err := s.Pool.Query(ctx, dumpMarksSQL)
	if err != nil {
		return err
	}
	var u store.URLID
	_, err = pgx.ForEachRow(rows, []any{&u}, func() error { return f(u) })
	return err
}
