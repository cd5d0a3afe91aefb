package crawl

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const redirectedBySQL = `
	WITH w AS MATERIALIZED (SELECT url_id, referrer FROM urlword WHERE url_id = $1)
	SELECT /* store.RedirectsBefore */ r.url_id
	FROM w JOIN urlword r ON r.url_id = w.referrer AND r.redir = w.url_id`

// RedirectsBefore counts the consecutive redirects through which a URL was found, up to a maximum. It follows
// the referrers row by row, because a recursive query would not run on a sharded server.
func (s *Store) RedirectsBefore(ctx context.Context, id store.URLID, most int) (n int, err error) {
	err = s.InTx(ctx, "redirects before", func(tx pgx.Tx) error {
		at := id
		for n = 0; n < most; n++ {
			err := tx.QueryRow(ctx, redirectedBySQL, at).Scan(&at)
			if errors.Is(err, pgx.ErrNoRows) || at == id {
				return nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// Hop is one URL of a path of referrers.
type Hop struct {
	ID     store.URLID
	URL    string
	Status store.Status
	Hops   int
}

const stepSQL = `SELECT /* store.Path */ url, status, hops, referrer FROM urlword WHERE url_id = $1`

// Path returns the path by which a URL was found: the URL first, a start URL last (-P).
func (s *Store) Path(ctx context.Context, id store.URLID) (path []Hop, err error) {
	err = s.InTx(ctx, "path", func(tx pgx.Tx) error {
		path, err = PathFrom(ctx, tx, id)
		return err
	})
	return path, err
}

// PathFrom follows the referrers row by row, as RedirectsBefore does.
func PathFrom(ctx context.Context, tx pgx.Tx, id store.URLID) (path []Hop, err error) {
	seen := make(map[store.URLID]bool)
	for at := id; at != 0 && !seen[at]; {
		seen[at] = true
		step := Hop{ID: at}
		err := tx.QueryRow(ctx, stepSQL, at).Scan(&step.URL, &step.Status, &step.Hops, &at)
		if errors.Is(err, pgx.ErrNoRows) {
			return path, nil
		}
		if err != nil {
			return nil, err
		}
		path = append(path, step)
	}
	return path, nil
}
