// Package embedded runs a private PostgreSQL from the programs of the distribution, so that nobody has to set
// up a server before the first search.
//
// The data directory contains
//
//	pg/        the cluster: data and postgresql.conf, which an operator may edit
//	pg.log     the server's log; pg.log.1 is the one before it
//	pg.lock    locked while a program creates, starts or stops the cluster
//	run/       the socket, unless its path would be too long (see Cluster.DSN)
//
// and, from the beginning of an upgrade to a newer PostgreSQL (upgrade.go) to its end,
//
//	pg.upgrade       how far the upgrade is; pg.upgrade.lock is locked by the program that carries it out
//	pg.new/          the new cluster until it takes the place of pg/; pg.new.log is the log of its server
//	pg-15/           the cluster of version 15 that it has replaced, until it is removed
//
// The server listens only on a Unix socket in a folder of mode 0700. Every user who can enter the folder,
// that is its account and root, is trusted. The first program starts the server, others join, and it keeps
// running when they end.
//
// Nothing here needs manual repair: a cluster is created under a temporary name and renamed when it is
// complete, PostgreSQL recovers by itself after a kill, and remains of a dead server are recognized and
// removed.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// The names of the superuser role and of the database. The role differs from the account's name, so that root
// and the account connect in the same way.
const (
	roleName     = "pgseek"
	databaseName = "pgseek"
)

// Cluster is the private PostgreSQL of one data directory. It holds no connection and no process: any number
// of Clusters, in any number of programs, may refer to the same server. Its methods may be called
// concurrently.
type Cluster struct {
	dir      string // the data directory, absolute
	data     string // dir/pg
	port     string // part of the socket's name
	database string // made when the server has none; empty = none
	bin      string // folder of PostgreSQL's programs
	major    int
	account  account
	settings []string // name=value, passed to the server on its command line
	noSync   bool     // do not wait for the disk when creating the cluster
	unready  bool     // Open succeeds without the programs of the cluster
}

// Option changes how a cluster is created and started.
type Option func(*Cluster)

// Setting passes a setting of postgresql.conf, as "name=value", on the server's command line.
func Setting(assignment string) Option {
	return func(c *Cluster) { c.settings = append(c.settings, assignment) }
}

// Volatile creates a cluster for tests: nothing waits for the disk, so a crash of the machine destroys it.
func Volatile() Option {
	return func(c *Cluster) {
		c.noSync = true
		c.settings = append(c.settings, "fsync=off", "full_page_writes=off")
	}
}

// WithoutPrograms lets Open succeed when the programs of an existing cluster are missing. Its server cannot be started then.
func WithoutPrograms() Option {
	return func(c *Cluster) { c.unready = true }
}

// Open returns the cluster of a data directory (DataDir of spider.cnf). It starts nothing and creates no
// file; the directory may be missing. An existing cluster needs the programs of the major version that
// created it, a new one takes the newest. Without them the error wraps ErrNoPrograms.
func Open(dataDir string, options ...Option) (*Cluster, error) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return nil, fmt.Errorf("data directory %s: %w", dataDir, err)
	}
	dir = resolve(dir)
	c := &Cluster{dir: dir, data: filepath.Join(dir, "pg"), port: "5432", database: databaseName}
	for _, o := range options {
		o(c)
	}
	if c.account, err = chooseAccount(c.data); err != nil {
		return nil, err
	}
	made, err := c.madeBy()
	if err != nil {
		return nil, err
	}
	if c.bin, c.major, err = Find(made); err != nil && (!c.unready || made == 0 || !errors.Is(err, ErrNoPrograms)) {
		return nil, err
	}
	return c, nil
}

// programs returns the folder of the programs for the cluster as it is now: an upgrade by another program may have replaced it
// since Open.
func (c *Cluster) programs() (bin string, err error) {
	made, err := c.madeBy()
	if err != nil || made == 0 || made == c.major && c.bin != "" {
		return c.bin, err
	}
	bin, _, err = Find(made)
	return bin, err
}

// resolve returns the path of a folder, which may be missing, without symbolic links.
func resolve(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil || dir == filepath.Dir(dir) {
		return real
	}
	return filepath.Join(resolve(filepath.Dir(dir)), filepath.Base(dir))
}

