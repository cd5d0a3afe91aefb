package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// readOnly is the setting of the old server's command line during an upgrade: searches go on, nothing is written.
const readOnly = "default_transaction_read_only=on"

func (c *Cluster) freshPath() string { return filepath.Join(c.dir, "pg.new") }

// fresh returns the new cluster of an upgrade. Its socket has another number, so that only the upgrade connects to it.
func (c *Cluster) fresh() *Cluster {
	n := *c
	n.data, n.port, n.database = c.freshPath(), "5433", ""
	return &n
}

// settle deals with an upgrade whose program was killed: before the switch the old cluster stays in use and the new one is removed;
// a switch that has begun is completed. The caller holds pg.lock.
func (c *Cluster) settle(ctx context.Context) error {
	if c.data != c.current() {
		return nil
	}
	// The state comes first: who writes it holds the lock until the state is gone or the switch is done.
	s, err := c.readState()
	if err != nil || c.upgradeLocked() {
		return err
	}
	switch {
	case s == nil:
	case s.Step == stepCopying:
		slog.WarnContext(ctx, "an upgrade of the database was interrupted: the old cluster is in use again, and nothing is lost",
			"postgresql", s.From, "remedy", "index --db upgrade")
		if err := c.discard(ctx); err != nil {
			return err
		}
	case s.Step == stepSwitching:
		if err := c.completeSwitch(ctx, *s); err != nil {
			return err
		}
	case s.Step == stepReturning:
		if err := c.completeReturn(ctx); err != nil {
			return err
		}
	}
	return c.endReadOnly(ctx)
}

// endReadOnly stops the server if an upgrade has started it read-only. The caller starts it again.
func (c *Cluster) endReadOnly(ctx context.Context) error {
	options, err := os.ReadFile(filepath.Join(c.data, "postmaster.opts"))
	if err != nil || !strings.Contains(string(options), readOnly) {
		return nil // no server was ever started, or not by an upgrade
	}
	return c.stop(ctx, syscall.SIGINT)
}

// discard removes the new cluster of an upgrade that has not switched, and the state. The caller holds pg.lock.
func (c *Cluster) discard(ctx context.Context) error {
	if err := c.removeFresh(ctx); err != nil {
		return err
	}
	return c.removeState()
}

// removeFresh removes the new cluster and what still works in it. The caller holds pg.lock.
func (c *Cluster) removeFresh(ctx context.Context) error {
	if err := c.removeUnfinished(); err != nil {
		return err
	}
	fresh := c.freshPath()
	if err := c.fresh().stop(ctx, syscall.SIGQUIT); err != nil { // an immediate stop: the data are thrown away
		return err
	}
	begin := time.Now()
	for {
		for _, pid := range orphans(fresh) {
			_ = syscall.Kill(pid, syscall.SIGQUIT) // it may have ended meanwhile
		}
		err := os.RemoveAll(fresh)
		if err == nil {
			return nil
		}
		if time.Since(begin) > startPatience {
			return fmt.Errorf("remove the unfinished cluster: %w", err)
		}
		if err := pause(ctx, pollPause); err != nil {
			return err
		}
	}
}

// marked reports whether the cluster in folder data is the new one of this upgrade.
func marked(data, id string) bool {
	content, err := os.ReadFile(filepath.Join(data, markName))
	return err == nil && strings.TrimSpace(string(content)) == id
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// completeSwitch puts the new cluster in the place of the old one. It can be repeated after a kill at any point. The caller holds
// pg.lock, and no server runs until the folders are exchanged.
func (c *Cluster) completeSwitch(ctx context.Context, s upgradeState) error {
	fresh, kept := c.freshPath(), filepath.Join(c.dir, s.Kept)
	if !marked(c.data, s.ID) {
		if !marked(fresh, s.ID) {
			return fmt.Errorf("the new cluster is neither in %s nor in %s; the cluster of version %d is in %s: "+
				"remove %s if that is the one to use", c.data, fresh, s.From, c.data, c.statePath())
		}
		if err := replace(fresh, c.data, kept); err != nil {
			return fmt.Errorf("put the new cluster in the place of the old one: %w", err)
		}
		atStep("exchanged")
	}
	if exists(fresh) {
		if err := os.Rename(fresh, kept); err != nil {
			return err
		}
	}
	if err := syncPath(c.dir); err != nil {
		return err
	}
	atStep("renamed")
	s.Step, s.Switched = stepKept, time.Now()
	if err := c.writeState(s); err != nil {
		return err
	}
	slog.InfoContext(ctx, "the database has moved", "postgresql", s.To, "old_cluster", kept)
	return nil
}

// exchange is a variable for the tests, which also run where it cannot be one step.
var exchange = swap

// replace puts folder a in the place of folder b, and b in the place of a. Where that cannot be one step, b gets the name aside;
// after a kill between the two steps the next call goes on.
func replace(a, b, aside string) error {
	err := exchange(a, b)
	if err == nil {
		return nil
	}
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOENT) {
		return err
	}
	if exists(b) {
		if err := os.Rename(b, aside); err != nil {
			return err
		}
		atStep("aside")
	}
	return os.Rename(a, b)
}

// completeReturn puts the old cluster in its place again and removes the new one. It can be repeated after a kill at any point. The
// caller holds pg.lock, and no server runs until the folders are exchanged.
func (c *Cluster) completeReturn(ctx context.Context) error {
	s, err := c.readState()
	if err != nil {
		return err
	}
	fresh, kept := c.freshPath(), filepath.Join(c.dir, s.Kept)
	if exists(kept) && !marked(kept, s.ID) {
		if err := replace(kept, c.data, fresh); err != nil {
			return fmt.Errorf("put the old cluster in its place again: %w", err)
		}
		atStep("returned")
	}
	if marked(c.data, s.ID) {
		return fmt.Errorf("the old cluster is not in %s: remove %s to go on with the new one", kept, c.statePath())
	}
	if marked(kept, s.ID) { // in one step, and without the mark's folder under a name that means another thing
		if err := os.Rename(kept, fresh); err != nil {
			return err
		}
	}
	slog.InfoContext(ctx, "the old database is in use again", "postgresql", s.From)
	return c.discard(ctx)
}
