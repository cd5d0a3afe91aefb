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

// The supervisor is a second process of a test binary, in a session of its own: no test framework tells us when the last
// of several test binaries ends, and a binary that is killed could not stop anything. It watches who uses the folder's
// server and, when nobody does and the owner is gone, stops it and removes the folder.
//
// Both sides speak through locks, which the system drops with their holder. A test binary shares usersFile before
// anything else; the supervisor ends the server only while it holds that file alone, and removes it before it lets go,
// so that a binary that waited for its share sees that it has to begin anew.

const (
	superviseVariable = "PGSEEK_STORETEST_SUPERVISE" // the folder, in the supervisor's environment
	ownerVariable     = "PGSEEK_STORETEST_OWNER"     // the process for whose life the server is kept
)

// superviseInterval is how often the supervisor looks, and how long a server may outlive its users.
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

// ensureSupervisor starts a supervisor for the folder unless one is there, and returns when it watches. The caller
// holds a share of usersFile.
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

// held reports whether somebody has a file locked. The look itself locks it for a moment, shared, so that two of them
// do not take each other for the supervisor.
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
		// Either another supervisor has it, for long, or somebody who looks for one, for a moment.
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
