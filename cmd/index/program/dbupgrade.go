package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
)

// upgradeMode is --db upgrade: it moves the embedded server to the newest PostgreSQL, removes what that has kept (--finish), or
// goes back to it (--back).
func (p *program) upgradeMode(ctx context.Context) error {
	var options []embedded.Option
	if p.o.finish || p.o.back {
		options = append(options, embedded.WithoutPrograms())
	}
	cluster, err := p.cluster(options...)
	switch {
	case err != nil:
		return err
	case p.o.finish:
		return p.finishUpgrade(ctx, cluster)
	case p.o.back:
		return p.returnFromUpgrade(ctx, cluster)
	}
	if err := cluster.CheckUpgrade(ctx); err != nil { // before others are kept out
		return p.upgradeFailed(err)
	}
	var done embedded.Upgraded
	err = p.withStore(ctx, "index "+p.o.mode.name, func(ctx context.Context, s *store.DB) error {
		release, err := lockOut(ctx, s)
		defer release()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(p.stop, cancel)() // before the switch nothing has changed
		done, err = cluster.Upgrade(ctx, embedded.UpgradeOptions{Idle: release})
		if p.stop.Err() != nil && err != nil {
			return errInterrupted
		}
		return err
	})
	if err != nil {
		return p.upgradeFailed(err)
	}
	fmt.Fprintf(p.out, "the database uses PostgreSQL %d now: %d tables with %d rows were copied and compared\n"+
		"the old cluster of PostgreSQL %d is kept in %s; index --db upgrade --finish removes it\n", done.To, done.Tables, done.Rows, done.From, done.Kept)
	return nil
}

// upgradeFailed returns the error of a step of an upgrade, in which the old cluster has stayed in use.
func (p *program) upgradeFailed(err error) error {
	if errors.Is(err, embedded.ErrNothingToDo) || errors.Is(err, errInterrupted) {
		return err
	}
	return fmt.Errorf("upgrade: %w", err)
}

func (p *program) finishUpgrade(ctx context.Context, cluster *embedded.Cluster) error {
	k, err := cluster.KeptCluster()
	if err != nil {
		return err
	}
	if err := p.confirm(fmt.Sprintf("This removes the old cluster of PostgreSQL %d in %s, %s.", k.Major, k.Folder, embedded.Bytes(k.Size))); err != nil {
		return err
	}
	if err := cluster.FinishUpgrade(ctx); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s is removed\n", k.Folder)
	return nil
}

func (p *program) returnFromUpgrade(ctx context.Context, cluster *embedded.Cluster) error {
	k, err := cluster.KeptCluster()
	if err != nil {
		return err
	}
	err = p.confirm(fmt.Sprintf("This goes back to the cluster of PostgreSQL %d in %s. All that was written since %s is removed.",
		k.Major, k.Folder, k.Switched.Local().Format(time.DateTime)))
	if err != nil {
		return err
	}
	if err := cluster.ReturnFromUpgrade(ctx); err != nil {
		return err
	}
	return p.printStatus(ctx, cluster)
}
