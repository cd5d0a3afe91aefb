package program

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/store/embedded"
)

// cluster returns the embedded server, which --db is about. It is an error when DBAddr names another server.
func (p *program) cluster(options ...embedded.Option) (*embedded.Cluster, error) {
	if p.cfg.Spider.DBAddr != "" {
		return nil, usageError("--db " + p.o.mode.value + " is for the embedded server, but DBAddr names another one")
	}
	cluster, err := embedded.Open(p.cfg.Spider.DataDir, options...)
	if err != nil {
		return nil, database.EmbeddedError{Cause: err}
	}
	return cluster, nil
}

// startDatabase is --db start.
func (p *program) startDatabase(ctx context.Context) error {
	cluster, err := p.cluster()
	if err != nil {
		return err
	}
	if err := cluster.Start(ctx); err != nil {
		return database.EmbeddedError{Cause: err}
	}
	return p.printStatus(ctx, cluster)
}

// databaseStatus is --db status.
func (p *program) databaseStatus(ctx context.Context) error {
	cluster, err := p.cluster(embedded.WithoutPrograms())
	if err != nil {
		return err
	}
	return p.printStatus(ctx, cluster)
}

// stopDatabase is --db stop.
func (p *program) stopDatabase(ctx context.Context) error {
	cluster, err := p.cluster(embedded.WithoutPrograms())
	if err != nil {
		return err
	}
	if err := cluster.Stop(ctx); err != nil {
		return err
	}
	return p.printStatus(ctx, cluster)
}

// printStatus prints where the server is and whether it runs.
func (p *program) printStatus(ctx context.Context, cluster *embedded.Cluster) error {
	status, err := cluster.Status(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%v\n", status)
	return nil
}

// psqlMode is --db psql: on the server of DBAddr, or on the embedded one, which it starts.
func (p *program) psqlMode(ctx context.Context) error {
	if p.cfg.Spider.DBAddr != "" {
		address, environment := hidePassword(p.cfg.Spider.DBAddr)
		cmd := exec.CommandContext(ctx, "psql", append([]string{address}, p.o.rest...)...)
		cmd.Env = append(os.Environ(), environment...)
		return p.psql(cmd)
	}
	cluster, err := p.cluster()
	if err != nil {
		return err
	}
	if err := cluster.Start(ctx); err != nil {
		return database.EmbeddedError{Cause: err}
	}
	return p.psql(cluster.PsqlCommand(p.o.rest...))
}

// psql runs psql in our place: an interrupt is its own affair.
func (p *program) psql(cmd *exec.Cmd) error {
	signal.Ignore(os.Interrupt)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.in, p.out, p.errOut
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return fmt.Errorf("psql: exit code %d", exit.ExitCode())
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("psql is not installed (Debian: apt-get install postgresql-client)")
	}
	return err
}

// passwordSetting finds the password of a key=value connection string.
var passwordSetting = regexp.MustCompile(`(^|\s)password\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s\\]|\\.)*))`)

// hidePassword takes the password out of a connection string and gives it in the environment: arguments of a process can
// be read by everybody on the machine.
func hidePassword(dsn string) (address string, environment []string) {
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" {
		query := u.Query()
		password := query.Get("password")
		if there, ok := u.User.Password(); ok {
			password = there
			u.User = url.User(u.User.Username())
		}
		if password == "" {
			return dsn, nil
		}
		query.Del("password")
		u.RawQuery = query.Encode()
		return u.String(), []string{"PGPASSWORD=" + password}
	}
	found := passwordSetting.FindStringSubmatch(dsn)
	if found == nil {
		return dsn, nil
	}
	password := regexp.MustCompile(`\\(.)`).ReplaceAllString(found[2]+found[3], "$1")
	return strings.TrimSpace(passwordSetting.ReplaceAllString(dsn, "$1")), []string{"PGPASSWORD=" + password}
}
