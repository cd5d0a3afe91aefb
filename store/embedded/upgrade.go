package embedded

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrNothingToDo says that an upgrade, or the end of one, has nothing to do.
var ErrNothingToDo = errors.New("nothing to do")

// atStep lets tests stop or kill the program between two steps of an upgrade.
var atStep = func(string) {}

// UpgradeOptions are the options of an upgrade.
type UpgradeOptions struct {
	// Idle is called when the server is about to be started read-only: from then on nobody else can begin to write. May be nil.
	Idle func()

	sameVersion bool // tests: copy into a cluster of the same version
}

// Upgraded is the result of an upgrade.
type Upgraded struct {
	From, To int    // major versions
	Kept     string // folder of the old cluster
	Tables   int
	Rows     int64
}

// Upgrade moves the cluster to the newest PostgreSQL that is installed: it copies everything into a second cluster by pg_dump and
// pg_restore, compares both, and puts the new one in the place of the old one, which is kept until FinishUpgrade.
//
// The old cluster is in use until the switch. Its server runs read-only meanwhile, so searches go on. After an error, or a
// kill, nothing has changed: the next Start uses the old cluster as before and removes the new one. The switch itself is one
// step, and a switch that was interrupted is completed by the next Start.
func (c *Cluster) Upgrade(ctx context.Context, o UpgradeOptions) (result Upgraded, err error) {
	if err := c.Start(ctx); err != nil { // which also settles an upgrade that was interrupted
		return result, err
	}
	unlock, err := c.lockUpgrade(ctx)
	if err != nil {
		return result, err
	}
	defer unlock()
	n, p, err := c.planUpgrade(ctx, o)
	if err != nil {
		return result, err
	}
	begin := time.Now()
	s := upgradeState{
		Step: stepCopying, From: p.from, To: n.major, Kept: p.kept, ID: rand.Text(), PID: os.Getpid(), Begun: begin,
	}
	slog.InfoContext(ctx, "moving the database to another PostgreSQL; searches go on, crawls are refused until it is done",
		"from", s.From, "to", s.To, "bytes", p.size)
	defer func() {
		if err != nil {
			err = errors.Join(err, c.giveUp(context.WithoutCancel(ctx)))
		}
	}()
	if err := c.beginReadOnly(ctx, s, o.Idle); err != nil {
		return result, err
	}
	atStep("read-only")
	settings, err := c.makeFresh(ctx, n, s.ID)
	if err != nil {
		return result, err
	}
	if err := c.copyAll(ctx, n, p); err != nil {
		return result, err
	}
	atStep("copied")
	if err := n.takeOver(ctx, settings); err != nil {
		return result, err
	}
	c.warnOfAccessRules(ctx, n)
	slog.InfoContext(ctx, "comparing the copy with the original", "elapsed", time.Since(begin).Round(time.Second))
	if result.Tables, result.Rows, err = compareClusters(ctx, c, n); err != nil {
		return result, err
	}
	atStep("compared")
	if err := c.switchTo(ctx, n, s); err != nil {
		return result, err
	}
	result.From, result.To, result.Kept = s.From, s.To, filepath.Join(c.dir, s.Kept)
	slog.InfoContext(ctx, "upgrade complete", "tables", result.Tables, "rows", result.Rows, "elapsed", time.Since(begin).Round(time.Second))
	return result, nil
}

// underLock runs f while no other program starts or stops a server.
func (c *Cluster) underLock(ctx context.Context, f func() error) error {
	unlock, err := c.account.lock(ctx, filepath.Join(c.dir, "pg.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

// beginReadOnly writes the state and starts the server of the old cluster again, read-only.
func (c *Cluster) beginReadOnly(ctx context.Context, s upgradeState, idle func()) error {
	return c.underLock(ctx, func() error {
		if err := c.removeFresh(ctx); err != nil {
			return err
		}
		if err := c.writeState(s); err != nil {
			return err
		}
		atStep("begun")
		if idle != nil {
			idle()
		}
		if err := c.stop(ctx, syscall.SIGINT); err != nil {
			return err
		}
		atStep("stopped")
		return c.startOnce(ctx, time.Now())
	})
}

// makeFresh creates the new cluster with our settings and starts its server. It returns the settings that the operator has changed
// in the old one.
func (c *Cluster) makeFresh(ctx context.Context, n *Cluster, id string) (changed []setting, err error) {
	if err := n.make(ctx); err != nil {
		return nil, err
	}
	mark, err := c.account.openFile(filepath.Join(n.data, markName), os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	_, err = mark.WriteString(id + "\n")
	if err = errors.Join(err, mark.Sync(), mark.Close(), syncPath(n.data)); err != nil {
		return nil, err
	}
	atStep("made")
	if err := n.underLock(ctx, func() error { return n.startOnce(ctx, time.Now()) }); err != nil {
		return nil, err
	}
	atStep("started")
	return changedSettings(ctx, c, n)
}

// switchTo stops both servers, puts the new cluster in the place of the old one, and starts its server.
func (c *Cluster) switchTo(ctx context.Context, n *Cluster, s upgradeState) error {
	return c.underLock(ctx, func() error {
		ctx := context.WithoutCancel(ctx) // from here on it is quicker to complete than to go back
		if err := errors.Join(n.stop(ctx, syscall.SIGINT), c.stop(ctx, syscall.SIGINT)); err != nil {
			return err
		}
		atStep("both stopped")
		s.Step = stepSwitching
		if err := c.writeState(s); err != nil {
			return err
		}
		atStep("switching")
		if err := c.completeSwitch(ctx, s); err != nil {
			return err
		}
		atStep("switched")
		return c.startOnce(ctx, time.Now())
	})
}

// giveUp removes what an upgrade has made before the switch, and starts the old server as it was.
func (c *Cluster) giveUp(ctx context.Context) error {
	return c.underLock(ctx, func() error {
		s, err := c.readState()
		if err != nil || s == nil || s.Step != stepCopying {
			return err
		}
		if err := c.discard(ctx); err != nil {
			return err
		}
		if err := c.endReadOnly(ctx); err != nil {
			return err
		}
		return c.startOnce(ctx, time.Now())
	})
}
