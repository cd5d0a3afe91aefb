package crawl

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Hosts that limit the rate of requests (table host_limit). Their pauses are in sitestate.ready_at, too, which leases and
// index -T look at; the table says which pauses a host asked for.

// Pace is how a host that limits requests may be asked. The zero value is that of all other hosts.
type Pace struct {
	Delay    time.Duration // between two requests
	Refusals int           // URLs refused since the last answer of another kind, or one of them as often
}

// LongestWait is how long a run waits for the pause of a host. The URLs of a host with a longer one stay due.
const LongestWait = 5 * time.Minute

// Refusal is an answer by which a host limits the rate of requests.
type Refusal struct {
	Host   string
	Pace   Pace // from now on
	Pause  time.Duration
	Status int
	URL    string
}

const refusedSQL = `
	INSERT /* store.HostRefused */ INTO host_limit (host, delay_ms, refusals, pause_until, status, url, refused_at)
	VALUES ($1, $2, $3, clock_timestamp() + $4, $5, $6, clock_timestamp())
	ON CONFLICT (host) DO UPDATE SET delay_ms = greatest(host_limit.delay_ms, EXCLUDED.delay_ms), refusals = EXCLUDED.refusals,
		pause_until = greatest(host_limit.pause_until, EXCLUDED.pause_until), status = EXCLUDED.status, url = EXCLUDED.url,
		refused_at = EXCLUDED.refused_at`

// HostRefused pauses a host that refused a request, for all processes.
func (s *Store) HostRefused(ctx context.Context, r Refusal) error {
	return s.InTx(ctx, "pause host", func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(lockHostSQL, r.Host)
		b.Queue(pauseHostSQL, r.Host, r.Pause)
		b.Queue(refusedSQL, r.Host, r.Pace.Delay.Milliseconds(), r.Pace.Refusals, r.Pause, r.Status, r.URL)
		return tx.SendBatch(ctx, &b).Close()
	})
}

const paceSQL = `UPDATE /* store.SavePace */ host_limit SET delay_ms = $2, refusals = $3 WHERE host = $1`

const noPaceSQL = `DELETE /* store.SavePace */ FROM host_limit WHERE host = $1`

// SavePace stores the pace of a host that answered again. Without a delay the host is like any other.
func (s *Store) SavePace(ctx context.Context, host string, p Pace) error {
	return s.InTx(ctx, "pace of a host", func(tx pgx.Tx) error {
		if p == (Pace{}) {
			_, err := tx.Exec(ctx, noPaceSQL, host)
			return err
		}
		_, err := tx.Exec(ctx, paceSQL, host, p.Delay.Milliseconds(), p.Refusals)
		return err
	})
}

// LimitedHost is a host whose pause is not over.
type LimitedHost struct {
	Host   string
	Until  time.Time
	Status int
	URL    string // that was refused
	Due    bool   // some of its URLs wait
}

const limitedHostsSQL = `
	SELECT /* store.LimitedHosts */ l.host, l.pause_until, l.status, l.url,
		EXISTS (SELECT 1 FROM sitestate s WHERE s.host = l.host AND s.next_class < 9)
	FROM host_limit l
	WHERE l.pause_until > now() AND ($1 = '' OR l.host = $1)
	ORDER BY l.host`

// LimitedHosts returns the hosts that asked for a pause which is not over, by name; with a name that host alone.
func (s *Store) LimitedHosts(ctx context.Context, host string) (list []LimitedHost, err error) {
	err = s.InTx(ctx, "limited hosts", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, limitedHostsSQL, host)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[LimitedHost])
		return err
	})
	return list, err
}

const endPauseSQL = `
	UPDATE /* store.EndPause */ host_limit SET pause_until = clock_timestamp(), refusals = 0
	WHERE host = $1 AND pause_until > clock_timestamp()`

const readyHostSQL = `
	UPDATE /* store.EndPause */ sitestate SET ready_at = clock_timestamp() WHERE host = $1 AND ready_at > clock_timestamp()`

// EndPause ends the pause of a host at the operator's request, and reports whether there was one. The delay between two
// requests stays. A run that goes on keeps the pauses that it knows.
func (s *Store) EndPause(ctx context.Context, host string) (paused bool, err error) {
	err = s.InTx(ctx, "end the pause of a host", func(tx pgx.Tx) error {
		var wait float64
		if err := tx.QueryRow(ctx, lockHostSQL, host).Scan(&wait); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, endPauseSQL, host)
		if paused = done.RowsAffected() > 0; err == nil && paused {
			_, err = tx.Exec(ctx, readyHostSQL, host)
		}
		return err
	})
	return paused, err
}
