package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// database is one of the run's databases, with a configuration that names it.
type database struct {
	*bench
	name    string
	dsn     string
	conn    *pgx.Conn // nil while it is copied
	conf    string    // folder of sets.cnf and spider.cnf
	program string    // index, when it is not the run's
	sets    string    // its sets.cnf, when it is not the run's
}

// openDatabase creates a database, empty or as a copy of another one, whose connection it closes. memory is its
// MergeMemory, if not 0.
func (b *bench) openDatabase(ctx context.Context, name string, from *database, memory string) (d *database, err error) {
	dsn, err := url.Parse(b.cluster.DSN())
	if err != nil {
		return nil, err
	}
	dsn.Path = "/" + name
	d = &database{bench: b, name: name, dsn: dsn.String(), conf: filepath.Join(b.data, "conf-"+name)}
	template := "template0"
	if from != nil {
		template = from.name
	}
	create := "CREATE DATABASE " + pgx.Identifier{name}.Sanitize() + " TEMPLATE " + pgx.Identifier{template}.Sanitize()
	if _, err := b.conn.Exec(ctx, create); err != nil {
		return nil, err
	}
	if err := d.configure(memory); err != nil {
		return nil, err
	}
	return d, d.connect(ctx)
}

// configure writes the two files of the configuration: those of the run, plus the address of the database.
func (d *database) configure(memory string) error {
	if err := os.MkdirAll(d.conf, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"sets.cnf", "spider.cnf"} {
		content, err := os.ReadFile(filepath.Join(d.bench.conf, name))
		if err != nil {
			return err
		}
		if name == "sets.cnf" && d.sets != "" {
			content = []byte(d.sets)
		}
		if name == "spider.cnf" {
			content = append(content, "DBAddr "+d.dsn+"\n"...)
			if memory != "" {
				content = append(content, "MergeMemory "+memory+"\n"...)
			}
		}
		if err := os.WriteFile(filepath.Join(d.conf, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) connect(ctx context.Context) (err error) {
	d.conn, err = pgx.Connect(ctx, d.dsn)
	return err
}

// disconnect closes the connection, so that the database can be copied.
func (d *database) disconnect(ctx context.Context) {
	if d.conn != nil {
		_ = d.conn.Close(context.WithoutCancel(ctx))
		d.conn = nil
	}
}

// index runs index on the database.
func (d *database) index(ctx context.Context, args ...string) (usage, error) {
	step("%s: index %s", d.name, strings.Join(args, " "))
	return d.quietly(ctx, args...)
}

// quietly runs index without printing, for rounds.
func (d *database) quietly(ctx context.Context, args ...string) (usage, error) {
	log := filepath.Join(d.data, d.name+".log")
	program := d.program
	if program == "" {
		program = d.bench.index
	}
	return d.meter.child(ctx, log, nil, program, slices.Concat([]string{"--config", d.conf}, args)...)
}

// exec runs statements one after the other.
func (d *database) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := d.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%w: %s", err, sql)
		}
	}
	return nil
}

// waitIdle leaves neither dirty pages nor work for autovacuum to the next part.
func (d *database) waitIdle(ctx context.Context) error {
	return d.exec(ctx, `VACUUM ANALYZE`, `CHECKPOINT`)
}

// drop removes the database.
func (d *database) drop(ctx context.Context) error {
	d.disconnect(ctx)
	_, err := d.bench.conn.Exec(ctx, "DROP DATABASE "+pgx.Identifier{d.name}.Sanitize())
	return err
}

// indexSize returns the size of the inverted index on disk, with its indexes and TOAST, and its number of words.
func (d *database) indexSize(ctx context.Context) (bytes, words int64, err error) {
	err = d.conn.QueryRow(ctx, `
		SELECT pg_total_relation_size('wordurl') + pg_total_relation_size('wordurl1') + pg_total_relation_size('wordfile'),
			(SELECT count(*) FROM wordurl)`).Scan(&bytes, &words)
	return bytes, words, err
}
