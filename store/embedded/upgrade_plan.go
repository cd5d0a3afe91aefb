package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// upgradePlan is what an upgrade has found out before it changes anything.
type upgradePlan struct {
	from      int
	kept      string // name of the folder of the old cluster after the switch
	tools     string // folder of pg_dump, pg_dumpall, pg_restore and psql
	size      int64  // bytes of the old cluster
	databases []string
}

// dumpPrograms copy the contents of a cluster.
var dumpPrograms = []string{"pg_dump", "pg_dumpall", "pg_restore", "psql"}

const (
	databasesSQL = `SELECT /* embedded.databases */ datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY datname`

	tablespacesSQL = `
		SELECT /* embedded.tablespaces */ spcname FROM pg_tablespace WHERE spcname NOT IN ('pg_default', 'pg_global') ORDER BY spcname`
)

// CheckUpgrade starts the server, and checks that an upgrade can succeed. It changes nothing.
func (c *Cluster) CheckUpgrade(ctx context.Context) error {
	if err := c.Start(ctx); err != nil {
		return err
	}
	if s, err := c.upgrading(); err != nil || s != nil {
		return errors.Join(err, s.inProgress())
	}
	_, _, err := c.planUpgrade(ctx, UpgradeOptions{})
	return err
}

// BusyError says that another program uses the database.
type BusyError struct{ Name, Since string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("the database is in use by %s (connected since %s)", e.Name, e.Since)
}

// busySQL finds programs that write. The name of our own connections tells what we do.
const busySQL = `
	SELECT /* embedded.busy */ application_name, date_trunc('second', backend_start)::text FROM pg_stat_activity
	WHERE (application_name = 'index' OR application_name LIKE 'index %') AND application_name NOT LIKE 'index --db %' AND datname = current_database()
	ORDER BY backend_start LIMIT 1`

// busy returns a BusyError when another index is connected, such as one that waits for its next round.
func (c *Cluster) busy(ctx context.Context) error {
	return c.with(ctx, databaseName, func(conn *pgx.Conn) error {
		var e BusyError
		switch err := conn.QueryRow(ctx, busySQL).Scan(&e.Name, &e.Since); {
		case errors.Is(err, pgx.ErrNoRows):
			return nil
		case err != nil:
			return err
		}
		return &e
	})
}

// planUpgrade checks that an upgrade can succeed. It returns the new cluster, which does not exist yet. The server runs.
func (c *Cluster) planUpgrade(ctx context.Context, o UpgradeOptions) (n *Cluster, p upgradePlan, err error) {
	s, err := c.readState()
	if err != nil {
		return nil, p, err
	}
	if s != nil && s.Step != stepCopying {
		return nil, p, fmt.Errorf("the cluster of version %d is still kept in %s after the last upgrade: remove it with index --db upgrade --finish first",
			s.From, filepath.Join(c.dir, s.Kept))
	}
	n = c.fresh()
	if p.from, err = c.madeBy(); err != nil {
		return nil, p, err
	}
	if n.bin, n.major, err = Find(0); err != nil {
		return nil, p, err
	}
	if n.major <= p.from && !o.sameVersion {
		return nil, p, fmt.Errorf("%w: the database uses PostgreSQL %d, and no newer version is installed (Debian: apt-get install postgresql)",
			ErrNothingToDo, p.from)
	}
	// Nothing waits for each commit, and no vacuum gets in the way: after a crash the copy begins from the start.
	n.settings = append(n.settings[:len(n.settings):len(n.settings)],
		"synchronous_commit=off", "autovacuum=off", "wal_level=minimal", "max_wal_senders=0", "archive_mode=off")
	p.kept = fmt.Sprintf("pg-%d", p.from)
	if exists(filepath.Join(c.dir, p.kept)) {
		return nil, p, fmt.Errorf("%s exists, and the old cluster needs this name: move it away", filepath.Join(c.dir, p.kept))
	}
	if p.tools, err = c.findTools(n, p.from); err != nil {
		return nil, p, err
	}
	if err := c.readPlan(ctx, &p); err != nil {
		return nil, p, err
	}
	if err := c.checkSpace(&p); err != nil {
		return nil, p, err
	}
	return n, p, c.busy(ctx)
}

// findTools returns the folder of the programs that copy: those of the new version, else those of the old one.
func (c *Cluster) findTools(n *Cluster, from int) (string, error) {
	old, err := c.programs()
	if err != nil {
		return "", err
	}
	var missing string
	for _, bin := range []string{n.bin, old} {
		at := ""
		for _, program := range dumpPrograms {
			if !exists(filepath.Join(bin, program)) {
				at = program
			}
		}
		if at == "" {
			return bin, nil
		}
		missing = at
	}
	return "", fmt.Errorf("%s is not installed, which copies the data; version %d or %d is needed (Debian: apt-get install postgresql-client-%d)", missing, n.major, from, n.major)
}

// readPlan reads what is in the old cluster.
func (c *Cluster) readPlan(ctx context.Context, p *upgradePlan) error {
	conn, err := pgx.Connect(ctx, c.dsn("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if p.databases, err = texts(ctx, conn, databasesSQL); err != nil {
		return err
	}
	spaces, err := texts(ctx, conn, tablespacesSQL)
	if err == nil && len(spaces) > 0 {
		return fmt.Errorf("the database has tables outside of its folder, in tablespace %s: move them back (ALTER DATABASE ... SET TABLESPACE pg_default), "+
			"and DROP TABLESPACE", strings.Join(spaces, ", "))
	}
	return err
}

// texts returns the first column of a statement.
func texts(ctx context.Context, conn *pgx.Conn, sql string) ([]string, error) {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// walReserve is the space for the WAL of the new cluster: max_wal_size and a part more, or the size of a smaller database.
const walReserve = 3 << 30

// freeSpace returns the bytes that the file system of a folder has for us.
var freeSpace = func(folder string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(folder, &st); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: folder, Err: err}
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// emptyCluster is the size of a new cluster without contents.
const emptyCluster = 64 << 20

// checkSpace checks that there is room for a copy: a cluster as large as the old one without its WAL, and WAL.
func (c *Cluster) checkSpace(p *upgradePlan) error {
	var err error
	if p.size, err = folderSize(c.data, "pg_wal"); err != nil {
		return err
	}
	free, err := freeSpace(c.dir)
	if err != nil {
		return err
	}
	need := p.size + min(p.size, walReserve) + emptyCluster
	if free < need {
		return fmt.Errorf("the copy of the database needs up to %s in %s, and %s are free there: make room; nothing was changed",
			Bytes(need), c.dir, Bytes(free))
	}
	return nil
}

// folderSize returns the bytes of the files in a folder, without those of one sub-folder. Files may come and go.
func folderSize(folder, without string) (size int64, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && without != "" && path == filepath.Join(folder, without):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	return size, err
}

// Bytes writes a size for people.
func Bytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.0f kB", float64(n)/(1<<10))
}
