package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// The supervisor is a second process of a test binary, in a session of its own. It is needed because no test
// framework reports that the last of several test binaries has ended, and because a killed binary cannot stop
// anything. It watches the users of the folder's server. When there are none and the owner is gone, it stops
// the server and removes the folder.
//
// Both sides communicate through locks, which the system releases with their holder. A test binary takes a
// shared lock on usersFile before anything else. The supervisor stops the server only while it holds that
// lock exclusively, and removes the file before it releases the lock, so that a binary that waited for its
// share sees that it has to begin again.

const (
	superviseVariable = "PGSEEK_STORETEST_SUPERVISE" // the folder, in the supervisor's environment
	ownerVariable     = "PGSEEK_STORETEST_OWNER"     // the process for whose life the server is kept
)

// superviseInterval is the interval of the supervisor's checks, and how long a server may outlive its users.
const superviseInterval = 100 * time.Millisecond

// init turns the process into the supervisor, before any test.
func init() {
	dir := os.Getenv(superviseVariable)
	if dir == "" {
		return
	}
	if err := supervise(dir, os.Getenv(ownerVariable)); err != nil {
		fmt.Fprintln(os.Stderr, "storetest supervisor:", err) // into the folder's supervisor.log
		os.Exit(1)
	}
	os.Exit(0)
}

// ensureSupervisor starts a supervisor for the folder unless there is one, and returns when it watches. The
// caller holds a share of usersFile.
func ensureSupervisor(ctx context.Context, dir, owner string) error {
	started := false
	for {
		watched, err := held(filepath.Join(dir, supervisorFile))
		if err != nil || watched {
			return err
		}
		if !started {
			if err := spawnSupervisor(dir, owner); err != nil {
				return fmt.Errorf("start the supervisor: %w", err)
			}
			started = true
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the supervisor of %s: %w", dir, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// held reports whether another process has locked a file. The check itself takes a shared lock for a moment,
// so that two checks do not take each other for the supervisor.
func held(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

func spawnSupervisor(dir, owner string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(dir, "supervisor.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(context.Background(), self)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), superviseVariable+"="+dir, ownerVariable+"="+owner)
	cmd.Stdout, cmd.Stderr = log, log // go test waits for everybody who holds its own
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

func supervise(dir, owner string) error {
	mine, err := os.OpenFile(filepath.Join(dir, supervisorFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer mine.Close()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		err := flock(mine, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		// Another supervisor holds it for long, or a process that checks for one for a moment.
		if time.Since(begin) > time.Second {
			return nil
		}
	}
	users, err := os.OpenFile(filepath.Join(dir, usersFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer users.Close()
	for ; ; time.Sleep(superviseInterval) {
		if ownerLives(owner) {
			continue
		}
		err := flock(users, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
	}
	return end(dir)
}

// ownerLives reports whether the process with this id exists. Another name than a number has no life of its own.
func ownerLives(owner string) bool {
	pid, err := strconv.Atoi(owner)
	if err != nil || pid <= 0 {
		return false
	}
	err = syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// end stops the server and removes the folder.
func end(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cluster, err := openCluster(dir)
	if err == nil {
		err = cluster.Stop(ctx)
	}
	if pid := 0; err != nil && cluster != nil {
		if pid = cluster.PostmasterPID(); pid != 0 {
			err = errors.Join(err, syscall.Kill(pid, syscall.SIGQUIT))
		}
	}
	return errors.Join(err, os.RemoveAll(dir))
}
