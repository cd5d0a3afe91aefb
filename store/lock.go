package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

// The first key of all our advisory locks; the second is one of the numbers below, and of processClass the number of a
// crawling process.
const (
	lockClass    = 0x70677365
	processClass = 0x70677370
)

// The second key of a lock that a session holds. Numbers never change their meaning: programs of different age meet.
var lockKeys = map[string]int32{"crawl": 1, "merge": 2, "crawl start": 3, "real-time run": 4}

// mergeBatchLock is the second key of the lock that each merge batch takes for its transaction.
const mergeBatchLock = int32(101)

// sessionLock is an advisory lock that a session holds.
type sessionLock struct {
	name       string // for messages
	class, key int32
	shared     bool
}

// Held are locks that this process holds until Release, or until its connection to the database ends: so a process that
// is killed holds nothing. It has a connection of its own, outside the pool. It is not for concurrent use.
type Held struct {
	store *Store
	locks []sessionLock
	conn  *pgx.Conn
}

const tryLockSQL = `
	SELECT /* store.Lock */ CASE WHEN $3 THEN pg_try_advisory_lock_shared($1, $2) ELSE pg_try_advisory_lock($1, $2) END`

const lockHolderSQL = `
	SELECT /* store.Lock */ coalesce(a.application_name, ''), coalesce(a.backend_start, now())
	FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
	WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
	  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	  AND l.classid = $1::bigint::oid AND l.objid = $2::bigint::oid
	ORDER BY a.pid LIMIT 1`

// lockPatience is how long a lock is asked for: the server needs a moment to notice that its holder was killed.
const lockPatience = time.Second

// lockRetry is the longest pause between two attempts to have a lock's connection again after the server went away. It is
// well below restartGrace.
const lockRetry = time.Second

// Lock takes the lock of that name ("crawl" or "merge") for this process alone. Crawling processes share the one of the
// crawl. When another process has it, the error is a *HeldError that names the holder (rules.md 10, exit code 4).
func (s *Store) Lock(ctx context.Context, name string) (*Held, error) {
	if lockKeys[name] == 0 {
		return nil, fmt.Errorf("lock: no lock is named %q", name)
	}
	h := &Held{store: s, locks: []sessionLock{named(name)}}
	if err := h.take(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

func named(name string) sessionLock {
	return sessionLock{name: name, class: lockClass, key: lockKeys[name]}
}

// take opens the connection and takes the locks on it.
func (h *Held) take(ctx context.Context) error {
	return h.store.retryWithin(ctx, lockRetry, "lock "+h.locks[0].name, func() error {
		cfg := h.store.pool.Config().ConnConfig
		cfg.RuntimeParams["application_name"] = lockHolderName(h.store.o.Application)
		cfg.RuntimeParams["idle_session_timeout"] = "0"
		conn, err := pgx.ConnectConfig(ctx, cfg)
		if err != nil {
			return err
		}
		for _, lock := range h.locks {
			if err := h.try(ctx, conn, lock); err != nil {
				closeConn(conn)
				return err
			}
		}
		h.conn = conn
		return nil
	})
}

// try asks for a lock, some times.
func (h *Held) try(ctx context.Context, conn *pgx.Conn, lock sessionLock) error {
	for begin := time.Now(); ; {
		var got bool
		err := conn.QueryRow(ctx, tryLockSQL, lock.class, lock.key, lock.shared).Scan(&got)
		if err != nil || got {
			return err
		}
		if time.Since(begin) >= lockPatience {
			return holder(ctx, conn, lock)
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

// holder says who holds a lock. It went free in between when nobody is found; the caller is told all the same.
func holder(ctx context.Context, conn *pgx.Conn, lock sessionLock) error {
	held := &HeldError{What: lock.name}
	err := conn.QueryRow(ctx, lockHolderSQL, int64(lock.class), int64(lock.key)).Scan(&held.Who, &held.Since)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return held
}

// Keep makes sure that the locks are still ours. When their connection went away (the server was restarted) they are taken
// anew; the error is a *HeldError when another process was quicker.
func (h *Held) Keep(ctx context.Context) error {
	if h.conn != nil && !h.conn.IsClosed() {
		asking, cancel := context.WithTimeout(ctx, 10*time.Second) // a half-open connection answers nothing
		err := h.conn.Ping(asking)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		closeConn(h.conn)
	}
	h.conn = nil
	return h.take(ctx)
}

// Release gives the locks back. Calling it again does nothing.
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
	_ = conn.Close(ctx) // the server frees the locks when the connection ends, however it ends
}