// madeBy returns the major version that created the cluster, 0 when there is no cluster yet.
func (c *Cluster) madeBy() (int, error) {
	content, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("%s/PG_VERSION is not a version: %q", c.data, content)
	}
	return major, nil
}

// DSN returns the connection URL of the database over the Unix socket, as a superuser without a password. It is the same
// for all programs; the server need not run.
func (c *Cluster) DSN() string { return c.dsn(databaseName) }

func (c *Cluster) dsn(database string) string {
	q := url.Values{"host": {c.socketFolder()}, "port": {c.port}, "sslmode": {"disable"}}
	return "postgresql://" + roleName + "@/" + database + "?" + q.Encode()
}

// socketFolder returns the folder in which the running server has its socket, or in which the next one will
// have it.
func (c *Cluster) socketFolder() string {
	if f := readPIDFile(c.data); f.socket != "" && running(c.data) != 0 {
		return f.socket
	}
	return socketFolder(c.dir)
}

// PsqlCommand prepares psql, connected to the database. args are psql's own arguments. The caller sets its
// files and runs it.
func (c *Cluster) PsqlCommand(args ...string) *exec.Cmd {
	bin, err := c.programs()
	program := filepath.Join(bin, "psql")
	if err != nil {
		program = "psql"
	} else if _, err := os.Stat(program); err != nil {
		program = "psql"
	}
	return exec.CommandContext(context.Background(), program, append([]string{c.DSN()}, args...)...)
}

// PostmasterPID returns the process id of the running server, 0 when it does not run.
func (c *Cluster) PostmasterPID() int { return running(c.data) }

// Status describes a cluster at one moment.
type Status struct {
	Made    bool   // the cluster exists
	PID     int    // process id of the server, 0 when it does not run
	Major   int    // major version of PostgreSQL
	Account string // who runs the server
	DataDir string // folder of the cluster's files
	Socket  string // folder of the socket
	Log     string // the server's log
	DSN     string // how to connect

	Installed []int  // major versions whose programs are installed, ascending
	Upgrade   string // an upgrade in progress; empty = none
	Kept      Kept   // old cluster that an upgrade has kept; Major 0 = none
}

// String returns the status as lines for people.
func (s Status) String() string {
	state := "stopped"
	switch {
	case s.PID != 0:
		state = fmt.Sprintf("running as process %d", s.PID)
	case !s.Made:
		state = "not created yet"
	}
	text := fmt.Sprintf("%s, PostgreSQL %d, account %s\ndata     %s\nlog      %s\nconnect  psql '%s'",
		state, s.Major, s.Account, s.DataDir, s.Log, s.DSN)
	return text + s.upgradeLines()
}

// Status reads the status of the cluster and changes nothing.
func (c *Cluster) Status(ctx context.Context) (Status, error) {
	if err := ctx.Err(); err != nil {
		return Status{}, err
	}
	made, err := c.madeBy()
	if err != nil {
		return Status{}, err
	}
	major := made
	if made == 0 {
		major = c.major
	}
	status := Status{
		Made: made != 0, PID: c.PostmasterPID(), Major: major, Account: c.account.name,
		DataDir: c.data, Socket: c.socketFolder(), Log: c.logPath(), DSN: c.DSN(),
	}
	return status, c.upgradeStatus(&status)
}

func (c *Cluster) logPath() string { return c.data + ".log" }

// Stop stops the server: connections are closed, running transactions are rolled back, everything is written.
// It succeeds when no server runs. It returns when the server has ended, or with ctx's error while it is
// still ending.
func (c *Cluster) Stop(ctx context.Context) error {
	if _, err := os.Stat(c.data); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := c.account.lock(ctx, filepath.Join(c.dir, "pg.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.settle(ctx); err != nil {
		return err
	}
	if s, err := c.upgrading(); err != nil || s != nil {
		return errors.Join(err, s.inProgress())
	}
	return c.stop(ctx, syscall.SIGINT) // PostgreSQL's fast shutdown
}

// stop sends the signal and waits for the end. The caller holds the lock.
func (c *Cluster) stop(ctx context.Context, signal syscall.Signal) error {
	pid := running(c.data)
	if pid == 0 {
		return nil
	}
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the database (process %d): %w", pid, err)
	}
	for running(c.data) == pid {
		if err := pause(ctx, pollPause); err != nil {
			return fmt.Errorf("the database (process %d) is still stopping: %w", pid, err)
		}
	}
	return nil
}
