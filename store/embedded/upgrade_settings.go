package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// setting is a setting of postgresql.conf or postgresql.auto.conf.
type setting struct{ Name, Value string }

const (
	// fileSettingsSQL reads the settings of the files, also those of which the command line has another value.
	fileSettingsSQL = `
		SELECT /* embedded.fileSettings */ DISTINCT ON (name) name, setting FROM pg_file_settings ORDER BY name, seqno DESC`

	knownSettingsSQL = `SELECT /* embedded.knownSettings */ name FROM pg_settings`

	accessRulesSQL = `
		SELECT /* embedded.accessRules */ concat_ws(' ', type, database, user_name, address, netmask, auth_method, options)
		FROM pg_hba_file_rules ORDER BY line_number`
)

// changedSettings returns the settings in the files of c that differ from those of n, which initdb and we have made, and that the
// server of n knows.
func changedSettings(ctx context.Context, c, n *Cluster) (changed []setting, err error) {
	var lists [2][]setting
	var known []string
	for i, cluster := range []*Cluster{c, n} {
		err := cluster.with(ctx, "postgres", func(conn *pgx.Conn) error {
			rows, err := conn.Query(ctx, fileSettingsSQL)
			if err != nil {
				return err
			}
			if lists[i], err = pgx.CollectRows(rows, pgx.RowToStructByPos[setting]); err != nil || i == 0 {
				return err
			}
			known, err = texts(ctx, conn, knownSettingsSQL)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("compare the settings: %w", err)
		}
	}
	for _, s := range lists[0] {
		switch {
		case slices.Contains(lists[1], s):
		case !strings.Contains(s.Name, ".") && !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, s.Name) }):
			slog.WarnContext(ctx, "the new PostgreSQL does not have this setting: it is left out", "setting", s.Name, "value", s.Value)
		default:
			changed = append(changed, s)
		}
	}
	return changed, nil
}

// takeOver writes the operator's settings into the new cluster and starts its server again. If it does not start with them,
// they are left out.
func (c *Cluster) takeOver(ctx context.Context, changed []setting) error {
	if len(changed) == 0 {
		return nil
	}
	path := filepath.Join(c.data, "postgresql.conf")
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := "\n# ---- taken over from the cluster before the upgrade ----\n"
	for _, s := range changed {
		text += fmt.Sprintf("%s = '%s'\n", s.Name, strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s.Value))
	}
	if err := rewrite(path, append(slices.Clone(before), text...)); err != nil {
		return err
	}
	err = c.restart(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	var names []string
	for _, s := range changed {
		names = append(names, s.Name+"="+s.Value)
	}
	slog.WarnContext(ctx, "the new PostgreSQL does not start with the settings of the old one: they are left out", "settings", strings.Join(names, ", "), "error", err)
	if err := rewrite(path, before); err != nil {
		return err
	}
	return c.restart(ctx)
}

// rewrite replaces the content of a file that nobody reads now. It keeps its owner.
func rewrite(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

func (c *Cluster) restart(ctx context.Context) error {
	return c.underLock(ctx, func() error {
		if err := c.stop(ctx, syscall.SIGINT); err != nil {
			return err
		}
		return c.startOnce(ctx, time.Now())
	})
}

// warnOfAccessRules warns when the operator has changed pg_hba.conf: the new cluster has that of initdb.
func (c *Cluster) warnOfAccessRules(ctx context.Context, n *Cluster) {
	var lists [2][]string
	for i, cluster := range []*Cluster{c, n} {
		err := cluster.with(ctx, "postgres", func(conn *pgx.Conn) (err error) {
			lists[i], err = texts(ctx, conn, accessRulesSQL)
			return err
		})
		if err != nil {
			slog.WarnContext(ctx, "pg_hba.conf cannot be compared", "error", err)
			return
		}
	}
	if !slices.Equal(lists[0], lists[1]) {
		slog.WarnContext(ctx, "pg_hba.conf of the new cluster has the rules that pgseek writes; take over yours from the folder of the old one")
	}
}
