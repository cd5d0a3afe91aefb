package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// ErrDiffers says that a copy is not like its original.
var ErrDiffers = errors.New("the copy differs from the original")

const (
	comparedSettingsSQL = `SET /* embedded.comparedSettings */ timezone = 'UTC'`

	// relationsSQL lists what is in a database, but for what extensions bring along.
	relationsSQL = `
		WITH own AS (
			SELECT c.oid, c.relkind, format('%I.%I', n.nspname, c.relname) AS name, i.indisvalid AS valid
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
			WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
			  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
		)
		SELECT /* embedded.relations */ relkind::text, name, coalesce(valid, true) FROM own
		UNION ALL
		SELECT 'function', format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), true
		FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
		  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
		UNION ALL
		SELECT 'trigger', format('%s on %s', t.tgname, own.name), true FROM pg_trigger t JOIN own ON own.oid = t.tgrelid WHERE NOT t.tgisinternal
		UNION ALL
		SELECT 'role', rolname, true FROM pg_roles WHERE rolname !~ '^pg_'
		ORDER BY 1, 2`

	// The sum does not depend on the order of the rows.
	tableDigest    = `count(*), coalesce(sum(('x' || left(md5(x::text), 15))::bit(60)::bigint), 0)::text`
	sequenceDigest = `0::bigint, concat_ws(' ', last_value, is_called)`
)

// digestSQL reads a whole table or a sequence.
func digestSQL(r relation) string {
	columns := tableDigest
	if r.Kind == "S" {
		columns = sequenceDigest
	}
	return "SELECT /* embedded.digest */ " + columns + " FROM " + r.Name + " x"
}

// relation is a table, an index, a function or another object.
type relation struct {
	Kind, Name string
	Valid      bool
}

// digest is what a table contains.
type digest struct {
	Rows int64
	Sum  string
}

// compareClusters compares the databases of two servers: their objects, and the contents of all tables. An error wraps ErrDiffers.
func compareClusters(ctx context.Context, c, n *Cluster) (tables int, rows int64, err error) {
	var lists [2][]string
	for i, cluster := range []*Cluster{c, n} {
		err := cluster.with(ctx, "postgres", func(conn *pgx.Conn) (err error) {
			lists[i], err = texts(ctx, conn, databasesSQL)
			return err
		})
		if err != nil {
			return 0, 0, err
		}
	}
	if !slices.Equal(lists[0], lists[1]) {
		return 0, 0, fmt.Errorf("%w: databases %q and %q", ErrDiffers, lists[0], lists[1])
	}
	for _, database := range lists[0] {
		err := c.with(ctx, database, func(old *pgx.Conn) error {
			return n.with(ctx, database, func(fresh *pgx.Conn) error {
				t, r, err := compareDatabase(ctx, old, fresh)
				tables, rows = tables+t, rows+r
				return err
			})
		})
		if err != nil {
			return 0, 0, fmt.Errorf("compare database %s: %w", database, err)
		}
	}
	return tables, rows, nil
}

func compareDatabase(ctx context.Context, old, fresh *pgx.Conn) (tables int, rows int64, err error) {
	list, err := relations(ctx, old)
	if err != nil {
		return 0, 0, err
	}
	copied, err := relations(ctx, fresh)
	if err != nil {
		return 0, 0, err
	}
	for _, r := range list {
		if !slices.Contains(copied, r) {
			return 0, 0, fmt.Errorf("%w: %s %s is not there", ErrDiffers, r.Kind, r.Name)
		}
	}
	for _, r := range copied {
		if !slices.Contains(list, r) {
			return 0, 0, fmt.Errorf("%w: %s %s is new", ErrDiffers, r.Kind, r.Name)
		}
	}
	for _, r := range list {
		switch r.Kind {
		case "r", "m": // tables and materialized views; those with partitions are read by their parts
			tables++
		case "S":
		default:
			continue
		}
		a, b, err := bothDigests(ctx, old, fresh, digestSQL(r))
		if err != nil {
			return 0, 0, err
		}
		if a != b {
			return 0, 0, fmt.Errorf("%w: %s has %d rows (%s), its copy %d (%s)", ErrDiffers, r.Name, a.Rows, a.Sum, b.Rows, b.Sum)
		}
		rows += a.Rows
	}
	return tables, rows, nil
}

func relations(ctx context.Context, conn *pgx.Conn) ([]relation, error) {
	if _, err := conn.Exec(ctx, comparedSettingsSQL); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, relationsSQL)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
}

// bothDigests asks both servers at the same time.
func bothDigests(ctx context.Context, old, fresh *pgx.Conn, sql string) (a, b digest, err error) {
	done := make(chan error, 1)
	go func() { done <- fresh.QueryRow(ctx, sql).Scan(&b.Rows, &b.Sum) }()
	err = old.QueryRow(ctx, sql).Scan(&a.Rows, &a.Sum)
	return a, b, errors.Join(err, <-done)
}
