package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/pgseek/pgseek/migrations"
)

// theTemplate returns the name of the template database of our migrations, made once a server.
var theTemplate = sync.OnceValues(func() (string, error) {
	s, err := theServer()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	name, err := s.template(ctx, migrations.FS)
	if err != nil {
		return "", fmt.Errorf("storetest: make the template database: %w", err)
	}
	return name, nil
})

// templateLock keeps test binaries from making the same template at once. An advisory lock of the server's first
// database.
const templateLock = 0x7067736b74657374

// remainsSQL finds databases that tests which were killed left on a server named by PGSEEK_TEST_DSN, and templates of
// old schemas there. Their names carry the time they were made.
const remainsSQL = `
	SELECT /* storetest.remains */ datname
	FROM pg_database
	WHERE datname ~ '^pgseek_(test|template|making)_[0-9]+_'
		AND split_part(datname, '_', 3)::bigint < extract(epoch FROM now()) - 7 * 86400`

const findTemplateSQL = `
	SELECT /* storetest.template */ datname
	FROM pg_database
	WHERE datname ~ ('^pgseek_template_[0-9]+_' || $1 || '$')`

// template returns the database that files make, making it when it is missing. Its name appears when it is complete.
func (s server) template(ctx context.Context, files fs.FS) (name string, err error) {
	hash, err := hashOf(files)
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return "", err
	}
	err = conn.QueryRow(ctx, findTemplateSQL, hash).Scan(&name)
	if !errors.Is(err, pgx.ErrNoRows) {
		return name, err
	}
	if err := dropRemains(ctx, conn); err != nil {
		return "", err
	}
	now := time.Now().Unix()
	making := fmt.Sprintf("pgseek_making_%d_%s", now, hash)
	name = fmt.Sprintf("pgseek_template_%d_%s", now, hash)
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+quote(making)+" TEMPLATE template0 STRATEGY FILE_COPY"); err != nil {
		return "", err
	}
	err = migrate(ctx, withDatabase(s.dsn, making), files)
	if err != nil {
		_, dropErr := conn.Exec(ctx, "DROP DATABASE "+quote(making)+" WITH (FORCE)")
		return "", errors.Join(err, dropErr)
	}
	for _, sql := range []string{
		"ALTER DATABASE " + quote(making) + " WITH ALLOW_CONNECTIONS false", // a clone needs it unused
		"ALTER DATABASE " + quote(making) + " RENAME TO " + quote(name),
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return "", err
		}
	}
	return name, nil
}

func dropRemains(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, remainsSQL)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}

// migrate applies the migrations as store.Migrate does, whose package cannot be imported here.
func migrate(ctx context.Context, dsn string, files fs.FS) (err error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = migrations.Up(ctx, db, files)
	return err
}

// hashOf identifies a set of migrations by their names and contents.
func hashOf(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(content), content)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}
