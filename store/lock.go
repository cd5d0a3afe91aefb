package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

// All advisory locks, in the order in which a transaction that needs several takes them. The numbers never
// change their meaning, because programs of different versions run at the same time. pg_locks shows a pair of
// keys as classid and objid with objsubid 2, a single one split in halves with objsubid 1 (docs/schema.md 9).
//
//	class, key                taken by                                                  until
//	one key: migrateLock      a program that finds its schema old                       the migration has ended
//	LockClass, 1 "crawl"      crawling processes, shared; -C and others exclusively     the session ends (SessionLocks)
//	ProcessClass, process_id  a crawling process, as a sign of life                     the session ends (SessionLocks)
//	LockClass, 3              a process that enters or opens a run                      its transaction ends
//	LockClass, 4              index -T, shared; -C exclusively                          the session ends (SessionLocks)
//	LockClass, 5 "rounds"     index --continuous, shared, also between its rounds       the session ends (SessionLocks)
//	LockClass, 6              a crawling process that tests the network                 the session ends (SessionLocks)
//	RealtimeClass, run_id     an index -T, as a sign of life                            the session ends (SessionLocks)
//	LockClass, 2 "merge"      -D, -K, -H, -B, -U, -X2, --rebuild-index, -C              the session ends (SessionLocks)
//	one key: LeaseLock        a lease, shared; exclusively: one that finds the run      its transaction ends
//	                          over, and the plan of a merge
//	one key: hash of a crc    a document transaction, of each clone group, ascending    its transaction ends
//	LockClass, 101            writers of the index: merge batch, -K, -H, -X2, swap, -C  its transaction ends
//	LockClass, 103            index -T, shared, to create words; a batch's second try   its transaction ends
//	LockClass, 105            a batch that ends; shared: index -T, to show waiting      its transaction ends
//	                          versions, and -X2, --rebuild-index, to rebuild wordurl1
//	LockClass, 106            a program that draws ids of words                         its transaction ends
//	LockClass, 104            a program that labels sites or builds a subset            its transaction ends
//	LockClass, 102            writers of wordurl1 and rt_urls; after all rows, too      its transaction ends
//
// A session's lock keeps others from beginning such a run. It ends with its connection, which may break. So a
// program that relies on what it has read before compares totals.changes under 101 when it writes
// (changes.go).
const (
	LockClass     = 0x70677365
	ProcessClass  = 0x70677370
	RealtimeClass = 0x70677372

	// The second keys of locks that last as long as a transaction.
	MergeBatchLock = int32(101)
	RealtimeLock   = int32(102)
	NewWordsLock   = int32(103)
	LabelLock      = int32(104)
	JournalLock    = int32(105)
	wordIDsLock    = int32(106)

	LeaseLock = 0x70677365_6c656173 // "pgselease", shortened
)

// LockKeys has the second keys of session locks.
var LockKeys = map[string]int32{"crawl": 1, "merge": 2, "crawl start": 3, "real-time run": 4, "rounds": 5, "connectivity": 6}

// SessionLock is an advisory lock that a session holds.
type SessionLock struct {
	Name       string // for messages
	Class, Key int32
	shared     bool
}

// SessionLocks are locks that this process holds until Release, or until its connection to the database ends,
// so a killed process holds nothing. It has a connection of its own, outside the pool. It is not for
// concurrent use.
type SessionLocks struct {
	store *DB
	locks []SessionLock
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

// lockPatience is how long a lock is requested: the server needs a moment to notice that its holder was
// killed.
const lockPatience = time.Second

// lockRetry is the longest pause between two attempts to restore the connection of a lock after the server
// went away. It is well below restartGrace.
const lockRetry = time.Second

// Lock takes the lock of that name ("crawl" or "merge") exclusively. Crawling processes share the lock of the
// crawl. When another process has it, the error is a *HeldError that names the holder (exit code 4).
func (s *DB) Lock(ctx context.Context, name string) (*SessionLocks, error) {
	if LockKeys[name] == 0 {
		return nil, fmt.Errorf("lock: unknown lock %q", name)
	}
	return s.HoldLocks(ctx, NamedLock(name, false))
}

// HoldLocks takes several locks on one new connection.
func (s *DB) HoldLocks(ctx context.Context, locks ...SessionLock) (*SessionLocks, error) {
	h := &SessionLocks{store: s, locks: locks}
	if err := h.take(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// NamedLock returns the lock of LockKeys with that name.
func NamedLock(name string, shared bool) SessionLock {
	return SessionLock{Name: name, Class: LockClass, Key: LockKeys[name], shared: shared}
}

// take opens the connection and takes the locks on it.
func (h *SessionLocks) take(ctx context.Context) error {
	return h.store.RetryWithin(ctx, h.store.Options.WaitLimit, lockRetry, "lock "+h.locks[0].Name, func() error {
		cfg := h.store.Pool.Config().ConnConfig
		cfg.RuntimeParams["application_name"] = lockHolderName(h.store.Options.Application)
		cfg.RuntimeParams["idle_session_timeout"] = "0"
		conn, err := pgx.ConnectConfig(ctx, cfg)
		if err != nil {
			return err
		}
		for _, lock := range h.locks {
			if err := h.try(ctx, conn, lock); err != nil {
				CloseConn(conn)
				return err
			}
		}
		h.conn = conn
		return nil
	})
}

// try tries to take a lock, several times.
func (h *SessionLocks) try(ctx context.Context, conn *pgx.Conn, lock SessionLock) error {
	for begin := time.Now(); ; {
		var got bool
		err := conn.QueryRow(ctx, tryLockSQL, lock.Class, lock.Key, lock.shared).Scan(&got)
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

// lockHolderName returns the application_name of a lock's connection: the program, its host and its process
// id. PostgreSQL cuts the name at 63 bytes, so the host is shortened rather than the process id.
func lockHolderName(application string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	pid := fmt.Sprintf(" pid %d", os.Getpid())
	name := application + " on " + host
	return name[:min(len(name), 63-len(pid))] + pid
}

// holder returns the error that names the holder of a lock. When nobody holds it any more, the error names
// nobody.
func holder(ctx context.Context, conn *pgx.Conn, lock SessionLock) error {
	held := &HeldError{What: lock.Name}
	err := conn.QueryRow(ctx, lockHolderSQL, int64(lock.Class), int64(lock.Key)).Scan(&held.Who, &held.Since)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return held
}

// Keep verifies that this process still has the locks. When their connection broke (the server was
// restarted), it takes them again; the error is a *HeldError when another process was faster. It does not
// detect a process that took a lock and ended in between: a caller that relies on what it read before names
// the state of the index when it writes (Changes).
func (h *SessionLocks) Keep(ctx context.Context) error {
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
		CloseConn(h.conn)
	}
	h.conn = nil
	return h.take(ctx)
}

// Conn returns the connection that holds the locks, nil after it broke.
func (h *SessionLocks) Conn() *pgx.Conn { return h.conn }

// Release releases the locks. Further calls do nothing.
func (h *SessionLocks) Release() {
	if h.conn != nil {
		CloseConn(h.conn)
		h.conn = nil
	}
}

// CloseConn closes a connection, also when the context of the work is canceled already.
func CloseConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server releases the locks whenever the connection ends
}
