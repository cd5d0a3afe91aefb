package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
)

// database is --db: the embedded server by hand.
func (p *program) database(ctx context.Context) error {
	if p.cfg.Spider.DBAddr != "" {
		if p.o.db == "psql" {
			return p.psql(exec.CommandContext(ctx, "psql", append([]string{p.cfg.Spider.DBAddr}, p.o.rest...)...))
		}
		return usageError("--db " + p.o.db + " is for the embedded server, and DBAddr names another")
	}
	cluster, err := embedded.Open(p.cfg.Spider.DataDir)
	if err != nil {
		return fmt.Errorf("embedded database: %w: %w", store.ErrUnavailable, err)
	}
	switch p.o.db {
	case "start":
		if err := cluster.Start(ctx); err != nil {
			return fmt.Errorf("embedded database: %w: %w", store.ErrUnavailable, err)
		}
		return p.tellStatus(ctx, cluster)
	case "status":
		return p.tellStatus(ctx, cluster)
	case "stop":
		return cluster.Stop(ctx)
	default:
		if err := cluster.Start(ctx); err != nil {
			return fmt.Errorf("embedded database: %w: %w", store.ErrUnavailable, err)
		}
		return p.psql(cluster.PsqlCommand(p.o.rest...))
	}
}

// tellStatus prints where the server is and whether it runs.
func (p *program) tellStatus(ctx context.Context, cluster *embedded.Cluster) error {
	status, err := cluster.Status(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%v\n", status)
	return nil
}

// psql runs psql in our place.
func (p *program) psql(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.out, p.errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("psql: exit code %d", exit.ExitCode())
	}
	return err
}
