package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

// lockClass is the first key of all our advisory locks; the second is one of the numbers below.
const lockClass = 0x70677365

// The second key of a lock that a session holds. Numbers never change their meaning: programs of different age meet.
var lockKeys = map[string]int32{"crawl": 1, "merge": 2}

// mergeBatchLock is the second key of the lock that each merge batch takes for its transaction.
const mergeBatchLock = int32(101)

// Held is a lock that this process holds until Release, or until its connection to the database ends: so a process that
// is killed holds nothing. It has a connection of its own, outside the pool. It is not for concurrent use.
type Held struct {
	store *Store
	name  string
	conn  *pgx.Conn
}

const tryLockSQL = `
	SELECT /* store.Lock */ pg_try_advisory_lock($1, $2)`

const lockHolderSQL = `
	SELECT /* store.Lock */ coalesce(a.application_name, ''), coalesce(a.backend_start, now())
	FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
	WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
	  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	  AND l.classid = $1::bigint::oid AND l.objid = $2::bigint::oid
	ORDER BY a.pid LIMIT 1`

// lockPatience is how long a lock is asked for: the server needs a moment to notice that its holder was killed.
const lockPatience = time.Second

// Lock takes the lock of that name ("crawl" or "merge") for this process. When another process has it, the
// error is a *HeldError that names the holder (rules.md 10, exit code 4).
func (s *Store) Lock(ctx context.Context, name string) (*Held, error) {
	if lockKeys[name] == 0 {
		return nil, fmt.Errorf("lock: no lock is named %q", name)
	}
	h := &Held{store: s, name: name}
	if err := h.take(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// take opens the connection and takes the lock on it.
func (h *Held) take(ctx context.Context) error {
	return h.store.retry(ctx, "lock "+h.name, func() error {
		cfg := h.store.pool.Config().ConnConfig
		cfg.RuntimeParams["application_name"] = lockHolderName(h.store.o.Application)
		cfg.RuntimeParams["idle_session_timeout"] = "0"
		conn, err := pgx.ConnectConfig(ctx, cfg)
		if err != nil {
			return err
		}
		if err := h.try(ctx, conn); err != nil {
			closeConn(conn)
			return err
		}
		h.conn = conn
		return nil
	})
}

// try asks for the lock, some times in lockPatience.
func (h *Held) try(ctx context.Context, conn *pgx.Conn) error {
	for begin := time.Now(); ; {
		var got bool
		err := conn.QueryRow(ctx, tryLockSQL, int32(lockClass), lockKeys[h.name]).Scan(&got)
		if err != nil || got {
			return err
		}
		if time.Since(begin) >= lockPatience {
			return h.holder(ctx, conn)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPatience / 20):
		}
	}
}

// lockHolderName is what pg_stat_activity says of a lock's connection: the program, its host and its process id.
// PostgreSQL cuts the name at 63 bytes, so the host is shortened rather than the process id.
func lockHolderName(application string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	pid := fmt.Sprintf(" pid %d", os.Getpid())
	name := application + " on " + host
	return name[:min(len(name), 63-len(pid))] + pid
}

// holder says who holds the lock. It went free in between when nobody is found; the caller is told all the same.
func (h *Held) holder(ctx context.Context, conn *pgx.Conn) error {
	held := &HeldError{What: h.name}
	err := conn.QueryRow(ctx, lockHolderSQL, int64(lockClass), int64(lockKeys[h.name])).Scan(&held.Who, &held.Since)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return held
}

// Keep makes sure that the lock is still ours. When its connection went away (the server was restarted) it is taken
// anew; the error is a *HeldError when another process was quicker.
func (h *Held) Keep(ctx context.Context) error {
	if h.conn != nil && !h.conn.IsClosed() {
		if err := h.conn.Ping(ctx); err == nil {
			return nil
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
		closeConn(h.conn)
	}
	h.conn = nil
	return h.take(ctx)
}

// Release gives the lock back. Calling it again does nothing.
func (h *Held) Release() {
	if h.conn != nil {
		closeConn(h.conn)
		h.conn = nil
	}
}

// closeConn ends a connection, also when the work's own context is cancelled already.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server frees the lock when the connection ends, however it ends
}
