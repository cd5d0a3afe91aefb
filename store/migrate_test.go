package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/migrations"
	"github.com/pgseek/pgseek/store/storetest"
	"golang.org/x/sync/errgroup"
)

// lines returns the first column of a query as text, one a row.
func lines(t *testing.T, pool *pgxpool.Pool, sql string) []string {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// objectsSQL lists the objects of a database with their comments and privileges: every relation, column, function, type, constraint,
// trigger, schema and extension.
const objectsSQL = `
	SELECT 'relation ' || c.relkind::text || ' ' || c.relname || ' ' || coalesce(obj_description(c.oid, 'pg_class'), '')
	FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
	UNION ALL
	SELECT 'column ' || c.relname || ' ' || a.attnum || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
		|| ' ' || a.attnotnull || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || ' ' || coalesce(col_description(c.oid, a.attnum), '')
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
	WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
	UNION ALL
	SELECT 'function ' || pg_get_functiondef(p.oid) || coalesce(obj_description(p.oid, 'pg_proc'), '')
	FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind <> 'a'
	UNION ALL
	SELECT 'type ' || t.typname FROM pg_type t WHERE t.typnamespace = 'public'::regnamespace
	UNION ALL
	SELECT 'constraint ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
	UNION ALL
	SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
	UNION ALL
	SELECT 'view ' || viewname || definition FROM pg_views WHERE schemaname = 'public'
	UNION ALL
	SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
	UNION ALL
	SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_toast%' AND nspname NOT LIKE 'pg\_temp%'
	UNION ALL
	SELECT 'extension ' || extname FROM pg_extension
	UNION ALL
	SELECT 'privileges of schema ' || nspname || ' ' || array_to_string(ARRAY(SELECT a::text FROM unnest(nspacl) a ORDER BY 1), ' ')
	FROM pg_namespace WHERE nspname NOT LIKE 'pg\_toast%' AND nspname NOT LIKE 'pg\_temp%'
	UNION ALL
	SELECT 'privileges of relation ' || relname || ' ' || array_to_string(ARRAY(SELECT a::text FROM unnest(relacl) a ORDER BY 1), ' ')
	FROM pg_class WHERE relnamespace = 'public'::regnamespace
	UNION ALL
	SELECT 'default privileges ' || defaclrole::regrole || ' ' || defaclacl::text FROM pg_default_acl
	ORDER BY 1`

func TestMigrationsUpDownUp(t *testing.T) {
	t.Parallel()
	pool := storetest.Connect(t, storetest.Empty(t))
	empty := lines(t, pool, objectsSQL)
	if err := Migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	full := lines(t, pool, objectsSQL)
	if len(full) < len(empty)+100 {
		t.Fatalf("the schema has %d objects", len(full))
	}
	if err := DownTo0(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(empty, lines(t, pool, objectsSQL)); diff != "" {
		t.Errorf("down to 0 left (+) or took (-):\n%s", diff)
	}
	if err := Migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full, lines(t, pool, objectsSQL)); diff != "" {
		t.Errorf("the second up differs from the first:\n%s", diff)
	}
}

// The template of the tests is made without Migrate: it must be the same schema.
func TestTestDatabaseIsAMigratedOne(t *testing.T) {
	t.Parallel()
	pool := storetest.Connect(t, storetest.Empty(t))
	if err := Migrate(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lines(t, pool, objectsSQL), lines(t, storetest.Pool(t), objectsSQL)); diff != "" {
		t.Errorf("storetest's database (+) differs from a migrated one (-):\n%s", diff)
	}
}

func TestProgramsThatMigrateAtOnce(t *testing.T) { // F19
	t.Parallel()
	dsn := storetest.Empty(t)
	var g errgroup.Group
	for range 5 {
		pool := storetest.Connect(t, dsn)
		g.Go(func() error { return Migrate(t.Context(), pool) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	want, err := migrations.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	got := lines(t, storetest.Connect(t, dsn), "SELECT version_id::text FROM goose_db_version WHERE version_id > 0")
	if len(got) != len(want) {
		t.Errorf("versions %q for %d files", got, len(want))
	}
}

func TestNewerSchemaIsRefused(t *testing.T) { // F19
	t.Parallel()
	pool := storetest.Pool(t)
	if _, err := pool.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	before := lines(t, pool, objectsSQL)
	err := Migrate(t.Context(), pool)
	if !errors.Is(err, ErrSchemaNewer) || !strings.Contains(err.Error(), "version 99999") {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff(before, lines(t, pool, objectsSQL)); diff != "" {
		t.Errorf("the newer schema was changed:\n%s", diff)
	}
}

// oldSchema makes a small database of the migrations that version 0.1 replaced: the table of versions with the rows up to a version, and
// a table that each of those versions has.
const oldSchema = `
	CREATE TABLE goose_db_version (
		id integer PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, version_id bigint NOT NULL, is_applied boolean NOT NULL,
		tstamp timestamp NOT NULL DEFAULT now());
	INSERT INTO goose_db_version (version_id, is_applied) SELECT n, true FROM generate_series(0, %d) n WHERE n NOT IN (15, 16, 23);
	CREATE TABLE urlword (url_id integer PRIMARY KEY, url text NOT NULL);
	INSERT INTO urlword VALUES (1, 'http://a/')`

// rowsSQL lists the rows of the tables of oldSchema.
const rowsSQL = `SELECT g::text FROM goose_db_version g UNION ALL SELECT u::text FROM urlword u ORDER BY 1`

// A database of the chain that version 0.1 replaced is refused whatever part of that chain was applied, and nothing in it changes.
func TestOldSchemaIsRefused(t *testing.T) {
	t.Parallel()
	for version := 1; version <= 29; version++ {
		if version == 15 || version == 16 || version == 23 {
			continue // the old chain had no such files
		}
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			pool := storetest.Connect(t, storetest.Empty(t))
			if _, err := pool.Exec(t.Context(), fmt.Sprintf(oldSchema, version)); err != nil {
				t.Fatal(err)
			}
			before := append(lines(t, pool, objectsSQL), lines(t, pool, rowsSQL)...)
			if err := Migrate(t.Context(), pool); !errors.Is(err, ErrSchemaOld) || !strings.Contains(err.Error(), "made before 0.1: drop it and crawl again") {
				t.Errorf("error is %v", err)
			}
			if diff := cmp.Diff(before, append(lines(t, pool, objectsSQL), lines(t, pool, rowsSQL)...)); diff != "" {
				t.Errorf("the old database was changed:\n%s", diff)
			}
		})
	}
}

// A database whose migrations are another program's is refused as well, without the advice to drop it.
func TestForeignSchemaIsRefused(t *testing.T) {
	t.Parallel()
	pool := storetest.Connect(t, storetest.Empty(t))
	if _, err := pool.Exec(t.Context(), fmt.Sprintf(oldSchema, 3)+`; DROP TABLE urlword`); err != nil {
		t.Fatal(err)
	}
	before := lines(t, pool, objectsSQL)
	if err := Migrate(t.Context(), pool); !errors.Is(err, ErrSchemaForeign) || strings.Contains(err.Error(), "drop") {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff(before, lines(t, pool, objectsSQL)); diff != "" {
		t.Errorf("the foreign database was changed:\n%s", diff)
	}
}

// The numbers of the old chain must never be used again: an old database is recognized by them.
func TestNumbersOfTheOldChainAreNotUsed(t *testing.T) {
	oldest, err := migrations.Oldest(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if oldest != 101 {
		t.Errorf("the lowest number is %d, want 101", oldest)
	}
}

// queryCounter counts the statements of a pool, and those that failed.
type queryCounter struct{ n, failed atomic.Int64 }

func (c *queryCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (c *queryCounter) TraceQueryEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	if q.Err != nil {
		c.failed.Add(1)
	}
}

// A migrated database costs two queries. No query fails on an empty one, which the server's log would show as an error.
func TestQueriesOfMigrate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dsn     string
		queries int64 // at most
	}{{storetest.New(t), 2}, {storetest.Empty(t), 2000}} {
		cfg, err := pgxpool.ParseConfig(c.dsn)
		if err != nil {
			t.Fatal(err)
		}
		count := &queryCounter{}
		cfg.ConnConfig.Tracer = count
		pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		if err := Migrate(t.Context(), pool); err != nil {
			t.Fatal(err)
		}
		if n, failed := count.n.Load(), count.failed.Load(); n > c.queries || failed > 0 {
			t.Errorf("%d queries, %d of them failed", n, failed)
		}
	}
}

// A program that waits for the lock ends when its context is canceled, and the lock is free once its holder
// is gone.
func TestWaitForMigrateLockCanBeCancelled(t *testing.T) {
	t.Parallel()
	pool := storetest.Connect(t, storetest.Empty(t))
	ctx, cancel := context.WithCancel(t.Context())
	err := withMigrateLock(t.Context(), pool, func() error {
		time.AfterFunc(2*migrateLockPause, cancel)
		return Migrate(ctx, pool)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if err := Migrate(t.Context(), pool); err != nil {
		t.Error(err)
	}
}

// slowMigrations are two migrations of which the second, half done, waits for longer than any test.
func slowMigrations(second string) fstest.MapFS {
	return fstest.MapFS{
		"00001_whole.sql": {Data: []byte("-- +goose Up\nCREATE TABLE whole (n integer);\n-- +goose Down\nDROP TABLE whole;\n")},
		"00002_half.sql":  {Data: []byte("-- +goose Up\nCREATE TABLE half (n integer);\n" + second + "\n-- +goose Down\nDROP TABLE half;\n")},
	}
}

// migrateVariable makes TestKilledMigrationLeavesNoHalf, run in another process, migrate the database that it names.
const migrateVariable = "PGSEEK_STORE_MIGRATE"

func TestKilledMigrationLeavesNoHalf(t *testing.T) { // F19
	if dsn := os.Getenv(migrateVariable); dsn != "" {
		t.Error("the migration ended: ", migrateFS(t.Context(), storetest.Connect(t, dsn), slowMigrations("SELECT pg_sleep(3600);")))
		return
	}
	t.Parallel()
	dsn := storetest.Empty(t)
	pool := storetest.Connect(t, dsn)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledMigrationLeavesNoHalf$")
	child.Env = append(os.Environ(), migrateVariable+"="+dsn)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var asleep []string
	for len(asleep) == 0 {
		asleep = lines(t, pool, "SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg\\_sleep(3600)%' AND pid <> pg_backend_pid()")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	pid, err := strconv.Atoi(asleep[0])
	if err != nil {
		t.Fatal(err)
	}
	// The embedded server notices by itself that its client is gone. On another server the call ends the
	// backend and waits for that.
	if _, err := pool.Exec(t.Context(), "SELECT pg_terminate_backend($1, 60000)", pid); err != nil {
		t.Fatal(err)
	}
	const tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
	if diff := cmp.Diff([]string{"goose_db_version", "whole"}, lines(t, pool, tables)); diff != "" {
		t.Errorf("tables after the kill:\n%s", diff)
	}
	if err := migrateFS(t.Context(), pool, slowMigrations("")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"goose_db_version", "half", "whole"}, lines(t, pool, tables)); diff != "" {
		t.Errorf("tables after going on:\n%s", diff)
	}
}
