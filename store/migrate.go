package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/pgseek/pgseek/migrations"
)

// ErrSchemaNewer says that a newer program has migrated the database: this one would misread it (exit code 2,
// reliability.md F19).
var ErrSchemaNewer = errors.New("the database's schema is newer than this program")

// migrateLock is the advisory lock of migrations: goose's own number, so that other users of goose see it too.
const migrateLock = 4097083626

// migrateLockPause is the time between two looks at a lock that another program holds. We do not queue for it: a waiting
// statement holds a snapshot, and CREATE INDEX CONCURRENTLY in the other program would wait for us in turn.
const migrateLockPause = 50 * time.Millisecond

// Migrate brings the schema up to date. Each migration is a transaction of its own: killed anywhere, the database stands
// between two of them and the next call goes on. Programs that call it at once wait for each other. It costs one query
// when there is nothing to do, and needs two connections otherwise. A schema newer than the program's is left alone and
// the error wraps ErrSchemaNewer.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return migrateFS(ctx, pool, migrations.FS)
}

func migrateFS(ctx context.Context, pool *pgxpool.Pool, files fs.FS) error {
	newest, err := migrations.Newest(files)
	if err != nil {
		return err
	}
	if done, err := upToDate(ctx, pool, newest); done || err != nil {
		return err
	}
	return withMigrateLock(ctx, pool, func() error {
		// Another program may have done the work while we waited.
		if done, err := upToDate(ctx, pool, newest); done || err != nil {
			return err
		}
		db := stdlib.OpenDBFromPool(pool)
		defer db.Close() // gives its connections back, the pool stays open
		applied, err := migrations.Up(ctx, db, files)
		if err != nil {
			return err
		}
		slog.InfoContext(ctx, "schema migrated", "migrations", applied, "version", newest)
		return nil
	})
}

// upToDate reports whether the schema has the given version, and returns ErrSchemaNewer when it has a later one.
func upToDate(ctx context.Context, pool *pgxpool.Pool, newest int64) (bool, error) {
	version, err := schemaVersion(ctx, pool)
	if err != nil {
		return false, fmt.Errorf("migrate: read the schema's version: %w", err)
	}
	if version > newest {
		return false, fmt.Errorf("%w: version %d, and the program knows %d", ErrSchemaNewer, version, newest)
	}
	return version == newest, nil
}

const schemaVersionSQL = `
	SELECT /* store.schemaVersion */ coalesce(max(version_id), 0)
	FROM goose_db_version`

// schemaVersion returns the number of the last migration, 0 for a database without any.
func schemaVersion(ctx context.Context, pool *pgxpool.Pool) (version int64, err error) {
	err = pool.QueryRow(ctx, schemaVersionSQL).Scan(&version)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "42P01" { // no such table
		return 0, nil
	}
	return version, err
}

const migrateLockSQL = `SELECT /* store.Migrate */ pg_try_advisory_lock($1)`

// withMigrateLock calls f while no other program migrates. The lock belongs to a connection that is closed afterwards, so
// that it cannot stay behind in the pool.
func withMigrateLock(ctx context.Context, pool *pgxpool.Pool, f func() error) error {
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	conn := pooled.Hijack()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = conn.Close(ctx) // the server ends the session in any case
	}()
	for began, told := time.Now(), false; ; {
		var mine bool
		if err := conn.QueryRow(ctx, migrateLockSQL, migrateLock).Scan(&mine); err != nil {
			return fmt.Errorf("migrate: take the lock: %w", err)
		}
		if mine {
			break
		}
		if !told && time.Since(began) > 5*time.Second {
			slog.InfoContext(ctx, "waiting for another program that migrates the schema")
			told = true
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrate: wait for the lock: %w", ctx.Err())
		case <-time.After(migrateLockPause):
		}
	}
	return f()
}

// DownTo0 takes every migration back, the last one first, and leaves an empty database (AS-102). Everything in it is
// lost: it is there for tests and for emptying a development database.
func DownTo0(ctx context.Context, pool *pgxpool.Pool) error {
	return withMigrateLock(ctx, pool, func() error {
		db := stdlib.OpenDBFromPool(pool)
		defer db.Close() // gives its connections back, the pool stays open
		return migrations.DownTo0(ctx, db, migrations.FS)
	})
}
