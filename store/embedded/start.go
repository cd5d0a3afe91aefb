package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// startPatience limits the attempts to start while remains of a killed server exist. The wait for a
	// server that is alive and recovers has no limit but the caller's.
	startPatience = time.Minute
	// orphanPatience is how long processes of a killed server may take to end by themselves.
	orphanPatience = time.Second
	// hangPatience is how long a server that reports to be ready may lack its socket before it is restarted:
	// somebody removed the folder.
	hangPatience = 2 * time.Second
	// maxLogSize is the size in bytes from which a start renames the log to pg.log.1.
	maxLogSize = 10 << 20
)

// errEnded says that the server ended while we waited for it.
var errEnded = errors.New("the database stopped while starting")

// Start starts the server and returns when it answers. It creates the cluster and the database when they are
// missing, and joins a running server. Programs that start at the same time wait for each other. After a
// crash it waits for PostgreSQL's recovery. When ctx ends first, a server that was started continues to
// start.
func (c *Cluster) Start(ctx context.Context) error {
	if err := c.makeDataDir(); err != nil {
		return err
	}
	if err := c.account.checkReach(ctx, c.dir); err != nil {
		return err
	}
	unlock, err := c.account.lock(ctx, filepath.Join(c.dir, "pg.lock"))
	if err != nil {
		return err
	}
	defer unlock()

	begin := time.Now()
	for {
		err := c.startOnce(ctx, begin)
		if err == nil || !errors.Is(err, errEnded) || time.Since(begin) > startPatience {
			return err
		}
		if err := pause(ctx, 4*pollPause); err != nil {
			return err
		}
	}
}

// startOnce joins the running server or starts one, and waits until it answers. errEnded asks for another
// attempt. The caller holds the lock.
func (c *Cluster) startOnce(ctx context.Context, begin time.Time) error {
	if err := c.settle(ctx); err != nil {
		return err
	}
	if running(c.data) != 0 {
		return c.waitReady(ctx, nil) // if it was stopping, the next attempt starts another one
	}
	made, err := c.madeBy()
	if err != nil {
		return err
	}
	if made == 0 {
		slog.InfoContext(ctx, "creating the database", "data_dir", c.dir, "postgresql", c.major, "account", c.account.name)
		if err := c.make(ctx); err != nil {
			return err
		}
	}
	if err := clearStale(c.data); err != nil {
		return fmt.Errorf("clean up after a killed server: %w", err)
	}
	if time.Since(begin) > orphanPatience {
		for _, pid := range orphans(c.data) {
			slog.WarnContext(ctx, "stopping a process left by a killed database", "pid", pid)
			_ = syscall.Kill(pid, syscall.SIGQUIT) // it may have ended meanwhile
		}
	}
	if err := c.account.makeSocketFolder(socketFolder(c.dir)); err != nil {
		return err
	}
	ended, logFrom, err := c.launch(ctx)
	if err != nil {
		return fmt.Errorf("start the database: %w", err)
	}
	err = c.waitReady(ctx, ended)
	if !errors.Is(err, errEnded) {
		return err
	}
	said := c.logSince(logFrom)
	if strings.Contains(said, "pre-existing shared memory block") || strings.Contains(said, "lock file \"postmaster.pid\"") {
		return fmt.Errorf("%w: %s", errEnded, lastLines(said))
	}
	return fmt.Errorf("start the database: it stopped at once: %s (log: %s)", lastLines(said), c.logPath())
}

