package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const joinSpaceSQL = `
	INSERT /* store.JoinSpace */ INTO spaces (space_id, site_id)
	SELECT $1, i FROM unnest($2::integer[]) i
	ON CONFLICT DO NOTHING
	RETURNING site_id`

// JoinSpace adds sites to a web space and returns those that were not in it (index -A).
func (s *Store) JoinSpace(ctx context.Context, space int32, sites []store.SiteID) (joined []store.SiteID, err error) {
	err = s.InTx(ctx, "join space", func(tx pgx.Tx) (err error) {
		joined, err = store.Collect[store.SiteID](ctx, tx, joinSpaceSQL, space, sites)
		return err
	})
	return joined, err
}

const leaveSpaceSQL = `
	DELETE /* store.LeaveSpace */ FROM spaces
	WHERE space_id = $1 AND site_id = ANY($2)
	RETURNING site_id`

// LeaveSpace removes sites from a web space and returns those that were in it.
func (s *Store) LeaveSpace(ctx context.Context, space int32, sites []store.SiteID) (left []store.SiteID, err error) {
	err = s.InTx(ctx, "leave space", func(tx pgx.Tx) (err error) {
		left, err = store.Collect[store.SiteID](ctx, tx, leaveSpaceSQL, space, sites)
		return err
	})
	return left, err
}

// The foreign key to sites prevents such rows; a restore with the key disabled may have created them.
const mendSpacesSQL = `
	DELETE /* store.CheckSpaces */ FROM spaces p
	WHERE NOT EXISTS (SELECT 1 FROM sites s WHERE s.site_id = p.site_id)`

const countSpacesSQL = `
	SELECT /* store.CheckSpaces */ count(DISTINCT space_id), count(*) FROM spaces`

// CheckSpaces removes rows of sites that do not exist, and then counts the web spaces and the sites in them.
func (s *Store) CheckSpaces(ctx context.Context) (spaces, sites, removed int64, err error) {
	err = s.InTx(ctx, "check spaces", func(tx pgx.Tx) error {
		if err := store.ReadAll(ctx, tx); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, mendSpacesSQL)
		if err != nil {
			return err
		}
		removed = done.RowsAffected()
		return tx.QueryRow(ctx, countSpacesSQL).Scan(&spaces, &sites)
	})
	return spaces, sites, removed, err
}
