package embedded

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// Run starts the server, calls ready when it answers, and watches it until stop ends. Then it stops the server, however long that takes:
// a server that is killed while it stops has to recover. The error is that of a server that was killed; one that was stopped by
// somebody else, as index --db stop does, ends the call without an error.
func (c *Cluster) Run(stop context.Context, ready func()) error {
	err := c.Start(stop)
	if err == nil {
		ready()
		err = c.watch(stop)
	}
	if stop.Err() != nil {
		return c.Stop(context.WithoutCancel(stop))
	}
	return err
}

// watchPause is the time between two looks at the process.
const watchPause = time.Second

// watch returns when the server has ended, or stop has. An upgrade by another program stops the server twice, and starts it again.
func (c *Cluster) watch(stop context.Context) error {
	for upgrading := false; ; {
		locked := c.upgradeLocked()
		if upgrading && !locked { // the new server runs, or an upgrade that was killed has left one that is read-only
			if err := c.Start(stop); err != nil {
				return err
			}
		}
		upgrading = locked
		if !locked && c.PostmasterPID() == 0 {
			break
		}
		if err := pause(stop, watchPause); err != nil {
			return err
		}
	}
	if readPIDFile(c.data).pid != 0 { // a server that stops removes it
		return fmt.Errorf("the database was killed (log: %s)", c.logPath())
	}
	return nil
}

// Reload makes a running server read its configuration again.
func (c *Cluster) Reload() error {
	if pid := c.PostmasterPID(); pid != 0 {
		return syscall.Kill(pid, syscall.SIGHUP)
	}
	return nil
}
