package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const fileMountsSQL = `SELECT /* store.FileMounts */ path FROM file_mount ORDER BY path`

// FileMounts returns the mount points below which files were found.
func (s *Store) FileMounts(ctx context.Context) (list []string, err error) {
	err = s.InTx(ctx, "file mounts", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, fileMountsSQL)
		if err != nil {
			return err
		}
		paths, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		list = nil
		for _, p := range paths {
			list = append(list, string(p))
		}
		return err
	})
	return list, err
}

const addFileMountSQL = `
	INSERT /* store.AddFileMounts */ INTO file_mount (path) SELECT unnest($1::bytea[])
	ON CONFLICT (path) DO NOTHING`

// AddFileMounts remembers mount points.
func (s *Store) AddFileMounts(ctx context.Context, list []string) error {
	paths := make([][]byte, len(list))
	for i, p := range list {
		paths[i] = []byte(p)
	}
	return s.InTx(ctx, "add file mounts", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, addFileMountSQL, paths)
		return err
	})
}

const forgetFileMountsSQL = `DELETE /* store.ForgetFileMounts */ FROM file_mount`

// ForgetFileMounts forgets all mount points, and returns how many there were.
func (s *Store) ForgetFileMounts(ctx context.Context) (n int64, err error) {
	err = s.InTx(ctx, "forget file mounts", func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, forgetFileMountsSQL)
		n = done.RowsAffected()
		return err
	})
	return n, err
}

const hasLiveFilesSQL = `
	SELECT /* store.HasLiveFiles */ EXISTS (
		SELECT 1 FROM urlword                                          -- urlword_due
		WHERE site_id = (SELECT site_id FROM sites WHERE site = 'file:///') AND starts_with(url, $1) AND deleted = 0 AND (status & 65535) = 200)`

// HasLiveFiles reports whether there are live documents that are files and whose URLs begin with a prefix.
func (s *Store) HasLiveFiles(ctx context.Context, prefix string) (live bool, err error) {
	err = s.InTx(ctx, "live documents below", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, hasLiveFilesSQL, prefix).Scan(&live)
	})
	return live, err
}
