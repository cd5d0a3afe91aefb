package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// pollPause is the interval of polling for events without a notification.
const pollPause = 25 * time.Millisecond

// lock takes the start lock of the cluster: one program at a time creates, starts or stops it. The system
// releases the lock when its holder dies. The returned function releases it.
func (a account) lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := a.openFile(path, os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if err := pause(ctx, pollPause); err != nil {
			f.Close()
			return nil, fmt.Errorf("wait for another program to start or stop the database (%s): %w", path, err)
		}
	}
}

// pause waits for d, or until ctx ends, whose error it returns.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
