package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// SearchRole is the role that may read the index and add to stat, and nothing else. A
// migration makes it where it may; docs/schema.md says how it is made by hand.
const SearchRole = "pgseek_search"

// takeRoleSQL is SET ROLE with the name as a parameter; the third value is whether it ends with the transaction.
const takeRoleSQL = `SELECT /* store.Open */ set_config('role', $1, $2)`

// mayTakeRole reports whether sessions may act as a role: it is there, and theirs is a member of it. On servers from 16 on
// membership may come without that right, so it is tried.
func mayTakeRole(ctx context.Context, pool *pgxpool.Pool, role string) (bool, error) {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, takeRoleSQL, role, true)
		return err
	})
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "22023" || pg.Code == "42704" || pg.Code == "42501") { // no such role, no right
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("act as role %q: %w", role, err)
	}
	return true, nil
}

// underRole gives a pool like another one, which it closes, whose connections act as a role from their first statement to
// their end; and the pool itself and no role where that must not be. A connection that cannot act so is none: nothing
// ever runs with more rights than asked for.
func underRole(ctx context.Context, owner *pgxpool.Pool, role string) (*pgxpool.Pool, string, error) {
	if role == "" {
		return owner, "", nil
	}
	may, err := mayTakeRole(ctx, owner, role)
	if err == nil && !may {
		return owner, "", nil
	}
	defer owner.Close()
	if err != nil {
		return nil, "", err
	}
	cfg := owner.Config()
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, takeRoleSQL, role, false)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	return pool, role, err
}

// Role is the role as which all statements run: that of Options when the server lets us, else empty, which is the role that
// logged in. It keeps a mistake of ours from doing harm. Who wants a border that SQL from outside cannot pass lets the
// program log in as a member of that role who owns nothing.
func (s *DB) Role() string { return s.role }
