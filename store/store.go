package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is a pool of connections to one migrated database. It is safe for concurrent use.
type DB struct {
	Pool    *pgxpool.Pool
	Options Options
	role    string // as which the connections act, empty = as who logged in
}

// Options say how to open a DB.
type Options struct {
	DSN         string        // connection URL or key=value string
	Application string        // application_name: "index", "index -D", ...
	Connections int           // upper bound of the pool; 0 = 4
	WaitLimit   time.Duration // how long to wait for a database that went away (DBWaitLimit); 0 = give up at once
	HistoryKeep int           // rows of crawl_history a URL; 0 = 10
	// Role is the role as which all statements run once the schema is up to date (SearchRole), where it is there and we may:
	// Store.Role says so. Empty = the one that logged in.
	Role string
}

// Open connects to a database and brings its schema up to date. It waits as WaitLimit says for a server that is starting, or has no
// connection free, and not where nobody answers. It returns an error that wraps ErrUnavailable when the database cannot be reached,
// and ErrSchemaNewer, ErrSchemaOld or ErrSchemaForeign when the schema is not one that this program may use.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.HistoryKeep == 0 {
		o.HistoryKeep = 10
	}
	cfg, err := pgxpool.ParseConfig(o.DSN)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	cfg.MaxConns = int32(max(o.Connections, 4))
	cfg.ConnConfig.RuntimeParams["application_name"] = o.Application
	cfg.ConnConfig.StatementCacheCapacity = 512
	// Nearly all statements look rows up by key; planning them anew for the first five executions on each connection costs
	// more than running them.
	cfg.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	// A plan made while a table was empty must not read it whole when it has grown. Statements that are meant to read
	// everything say so (ReadAll).
	cfg.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	cfg.ConnConfig.RuntimeParams["jit"] = "off"
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w: %w", ErrUnavailable, err)
	}
	if err := (&DB{Pool: pool, Options: o}).reach(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to database %q on %s: %w: %w",
			cfg.ConnConfig.Database, cfg.ConnConfig.Host, ErrUnavailable, err)
	}
	if err := Migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	// The schema is its owner's business, so the role comes after it.
	pool, role, err := underRole(ctx, pool, o.Role)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return &DB{Pool: pool, Options: o, role: role}, nil
}

// reach waits for the first connection, once the server has said that it will have one: an address that is mistyped must not cost
// WaitLimit. A server that restarts is silent for a moment in between.
func (s *DB) reach(ctx context.Context) (err error) {
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
	return err // the last answer: Open says the rest
}

// Close gives all connections back. Nothing may be under way.
func (s *DB) Close() { s.Pool.Close() }

// InTx runs f in a transaction and commits. Where the server asks for it (serialization failure, deadlock, lost
// connection, no room) the whole transaction is repeated, so f may run several times: it appends to no outer variable
// without emptying it first. what names the fact for messages.
func (s *DB) InTx(ctx context.Context, what string, f func(pgx.Tx) error) error {
	return s.Retry(ctx, what, func() error {
		return pgx.BeginFunc(ctx, s.Pool, f)
	})
}

// OnConn runs do on a connection, again as retry says. do begins and ends its transaction itself, so that both can travel
// with its statements; one that it left open is rolled back.
func (s *DB) OnConn(ctx context.Context, what string, do func(*pgxpool.Conn) error) error {
	return s.Retry(ctx, what, func() error {
		conn, err := s.Pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		err = do(conn)
		if err != nil && conn.Conn().PgConn().TxStatus() != 'I' && !conn.Conn().IsClosed() {
			clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_, _ = conn.Exec(clean, "ROLLBACK") // the pool drops a connection that cannot
		}
		return err
	})
}

// Retry repeats do while judge says that it helps: at most ten times for a conflict, for WaitLimit while the database
// is away (F3, F4, F6, F8).
func (s *DB) Retry(ctx context.Context, what string, do func() error) error {
	return s.RetryWithin(ctx, s.Options.WaitLimit, 10*time.Second, what, do)
}

// RetryWithin is retry with another limit, and another bound of the pause between two attempts while the database is away.
func (s *DB) RetryWithin(ctx context.Context, limit, longest time.Duration, what string, do func() error) error {
	var away time.Time // since when the database does not answer
	conflicts := 0
	pause := 100 * time.Millisecond
	for {
		err := do()
		if err == nil {
			if !away.IsZero() {
				slog.InfoContext(ctx, "database is back", "after", time.Since(away).Round(time.Second))
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
			if away.IsZero() {
				away = time.Now()
				slog.WarnContext(ctx, "database does not answer, waiting", "limit", limit, "cause", err)
			}
			if time.Since(away) >= limit {
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
