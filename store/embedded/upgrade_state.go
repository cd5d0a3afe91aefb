package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrUpgrading says that another program is upgrading the cluster to a newer PostgreSQL.
var ErrUpgrading = errors.New("an upgrade is in progress")

// The steps of an upgrade, in their order.
const (
	stepCopying   = "copying"   // the old cluster is in use, read-only; the new one is being filled
	stepSwitching = "switching" // the new cluster is complete and the old one was stopped: the new one takes its place
	stepKept      = "kept"      // the new cluster is in use, the old one is kept
	stepReturning = "returning" // the old cluster takes its place again, the new one is removed
	stepFinishing = "finishing" // the old cluster is being removed
)

// upgradeState is the content of file pg.upgrade.
type upgradeState struct {
	Step     string    `json:"step"`
	From     int       `json:"from"` // major versions
	To       int       `json:"to"`
	Kept     string    `json:"kept"` // name of the folder of the old cluster after the switch
	ID       string    `json:"id"`   // also in file markName of the new cluster
	PID      int       `json:"pid"`  // of the program that carries it out
	Begun    time.Time `json:"begun"`
	Switched time.Time `json:"switched,omitzero"`
}

// markName is the file of the new cluster with the ID of the upgrade. By it a program that was killed in the middle of a switch
// recognizes which cluster is in which folder.
const markName = "pgseek.upgrade"

func (c *Cluster) statePath() string { return filepath.Join(c.dir, "pg.upgrade") }

// current returns the folder of the cluster in use, which differs from c.data for the new cluster of an upgrade.
func (c *Cluster) current() string { return filepath.Join(c.dir, "pg") }

// readState returns nil when there is no upgrade, neither one in progress nor one whose old cluster is kept.
func (c *Cluster) readState() (*upgradeState, error) {
	content, err := os.ReadFile(c.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s upgradeState
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("read the state of the upgrade, %s: %w", c.statePath(), err)
	}
	return &s, nil
}

// writeState replaces the file at once, on the disk.
func (c *Cluster) writeState(s upgradeState) error {
	content, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	temp := c.statePath() + ".part"
	f, err := c.account.openFile(temp, os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return fmt.Errorf("write the state of the upgrade: %w", err)
	}
	_, err = f.Write(append(content, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = errors.Join(os.Rename(temp, c.statePath()), syncPath(c.dir))
	}
	if err != nil {
		return fmt.Errorf("write the state of the upgrade: %w", err)
	}
	return nil
}

func (c *Cluster) removeState() error {
	if err := os.Remove(c.statePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncPath(c.dir)
}

// upgrading returns the state of an upgrade that a living program carries out and that has not switched yet, else nil.
func (c *Cluster) upgrading() (*upgradeState, error) {
	s, err := c.readState()
	if err != nil || s == nil || s.Step != stepCopying || !c.upgradeLocked() {
		return nil, err
	}
	return s, nil
}

// inProgress returns the error for what has to wait for the upgrade, nil without one.
func (s *upgradeState) inProgress() error {
	if s == nil {
		return nil
	}
	return fmt.Errorf("%w: process %d has been moving the database to PostgreSQL %d since %s",
		ErrUpgrading, s.PID, s.To, s.Begun.Local().Format(time.DateTime))
}

func (c *Cluster) upgradeLockPath() string { return filepath.Join(c.dir, "pg.upgrade.lock") }

// lockUpgrade takes the lock that a program holds as long as it upgrades. Others look whether it is taken for a moment only.
func (c *Cluster) lockUpgrade(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	unlock, err = c.account.lock(ctx, c.upgradeLockPath())
	if errors.Is(err, context.DeadlineExceeded) {
		if s, _ := c.readState(); s != nil {
			return nil, s.inProgress()
		}
		return nil, ErrUpgrading
	}
	return unlock, err
}

// upgradeLocked reports whether a program holds the lock.
func (c *Cluster) upgradeLocked() bool {
	f, err := os.OpenFile(c.upgradeLockPath(), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
