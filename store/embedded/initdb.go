package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// settings are appended once to a new cluster's postgresql.conf; afterwards the operator may change them.
// Settings that must not change (socket only) are on the server's command line.
const settings = `
# ---- pgseek ----
# Written when the cluster was made; edit as you like. Socket and listening addresses are set by pgseek itself.
cluster_name = 'pgseek'
max_connections = 100

# Nothing that was committed is lost by a kill or a power cut.
fsync = on
synchronous_commit = on
full_page_writes = on

# For a machine that does other things too.
shared_buffers = 256MB
effective_cache_size = 1GB
work_mem = 16MB
maintenance_work_mem = 128MB
random_page_cost = 1.1

# A merge writes much at once: few, spread checkpoints.
max_wal_size = 2GB
checkpoint_timeout = 15min

# Memory that parallel queries share comes out of the main block first: it works with the small /dev/shm of containers,
# and after a logout that removes the account's shared memory.
min_dynamic_shared_memory = 32MB

# The backend of a program that was killed ends within a second, with its locks.
client_connection_check_interval = 1s

autovacuum = on
jit = off
log_line_prefix = '%m [%p] %a '
log_checkpoints = off
`

// makePrefix is the prefix of the names of folders in which clusters are being created.
const makePrefix = "pg.making-"

// make creates the cluster under a temporary name and renames it when it is complete. The caller holds the lock.
func (c *Cluster) make(ctx context.Context) error {
	if err := c.removeUnfinished(); err != nil {
		return err
	}
	slog.InfoContext(ctx, "making the database, which happens once and takes some seconds", "data_dir", c.dir)
	temp, err := os.MkdirTemp(c.dir, makePrefix)
	if err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	if err := c.account.ownFolder(temp); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	if err := c.fill(ctx, temp); err != nil {
		_ = os.RemoveAll(temp) // the first error is the one to return
		return err
	}
	if err := os.Rename(temp, c.data); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	if c.noSync {
		return nil
	}
	return syncPath(c.dir)
}

// removeUnfinished removes clusters that killed programs were creating. The caller holds the lock.
func (c *Cluster) removeUnfinished() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("look for unfinished clusters: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), makePrefix) {
			// An initdb that outlived its parent may still write into it. The next call removes the rest.
			_ = os.RemoveAll(filepath.Join(c.dir, e.Name()))
		}
	}
	return nil
}

// fill runs initdb and adds our settings.
func (c *Cluster) fill(ctx context.Context, data string) error {
	args := []string{
		"--pgdata=" + data, "--username=" + roleName, "--encoding=UTF8", "--locale=C.UTF-8",
		"--auth-local=trust", "--auth-host=reject", "--data-checksums", "--no-instructions",
	}
	if c.noSync {
		args = append(args, "--no-sync")
	}
	out, err := c.account.command(ctx, filepath.Join(c.bin, "initdb"), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("create the cluster in %s: initdb: %w: %s", c.dir, err, lastLines(string(out)))
	}
	conf, err := os.OpenFile(filepath.Join(data, "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	_, err = conf.WriteString(settings)
	if err == nil && !c.noSync {
		err = conf.Sync()
	}
	if err = errors.Join(err, conf.Close()); err != nil {
		return fmt.Errorf("create the cluster: write the settings: %w", err)
	}
	return nil
}

// makeDataDir creates the data directory and missing parents. The account can enter folders that root
// creates, whatever root's umask.
func (c *Cluster) makeDataDir() error {
	var missing []string
	for p := c.dir; ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, p)
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	if c.account.cred == nil {
		return nil
	}
	for _, p := range missing {
		if err := os.Chmod(p, 0o755); err != nil {
			return fmt.Errorf("create the data directory: %w", err)
		}
	}
	return nil
}

// syncPath waits until a folder's entries are on the disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// lastLines returns the last three lines that are not empty, joined to one.
func lastLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}
