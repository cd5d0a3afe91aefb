package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// SearchRole is the role that may read the index and insert into stat, and nothing else. A migration creates
// it when it may; docs/schema.md says how to create it by hand.
const SearchRole = "pgseek_search"

// AdminRole is the role that may do what /admin does, and nothing else. It is made like SearchRole.
const AdminRole = "pgseek_admin"

// takeRoleSQL is SET ROLE with the name as a parameter; $2 says whether it ends with the transaction.
const takeRoleSQL = `SELECT /* store.Open */ set_config('role', $1, $2)`

// mayTakeRole reports whether sessions may act as a role: it exists, and the login role is a member of it.
// From PostgreSQL 16 on, membership does not always include that right, so it is tried.
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

// underRole returns a pool with the configuration of owner, which it closes. The connections of the new pool
// act as a role from their first statement to their end. Where the role may not be taken, it returns owner
// itself and no role. A connection that cannot take the role fails: nothing ever runs with more rights than
// requested.
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
	prepare := cfg.AfterConnect
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := prepare(ctx, conn); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, takeRoleSQL, role, false)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	return pool, role, err
}

// Role returns the role with which all statements run: that of Options when the server allows it, otherwise
// empty, which means the login role. It limits the damage of our own mistakes. As a boundary against injected
// SQL, let the program log in as a member of that role that owns nothing.
func (s *DB) Role() string { return s.role }