// launch starts the server process. It outlives this program: it has a session of its own, no terminal, and
// writes only to the log. ended is closed when it ends during our life. logFrom is the offset of its first
// line in the log.
func (c *Cluster) launch(ctx context.Context) (ended <-chan struct{}, logFrom int64, err error) {
	log, err := c.openLog()
	if err != nil {
		return nil, 0, err
	}
	defer log.Close()
	if logFrom, err = log.Seek(0, io.SeekEnd); err != nil {
		return nil, 0, err
	}
	bin, err := c.programs()
	if err != nil {
		return nil, 0, err
	}
	args := []string{
		"-D", c.data,
		"-c", "listen_addresses=",
		"-c", "port=" + c.port,
		"-c", "unix_socket_directories=" + socketFolder(c.dir),
		"-c", "unix_socket_permissions=0700",
		"-c", "logging_collector=off",
		"-c", "log_destination=stderr",
	}
	for _, s := range c.settings {
		args = append(args, "-c", s)
	}
	if s, err := c.upgrading(); err != nil {
		return nil, 0, err
	} else if s != nil && c.data == c.current() {
		args = append(args, "-c", readOnly)
	}
	cmd := c.account.command(context.WithoutCancel(ctx), filepath.Join(bin, "postgres"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // a dead child that nobody waits for would look alive; its reason is in the log
	}()
	return done, logFrom, nil
}

// openLog opens the log for appending and renames a large one.
func (c *Cluster) openLog() (*os.File, error) {
	path := c.logPath()
	if info, err := os.Lstat(path); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return c.account.openFile(path, os.O_RDWR|os.O_APPEND)
}

// logSince returns the log from an offset on, at most its last 64 KiB.
func (c *Cluster) logSince(from int64) string {
	f, err := os.Open(c.logPath())
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	content, err := io.ReadAll(io.NewSectionReader(f, max(from, info.Size()-64<<10), 64<<10))
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// waitReady waits until the database answers, and creates it when the server has none. It returns errEnded
// when the server has ended. ended, which may be nil, reports that at once for a server that we started.
func (c *Cluster) waitReady(ctx context.Context, ended <-chan struct{}) error {
	begin := time.Now()
	nextWord := begin.Add(5 * time.Second)
	for {
		err := c.ping(ctx)
		if err == nil {
			return nil
		}
		var pg *pgconn.PgError
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("wait for the database: %w", ctx.Err())
		case !errors.As(err, &pg): // nobody listens yet
			if time.Since(begin) > hangPatience && c.socketGone() {
				slog.WarnContext(ctx, "the database has lost its socket; restarting it", "socket", c.socketFolder())
				if err := c.stop(ctx, syscall.SIGINT); err != nil {
					return err
				}
				return errEnded
			}
		case strings.HasPrefix(pg.Code, "53"):
			return nil // too many connections or a full disk: it is up, and its clients wait themselves
		case pg.Code != "57P03" && pg.Code != "57P01" && pg.Code != "57P02": // starting, recovering, stopping
			return fmt.Errorf("connect to the database: %w", err)
		}
		select {
		case <-ended:
			return errEnded
		case <-time.After(pollPause):
		case <-ctx.Done():
			continue
		}
		if ended == nil && running(c.data) == 0 {
			return errEnded
		}
		if time.Now().After(nextWord) {
			slog.InfoContext(ctx, "waiting for the database", "elapsed", time.Since(begin).Round(time.Second), "log", c.logPath())
			nextWord = time.Now().Add(10 * time.Second)
		}
	}
}

// socketGone reports whether a running server has reported to be ready but its socket is missing.
func (c *Cluster) socketGone() bool {
	f := readPIDFile(c.data)
	if f.socket == "" || running(c.data) == 0 {
		return false
	}
	_, err := os.Lstat(filepath.Join(f.socket, socketPrefix+c.port))
	return errors.Is(err, os.ErrNotExist)
}

// ping connects to our database, and creates it when it is missing.
func (c *Cluster) ping(ctx context.Context) error {
	database := c.database
	if database == "" {
		database = "postgres"
	}
	conn, err := pgx.Connect(ctx, c.dsn(database))
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code == "3D000" && c.database != "" { // no such database
		return c.createDatabase(ctx)
	}
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

const createDatabaseSQL = `CREATE /* embedded.createDatabase */ DATABASE ` + databaseName

func (c *Cluster) createDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, c.dsn("postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, createDatabaseSQL)
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) && (pg.Code == "42P04" || pg.Code == "23505") {
		err = nil // another program that waits for the same server was first
	}
	return errors.Join(err, conn.Close(ctx))
}
