package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// RealtimeRun is a run of index -T. Several may be active at once, together with a crawl and a merge.
type RealtimeRun struct {
	Crawl
	store *Store
	held  *store.SessionLocks
}

const drawRunSQL = `
	SELECT /* store.BeginRealtime */ nextval('reindexing_run_id_seq'), extract(epoch FROM clock_timestamp())::float8`

// endDeadRealtimeSQL ends the runs of dead processes. They are recognized as soon as their lock is gone.
const endDeadRealtimeSQL = `
	WITH ` + livingSQL + `
	UPDATE /* store.BeginRealtime */ reindexing SET ended_at = now(), end_reason = 'stopped'
	WHERE kind = 'realtime' AND ended_at IS NULL AND run_id NOT IN (SELECT id FROM living)
		AND pg_postmaster_start_time() < now() - $2::interval`

// openRealtimeSQL may be repeated when its commit is unknown.
const openRealtimeSQL = `
	INSERT /* store.BeginRealtime */ INTO reindexing (run_id, kind, program, options, limited, config_hash)
	VALUES ($1, 'realtime', $2, $3, true, $4)
	ON CONFLICT (run_id) DO NOTHING`

const runStartSQL = `
	SELECT /* store.BeginRealtime */ floor(extract(epoch FROM started_at))::bigint FROM reindexing WHERE run_id = $1`

// BeginRealtime opens a run of index -T. While it is open the database cannot be emptied (-C).
func (s *Store) BeginRealtime(ctx context.Context, program, options string, config []byte) (*RealtimeRun, error) {
	r := &RealtimeRun{store: s}
	err := s.InTx(ctx, "begin real-time run", func(tx pgx.Tx) error {
		before := time.Now()
		var clock float64
		if err := tx.QueryRow(ctx, drawRunSQL).Scan(&r.ID, &clock); err != nil {
			return err
		}
		r.Skew = time.UnixMicro(int64(clock * 1e6)).Sub(before.Add(time.Since(before) / 2))
		return nil
	})
	if err != nil {
		return nil, err
	}
	alive := store.SessionLock{Name: "number of a real-time run", Class: store.RealtimeClass, Key: int32(r.ID)}
	if r.held, err = s.HoldLocks(ctx, store.NamedLock("real-time run", true), alive); err != nil {
		return nil, err
	}
	err = s.InTx(ctx, "begin real-time run", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, endDeadRealtimeSQL, int64(store.RealtimeClass), restartGrace); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, openRealtimeSQL, r.ID, program, options, config); err != nil {
			return err
		}
		return tx.QueryRow(ctx, runStartSQL, r.ID).Scan(&r.Start)
	})
	if err != nil {
		r.held.Release()
		return nil, err
	}
	return r, nil
}

// End closes the run with its counts. docs/reference/behavior.md, End of a run, lists the reasons.
func (r *RealtimeRun) End(ctx context.Context, reason string, c store.Counts) error {
	defer r.held.Release()
	return r.store.EndRun(ctx, r.ID, reason, c)
}

const detailsSQL = dueDetailsSQL + `
	ORDER BY w.url_id`

// Details returns the state that an attempt needs of URLs that nobody leased, by ascending id.
func (s *Store) Details(ctx context.Context, ids []store.URLID) (list []Due, err error) {
	err = s.Retry(ctx, "details of urls", func() error {
		rows, err := s.Pool.Query(ctx, detailsSQL, ids)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Due, error) { return scanDue(row) })
		return err
	})
	return list, err
}

const lockHostSQL = `
	SELECT /* store.ClaimHost */ CASE WHEN max(h.ready_at) > clock_timestamp()
		THEN extract(epoch FROM max(h.ready_at) - clock_timestamp())::float8 ELSE 0 END
	FROM (SELECT ready_at FROM sitestate WHERE host = $1 ORDER BY site_id FOR UPDATE) h -- sitestate_host`

const pauseHostSQL = `
	UPDATE /* store.ClaimHost */ sitestate SET ready_at = clock_timestamp() + $2
	WHERE host = $1 AND ready_at < clock_timestamp() + $2`

// ClaimHost asks for the turn to send a request to a host that nobody leased. It returns how long the host's
// pause still lasts. When the pause is over (0), it begins the next one, of the given length. A crawl that
// leases the next schedule and other index -T wait for that pause.
func (s *Store) ClaimHost(ctx context.Context, host string, pause time.Duration) (wait time.Duration, err error) {
	err = s.InTx(ctx, "claim host", func(tx pgx.Tx) error {
		var seconds float64
		if err := tx.QueryRow(ctx, lockHostSQL, host).Scan(&seconds); err != nil {
			return err
		}
		wait = time.Duration(seconds * float64(time.Second))
		if wait > 0 || pause <= 0 {
			return nil
		}
		_, err := tx.Exec(ctx, pauseHostSQL, host, pause)
		return err
	})
	return wait, err
}

// PauseHost allows no new request to a host until a pause is over.
func (s *Store) PauseHost(ctx context.Context, host string, pause time.Duration) error {
	return s.InTx(ctx, "pause host", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, pauseHostSQL, host, pause)
		return err
	})
}
