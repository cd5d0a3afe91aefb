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

// Errors of Migrate about a schema that the program must not touch (exit code 2).
var (
	// ErrSchemaNewer reports that a newer program has migrated the database: this one would misread it.
	ErrSchemaNewer = errors.New("the schema of the database is newer than this program")
	// ErrSchemaOld reports that the database was made by the migrations that version 0.1 replaced. Nothing leads from them to ours.
	ErrSchemaOld = errors.New("the database was made before 0.1: drop it and crawl again")
	// ErrSchemaForeign reports that another program keeps its migrations in the database's goose_db_version.
	ErrSchemaForeign = errors.New("the database has the migrations of another program")
)

// errOldSchema is the refusal to migrate a standby, which gets the schema from its primary, or with KeepSchema.
var errOldSchema = &pgconn.PgError{Severity: "ERROR", Code: "25006", Message: "the schema is older than the program, which does not migrate it here"}

// migrateLock is the advisory lock of migrations: goose's own number, so that other users of goose see it too.
const migrateLock = 4097083626

// migrateLockPause is the time between two attempts to take the lock. We do not queue for it: a waiting statement holds a snapshot, and
// CREATE INDEX CONCURRENTLY in the other program would wait for us in turn.
const migrateLockPause = 50 * time.Millisecond

// Migrate brings the schema up to date. Each migration is a transaction of its own: a program that is killed leaves the database
// between two of them, and the next call continues. Programs that call it at once wait for each other. It costs two queries when
// there is nothing to do, and needs two connections otherwise. A schema that is newer than the program's, older than version 0.1
// or another program's is not changed: the error wraps ErrSchemaNewer, ErrSchemaOld or ErrSchemaForeign.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return migrateFS(ctx, pool, migrations.FS)
}

// checkSchema returns the error of Migrate about a schema that must not be touched, and errOldSchema for one that is not up to date.
func checkSchema(ctx context.Context, pool *pgxpool.Pool) error {
	oldest, err := migrations.Oldest(migrations.FS)
	if err != nil {
		return err
	}
	newest, err := migrations.Newest(migrations.FS)
	if err != nil {
		return err
	}
	done, err := upToDate(ctx, pool, oldest, newest)
	if err == nil && !done {
		err = errOldSchema
	}
	return err
}

func migrateFS(ctx context.Context, pool *pgxpool.Pool, files fs.FS) error {
	oldest, err := migrations.Oldest(files)
	if err != nil {
		return err
	}
	newest, err := migrations.Newest(files)
	if err != nil {
		return err
	}
	if done, err := upToDate(ctx, pool, oldest, newest); done || err != nil {
		return err
	}
	var standby bool
	if err := pool.QueryRow(ctx, standbySQL).Scan(&standby); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if standby {
		return fmt.Errorf("migrate: %w", errOldSchema)
	}
	return withMigrateLock(ctx, pool, func() error {
		// Another program may have migrated while we waited.
		if done, err := upToDate(ctx, pool, oldest, newest); done || err != nil {
			return err
		}
		db := stdlib.OpenDBFromPool(pool)
		defer db.Close() // returns its connections; the pool stays open
		applied, err := migrations.Up(ctx, db, files)
		if err != nil {
			return err
		}
		slog.InfoContext(ctx, "schema migrated", "migrations", applied, "version", newest)
		return nil
	})
}

// upToDate reports whether the schema has the version newest. It returns an error for a schema that a program whose migrations have
// the numbers oldest to newest must not touch.
func upToDate(ctx context.Context, pool *pgxpool.Pool, oldest, newest int64) (bool, error) {
	made, err := recordedMigrations(ctx, pool)
	switch {
	case err != nil:
		return false, fmt.Errorf("migrate: read the schema's version: %w", err)
	case made.first != 0 && made.first < oldest && made.ours:
		return false, fmt.Errorf("%w (its schema has version %d; those since 0.1 begin at %d)", ErrSchemaOld, made.last, oldest)
	case made.first != 0 && made.first < oldest:
		return false, fmt.Errorf("%w: goose_db_version has version %d, and there is no table urlword", ErrSchemaForeign, made.first)
	case made.last > newest:
		return false, fmt.Errorf("%w: version %d, the program knows versions up to %d", ErrSchemaNewer, made.last, newest)
	}
	return made.last == newest, nil
}

// recorded reads goose_db_version: the numbers of the first and the last migration, 0 without any, and whether the table that
// every schema of ours has had is there.
type recorded struct {
	first, last int64
	ours        bool
}

const schemaThereSQL = `
	SELECT /* store.recordedMigrations */ to_regclass('goose_db_version') IS NOT NULL, to_regclass('urlword') IS NOT NULL,
		current_schema() IS NULL`

// A row with version 0 is goose's own.
const recordedMigrationsSQL = `
	SELECT /* store.recordedMigrations */ coalesce(min(version_id) FILTER (WHERE version_id > 0), 0), coalesce(max(version_id), 0)
	FROM goose_db_version`

// errNoSchema is PostgreSQL's refusal to create a table, before goose runs into it in its own way.
var errNoSchema = &pgconn.PgError{Severity: "ERROR", Code: "3F000", Message: "search_path names no schema that exists"}

// recordedMigrations reads goose_db_version. A database without that table has no migrations; it is looked for first, since each
// failed query is an error in the server's log.
func recordedMigrations(ctx context.Context, pool *pgxpool.Pool) (made recorded, err error) {
	var there, homeless bool
	if err = pool.QueryRow(ctx, schemaThereSQL).Scan(&there, &made.ours, &homeless); err != nil {
		return made, err
	}
	switch {
	case homeless:
		return recorded{}, errNoSchema
	case !there:
		return recorded{}, nil
	}
	err = pool.QueryRow(ctx, recordedMigrationsSQL).Scan(&made.first, &made.last)
	return made, err
}

// DatabaseName returns the name of the database that a connection string names, NAME when it has none.
func DatabaseName(dsn string) string {
	if config, err := pgconn.ParseConfig(dsn); err == nil && config.Database != "" {
		return config.Database
	}
	return "NAME"
}

// DatabasePlace returns the database and its server for messages, never the password; empty when dsn cannot be parsed.
func DatabasePlace(dsn string) string {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return ""
	}
	return config.Database + " on " + ServerName(dsn)
}

const migrateLockSQL = `SELECT /* store.Migrate */ pg_try_advisory_lock($1)`

// withMigrateLock calls f while no other program migrates. The lock belongs to a connection that is closed afterwards, so that the pool
// never holds a connection with the lock.
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
			slog.InfoContext(ctx, "waiting for another program to migrate the schema")
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

// DownTo0 reverts every migration, the last one first, and leaves an empty database. All rows are lost. It serves tests and
// developers.
func DownTo0(ctx context.Context, pool *pgxpool.Pool) error {
	return withMigrateLock(ctx, pool, func() error {
		db := stdlib.OpenDBFromPool(pool)
		defer db.Close() // returns its connections; the pool stays open
		return migrations.DownTo0(ctx, db, migrations.FS)
	})
}
