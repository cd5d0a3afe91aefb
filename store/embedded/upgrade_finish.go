package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Kept describes the old cluster that an upgrade has kept.
type Kept struct {
	Major    int
	Folder   string
	Size     int64
	Switched time.Time // since then the new one is in use
}

// KeptCluster returns the old cluster that an upgrade has kept, else an error that wraps ErrNothingToDo.
func (c *Cluster) KeptCluster() (Kept, error) {
	s, err := c.readState()
	if err != nil {
		return Kept{}, err
	}
	if s == nil || s.Step != stepKept && s.Step != stepFinishing {
		return Kept{}, fmt.Errorf("%w: no upgrade has left an old cluster in %s", ErrNothingToDo, c.dir)
	}
	k := Kept{Major: s.From, Folder: filepath.Join(c.dir, s.Kept), Switched: s.Switched}
	k.Size, err = folderSize(k.Folder, "")
	return k, err
}

// FinishUpgrade removes the old cluster that an upgrade has kept. It can be repeated after a kill.
func (c *Cluster) FinishUpgrade(ctx context.Context) error {
	return c.underLock(ctx, func() error {
		k, err := c.KeptCluster()
		if err != nil {
			return err
		}
		s, err := c.readState()
		if err != nil {
			return err
		}
		s.Step = stepFinishing // what is half removed is not to be used again
		if err := c.writeState(*s); err != nil {
			return err
		}
		atStep("finishing")
		if err := os.RemoveAll(k.Folder); err != nil {
			return err
		}
		_ = os.Remove(filepath.Join(c.data, markName)) // it has no meaning without the state
		_ = os.Remove(c.fresh().logPath())
		atStep("removed")
		return c.removeState()
	})
}

// ReturnFromUpgrade puts the old cluster that an upgrade has kept in its place again, and removes the new one with all that was
// written since. It starts the server of the old one; that of the new one need not run.
func (c *Cluster) ReturnFromUpgrade(ctx context.Context) error {
	return c.underLock(ctx, func() error {
		s, err := c.readState()
		if err != nil {
			return err
		}
		if s == nil || s.Step != stepKept {
			return fmt.Errorf("%w: no upgrade has left an old cluster in %s", ErrNothingToDo, c.dir)
		}
		if _, _, err := Find(s.From); err != nil {
			return err
		}
		var busy *BusyError
		if err := c.busy(ctx); errors.As(err, &busy) {
			return err
		}
		if err := c.stop(ctx, syscall.SIGINT); err != nil {
			return err
		}
		s.Step = stepReturning
		if err := c.writeState(*s); err != nil {
			return err
		}
		atStep("returning")
		ctx := context.WithoutCancel(ctx)
		if err := c.completeReturn(ctx); err != nil {
			return err
		}
		return c.startOnce(ctx, time.Now())
	})
}
