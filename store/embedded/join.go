package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// joinPatience limits the wait for a server that somebody else starts.
const joinPatience = 30 * time.Second

// Join waits until the server answers, and does not start it: a service of its own does (index --db run). A server that this process
// started would end with this process's own service.
func (c *Cluster) Join(ctx context.Context) error {
	begin := time.Now()
	for {
		if running(c.data) != 0 {
			if err := c.waitReady(ctx, nil); !errors.Is(err, errEnded) {
				return err
			}
		}
		if time.Since(begin) > joinPatience {
			return fmt.Errorf("the server in %s does not run, and this program was told not to start it (PGSEEK_DB_START=no): "+
				"systemctl start pgseek-db, or index --db run, starts it", c.dir)
		}
		if err := pause(ctx, 4*pollPause); err != nil {
			return fmt.Errorf("wait for the database: %w", err)
		}
	}
}
