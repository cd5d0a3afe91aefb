package crawl

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Tagged is a URL with its tag.
type Tagged struct {
	ID  store.URLID
	Tag int
}

const retagSQL = `
	UPDATE /* store.Retag */ urlword w SET tag = i.tag
	FROM unnest($1::integer[], $2::integer[]) i (url_id, tag)
	WHERE w.url_id = i.url_id                                                   -- urlword_pkey`

// The merge compares this number with its own (totals.retags).
const countRetagSQL = `UPDATE /* store.Retag */ crawl_control SET retags = retags + 1`

// Retag stores the tags of some URLs. The next merge brings them to docdates, by which searches filter.
func (s *Store) Retag(ctx context.Context, list []Tagged) error {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Tagged) int { return int(a.ID - b.ID) })
	return s.InTx(ctx, "retag", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, retagSQL, column(list, func(t *Tagged) int32 { return int32(t.ID) }), column(list, func(t *Tagged) int32 { return int32(t.Tag) }))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, countRetagSQL)
		return err
	})
}

// TagsKnown reports whether all URLs have the tags of the configuration with this hash.
func (s *Store) TagsKnown(ctx context.Context, hash []byte) (known bool, err error) {
	err = s.InTx(ctx, "known tags", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT /* store.TagsKnown */ tag_hash IS NOT DISTINCT FROM $1 FROM crawl_control`, hash).Scan(&known)
	})
	return known, err
}

// SetTagsKnown records that they have. nil = they may not have.
func (s *Store) SetTagsKnown(ctx context.Context, hash []byte) error {
	return s.InTx(ctx, "set known tags", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE /* store.SetTagsKnown */ crawl_control SET tag_hash = $1`, hash)
		return err
	})
}

const isLiveSQL = `
	SELECT /* store.IsLive */ EXISTS (SELECT 1 FROM urlword WHERE url_id = $1 AND deleted = 0 AND status & 65535 = 200)   -- urlword_pkey`

// IsLive reports whether a normalized URL is a document.
func (s *Store) IsLive(ctx context.Context, url string) (live bool, err error) {
	id, err := s.FindURL(ctx, url)
	if err != nil || id == 0 {
		return false, err
	}
	err = s.Retry(ctx, "is live", func() error { return s.Pool.QueryRow(ctx, isLiveSQL, id).Scan(&live) })
	return live, err
}
