// Package migrations contains the schema as numbered SQL files and applies them, so that the programs and the tests
// create the same tables. The files are in goose's format: `goose up` on an empty database works, too.
//
// The files 101 to 110 create the schema of version 0.1, one subject a file. Their numbers begin at 101 because the
// numbers 1 to 29 belong to schemas from before 0.1, which the programs refuse (store.ErrSchemaOld). From 0.1 on files
// are only added, each with a higher number than all others: a released file never changes. The head of an added file
// states which tables it locks and for how long, and whether documents must be indexed again.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pressly/goose/v3"
)

// FS contains the SQL files, by name.
//
//go:embed *.sql
var FS embed.FS

// Newest returns the highest number among the SQL files, the version of the schema that they create.
func Newest(files fs.FS) (int64, error) {
	numbers, err := numbersOf(files)
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	return slices.Max(numbers), nil
}

// Oldest returns the lowest number among the SQL files. A database in which a lower one is recorded was created by
// another chain of files.
func Oldest(files fs.FS) (int64, error) {
	numbers, err := numbersOf(files)
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	return slices.Min(numbers), nil
}

// numbersOf returns the numbers of the SQL files.
func numbersOf(files fs.FS) (numbers []int64, err error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	for _, name := range names {
		number, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("number of migration %s: %w", name, err)
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// Up applies the files that the database does not have yet, in order, each in a transaction of its own together with
// its row in goose_db_version. It returns the number of applied files. The caller ensures that no other program
// migrates.
func Up(ctx context.Context, db *sql.DB, files fs.FS) (applied int, err error) {
	p, err := provider(db, files)
	if err != nil {
		return 0, err
	}
	results, err := p.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate up: %w", err)
	}
	if _, err := db.ExecContext(ctx, commentSQL); err != nil {
		return 0, fmt.Errorf("migrate up: describe the table of versions: %w", err)
	}
	return len(results), nil
}

// DownTo0 reverts all applied files, the last one first, and removes the table of goose. An empty database remains.
// The caller ensures that no other program migrates.
func DownTo0(ctx context.Context, db *sql.DB, files fs.FS) error {
	p, err := provider(db, files)
	if err != nil {
		return err
	}
	if _, err := p.DownTo(ctx, 0); err != nil {
		return fmt.Errorf("migrate down: %w", err)
	}
	if _, err := db.ExecContext(ctx, dropSQL); err != nil {
		return fmt.Errorf("migrate down: remove the table of versions: %w", err)
	}
	return nil
}

func provider(db *sql.DB, files fs.FS) (*goose.Provider, error) {
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return p, nil
}

// commentSQL describes the table that goose creates itself.
const commentSQL = `
	COMMENT ON TABLE goose_db_version IS
		'The migrations that made this schema, one row each and a row 0. Written when a program meets an older schema.';
	COMMENT ON COLUMN goose_db_version.id IS 'Key, in the order in which they were applied.';
	COMMENT ON COLUMN goose_db_version.version_id IS 'Number of the migration.';
	COMMENT ON COLUMN goose_db_version.is_applied IS 'Always true.';
	COMMENT ON COLUMN goose_db_version.tstamp IS 'When it was applied.'`

const dropSQL = `DROP TABLE /* migrations.DownTo0 */ IF EXISTS goose_db_version`
