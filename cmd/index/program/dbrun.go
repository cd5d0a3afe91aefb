package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/cmd/internal/database"
)

// runDatabase is --db run: the embedded server in the foreground, for systemd and containers. It ends at once, and well, when DBAddr
// names another server. A SIGHUP makes the server read its configuration again.
func (p *program) runDatabase(ctx context.Context) error {
	if p.cfg.Spider.DBAddr != "" {
		const text = "DBAddr names another server: the embedded one is not needed"
		cli.Ready(ctx, text)
		p.log.InfoContext(ctx, text)
		return nil
	}
	cluster, err := p.cluster()
	if err != nil {
		return err
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	watching, done := context.WithCancel(p.stop)
	defer done()
	go func() {
		for {
			select {
			case <-hangup:
				if err := cluster.Reload(); err != nil {
					p.log.WarnContext(ctx, "the database cannot be told to read its configuration again", "cause", err)
				}
			case <-watching.Done():
				return
			}
		}
	}()
	err = cluster.Run(p.stop, func() {
		if status, err := cluster.Status(ctx); err == nil {
			p.log.InfoContext(ctx, "the database runs", "pid", status.PID, "postgresql", status.Major, "data", status.DataDir, "log", status.Log)
		}
		cli.Ready(ctx, "the database runs")
	})
	if err != nil {
		return database.EmbeddedError{Cause: err}
	}
	return nil
}
