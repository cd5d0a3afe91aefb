package report

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Deferred is a host whose robots.txt gave no rules when it was asked for last.
type Deferred struct {
	HostInfo string // host for http at port 80, else host:port
	AskedAt  time.Time
	Status   int // extended
	Cause    string
	Failures int // in a row
	Refusals int // of them, those that count for RobotsPolicy gsa
}

const deferredSQL = `
	SELECT /* store.Deferred */ hostinfo, fetched_at, status, cause, failures, refusals
	FROM robots_cache
	WHERE failures > 0
	ORDER BY hostinfo`

// DeferredHosts returns the hosts whose robots.txt could not be had, by name. It reads robots_cache, a row a host.
func (s *Store) DeferredHosts(ctx context.Context) (list []Deferred, err error) {
	err = s.InTx(ctx, "deferred hosts", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, deferredSQL)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Deferred])
		return err
	})
	return list, err
}
