package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is a pool of connections to one migrated database. It is safe for concurrent use.
type DB struct {
	Pool    *pgxpool.Pool
	Options Options
	role    string // role of the connections, empty = the login role
	made    *atomic.Int64
}

// Options are the settings of a DB.
type Options struct {
	DSN         string        // connection URL or key=value string
	Application string        // application_name: "index", "index -D", ...
	Connections int           // upper bound of the pool; 0 = 4
	WaitLimit   time.Duration // how long to wait for a database that is away (DBWaitLimit); 0 = give up at once
	HistoryKeep int           // rows of crawl_history for each URL; 0 = 10
	// Role is the role with which all statements run once the schema is up to date (SearchRole), if it exists
	// and may be taken: DB.Role returns the result. Empty = the login role.
	Role string
	// KeepSchema refuses a schema that is older than the program's, in place of migrating it.
	KeepSchema bool
}

// Open connects to a database and migrates its schema. For a server that is starting, or has no free
// connection, it waits as WaitLimit says; when no server answers it does not wait. The error wraps
// ErrUnavailable when the database cannot be reached, and ErrSchemaNewer, ErrSchemaOld or ErrSchemaForeign
// when this program may not use the schema.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.HistoryKeep == 0 {
		o.HistoryKeep = 10
	}
	cfg, err := pgxpool.ParseConfig(o.DSN)
	if err != nil {
		return nil, badDSN(err)
	}
	cfg.ConnConfig.DialFunc = dialOf(ctx, cfg.ConnConfig.DialFunc)
	cfg.MaxConns = int32(max(o.Connections, 4))
	cfg.ConnConfig.RuntimeParams["application_name"] = o.Application
	cfg.ConnConfig.StatementCacheCapacity = 512
	// Nearly all statements look rows up by key; planning the first five executions on each connection costs
	// more than running them.
	cfg.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	// A plan made while a table was empty must not read it sequentially when it has grown. Statements that
	// read whole tables use ReadAll.
	cfg.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	cfg.ConnConfig.RuntimeParams["jit"] = "off"
	cfg.ConnConfig.RuntimeParams["standard_conforming_strings"] = "on" // a role may have it off, and the migrations mean it
	cfg.ConnConfig.RuntimeParams["idle_session_timeout"] = "0"         // a crawl that waits for its sites is not idle
	made := new(atomic.Int64)
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		made.Add(1)
		_, err := conn.Exec(ctx, waitForDiskSQL)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrUnavailable, err)
	}
	if err := (&DB{Pool: pool, Options: o}).connect(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to database %q on %s: %w: %w",
			cfg.ConnConfig.Database, cfg.ConnConfig.Host, ErrUnavailable, err)
	}
	if err := (&DB{Pool: pool, Options: o}).migrate(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	// Only the owner may migrate the schema, so the role is taken afterwards.
	pool, role, err := underRole(ctx, pool, o.Role)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return &DB{Pool: pool, Options: o, role: role, made: made}, nil
}

// migrate is Migrate, repeated while the database is away: each migration is complete or not there, and the next call goes on.
func (s *DB) migrate(ctx context.Context) (err error) {
	if gone := s.Retry(ctx, "migrate", func() error {
		if err = checkSchema(ctx, s.Pool); errors.Is(err, errOldSchema) && !s.Options.KeepSchema {
			err = Migrate(ctx, s.Pool)
		}
		if class := Classify(err); err != nil && (class == Fatal || class == InvalidValue) {
			return nil
		}
		return err
	}); gone != nil {
		return gone
	}
	return err
}

// waitForDiskSQL lets commits wait for the disk where the server's setting does not: rows of URLs and sites whose ids a program
// keeps must not be lost. A stronger setting stays.
const waitForDiskSQL = `
	SELECT /* store.Open */ set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

// Connected counts the connections of the pool so far. What a program remembers of the database is void when it has changed:
// a server that crashed, or a standby that took its place, may have lost rows.
func (s *DB) Connected() int64 { return s.made.Load() }

// connect waits for the first connection, once the server has answered that there will be one: a wrong address
// must not cost WaitLimit. A server that restarts does not answer for a moment in between.
func (s *DB) connect(ctx context.Context) (err error) {
	ping := func() error {
		err = s.Pool.Ping(ctx)
		return err
	}
	var said *pgconn.PgError
	if !errors.As(ping(), &said) || s.Options.WaitLimit == 0 {
		return err
	}
	if s.Retry(ctx, "connect", ping) != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err // the last error, which Open wraps
}

// Close closes all connections. No method may be running.
func (s *DB) Close() { s.Pool.Close() }

// InTx runs f in a transaction and commits. After an error that repetition can cure (serialization failure,
// deadlock, lost connection, no room) it repeats the whole transaction, so f may run several times and must
// reset outer variables to which it appends. what describes the transaction in messages.
func (s *DB) InTx(ctx context.Context, what string, f func(pgx.Tx) error) error {
	return s.Retry(ctx, what, func() error {
		return pgx.BeginFunc(ctx, s.Pool, f)
	})
}

// OnConn runs do on a connection, repeated as by Retry. do begins and ends its transaction itself, so that
// BEGIN and COMMIT can travel with its statements. A transaction that it left open is rolled back.
func (s *DB) OnConn(ctx context.Context, what string, do func(*pgxpool.Conn) error) error {
	return s.Retry(ctx, what, func() error { return s.OnceOnConn(ctx, do) })
}

// OnceOnConn is OnConn without a repetition.
func (s *DB) OnceOnConn(ctx context.Context, do func(*pgxpool.Conn) error) error {
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	err = do(conn)
	if err != nil && conn.Conn().PgConn().TxStatus() != 'I' && !conn.Conn().IsClosed() {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_, _ = conn.Exec(clean, "ROLLBACK") // the pool drops a connection on which this fails
	}
	return err
}

// Retry repeats do while Classify says that it helps: at most ten times for a conflict, for WaitLimit while
// the database is away (F3, F4, F6, F8).
func (s *DB) Retry(ctx context.Context, what string, do func() error) error {
	return s.RetryWithin(ctx, s.Options.WaitLimit, 10*time.Second, what, do)
}

// RetryWithin is Retry with another limit, and another longest pause between two attempts while the database
// is away.
func (s *DB) RetryWithin(ctx context.Context, limit, longest time.Duration, what string, do func() error) error {
	var since time.Time // when the database answered last
	conflicts := 0
	pause := 100 * time.Millisecond
	for {
		err := do()
		if err == nil {
			if !since.IsZero() {
				slog.InfoContext(ctx, "database is back", "after", time.Since(since).Round(time.Second))
			}
			return nil
		}
		wait := pause
		switch Classify(err) {
		case Conflict:
			if conflicts++; conflicts > 10 {
				return fmt.Errorf("%s: %w", what, err)
			}
			wait = time.Duration(conflicts) * 5 * time.Millisecond
		case ConnectionLost, NoRoom:
			if since.IsZero() {
				since = time.Now()
				slog.WarnContext(ctx, "waiting for the database", "why", away(err), "limit", limit, "cause", err)
			}
			if time.Since(since) >= limit {
				return fmt.Errorf("%s: %w: %w", what, ErrUnavailable, err)
			}
			pause = min(2*pause, longest)
		case Fatal, InvalidValue:
			if errors.Is(err, ErrScheduleLost) || ctx.Err() != nil {
				return err
			}
			return fmt.Errorf("%s: %w", what, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}
