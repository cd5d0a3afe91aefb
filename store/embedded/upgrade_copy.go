package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copyAll copies roles and databases from the server of c to that of n. No file is written between them: pg_restore reads what
// pg_dump writes.
func (c *Cluster) copyAll(ctx context.Context, n *Cluster, p upgradePlan) error {
	if err := c.copyRoles(ctx, n, p.tools); err != nil {
		return err
	}
	atStep("roles")
	var without []string
	if same, err := sameCompression(ctx, c, n); err != nil {
		return err
	} else if !same {
		without = []string{"--no-toast-compression"}
	}
	for _, database := range p.databases {
		slog.InfoContext(ctx, "copying", "database", database)
		if err := c.copyDatabase(ctx, n, p.tools, database, without); err != nil {
			return fmt.Errorf("copy database %s to PostgreSQL %d: %w", database, n.major, err)
		}
		if err := n.exec(ctx, database, analyzeSQL); err != nil {
			return fmt.Errorf("collect the statistics of database %s: %w", database, err)
		}
	}
	return n.exec(ctx, "postgres", checkpointSQL)
}

const (
	analyzeSQL    = `ANALYZE /* embedded.analyze */`
	checkpointSQL = `CHECKPOINT /* embedded.checkpoint */` // what was written without waiting for the disk is on it afterwards

	compressionSQL = `
		SELECT /* embedded.compression */ unnest(enumvals) FROM pg_settings WHERE name = 'default_toast_compression' ORDER BY 1`
)

// sameCompression reports whether the new server has the methods of compression that columns may name.
func sameCompression(ctx context.Context, c, n *Cluster) (bool, error) {
	var lists [2][]string
	for i, cluster := range []*Cluster{c, n} {
		err := cluster.with(ctx, "postgres", func(conn *pgx.Conn) (err error) {
			lists[i], err = texts(ctx, conn, compressionSQL)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return !slices.ContainsFunc(lists[0], func(method string) bool { return !slices.Contains(lists[1], method) }), nil
}

// with connects to a database of the cluster's server.
func (c *Cluster) with(ctx context.Context, database string, f func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, c.dsn(database))
	if err != nil {
		return err
	}
	return errors.Join(f(conn), conn.Close(context.WithoutCancel(ctx)))
}

func (c *Cluster) exec(ctx context.Context, database, sql string) error {
	return c.with(ctx, database, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

// copyRoles copies the roles with their passwords, settings and memberships. The first role is there: initdb has made it.
func (c *Cluster) copyRoles(ctx context.Context, n *Cluster, tools string) error {
	dump := c.account.command(ctx, filepath.Join(tools, "pg_dumpall"), "--roles-only", "--dbname="+c.dsn("postgres"))
	var roles, said bytes.Buffer
	dump.Stdout, dump.Stderr = &roles, &said
	if err := dump.Run(); err != nil {
		return fmt.Errorf("copy the roles: pg_dumpall: %w: %s", err, lastLines(said.String()))
	}
	lines := slices.DeleteFunc(strings.Split(roles.String(), "\n"), func(line string) bool { return line == "CREATE ROLE "+roleName+";" })
	load := c.account.command(ctx, filepath.Join(tools, "psql"), "-X", "--quiet", "--set=ON_ERROR_STOP=1", "--dbname="+n.dsn("postgres"))
	said.Reset()
	load.Stdin, load.Stderr = strings.NewReader(strings.Join(lines, "\n")), &said
	if err := load.Run(); err != nil {
		return fmt.Errorf("copy the roles: psql: %w: %s", err, lastLines(said.String()))
	}
	return nil
}

// copyDatabase copies one database with its settings and privileges. Database postgres is in every cluster.
func (c *Cluster) copyDatabase(ctx context.Context, n *Cluster, tools, database string, without []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	restoreArgs := []string{"--exit-on-error", "--dbname=" + n.dsn("postgres")}
	if database != "postgres" {
		restoreArgs = append(restoreArgs, "--create")
	}
	dump := c.account.command(ctx, filepath.Join(tools, "pg_dump"),
		append([]string{"--format=custom", "--compress=0", "--dbname=" + c.dsn(database)}, without...)...)
	load := c.account.command(ctx, filepath.Join(tools, "pg_restore"), restoreArgs...)
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	var dumpSaid, loadSaid bytes.Buffer
	dump.Stdout, dump.Stderr = w, &dumpSaid
	load.Stdin, load.Stdout, load.Stderr = r, io.Discard, &loadSaid
	errDump, errLoad := start2(dump, load, r, w)
	if errDump == nil && errLoad == nil {
		// pg_restore fails first when both do: pg_dump then writes into a closed pipe.
		errLoad = load.Wait()
		if errLoad != nil {
			cancel()
		}
		errDump = dump.Wait()
	}
	switch {
	case errLoad != nil && loadSaid.Len() > 0:
		return fmt.Errorf("pg_restore: %w: %s", errLoad, lastLines(loadSaid.String()))
	case errDump != nil:
		return fmt.Errorf("pg_dump: %w: %s", errDump, lastLines(dumpSaid.String()))
	case errLoad != nil:
		return fmt.Errorf("pg_restore: %w", errLoad)
	}
	return nil
}

// start2 starts two programs and closes our ends of the pipe between them.
func start2(dump, load *exec.Cmd, r, w *os.File) (errDump, errLoad error) {
	defer r.Close()
	defer w.Close()
	if errLoad = load.Start(); errLoad != nil {
		return nil, errLoad
	}
	atStep("copying")
	if errDump = dump.Start(); errDump != nil {
		_ = load.Process.Kill()
		_ = load.Wait() // it was killed
	}
	return errDump, nil
}
