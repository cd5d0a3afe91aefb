package lookup

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tx is one read-only snapshot of the index; the merge and the crawl go on meanwhile. Its methods queue
// queries. Send sends all of them in one round trip and calls the functions given for their results, in the
// order in which they were queued. It is not for concurrent use.
type Tx struct {
	conn  *pgxpool.Conn
	batch *pgx.Batch
	began bool
}

const beginSearchSQL = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`

// Search runs f on a snapshot. After an error that repetition can cure it runs f again, on a new snapshot: while the
// database is away as long as Options.WaitLimit says.
func (s *Store) Search(ctx context.Context, f func(*Tx) error) error {
	return s.OnConn(ctx, "search", func(conn *pgxpool.Conn) error { return onSnapshot(ctx, conn, f) })
}

// SearchOnce is Search without a repetition, for callers that have another database.
func (s *Store) SearchOnce(ctx context.Context, f func(*Tx) error) error {
	return s.OnceOnConn(ctx, func(conn *pgxpool.Conn) error { return onSnapshot(ctx, conn, f) })
}

// Stay runs f with the store itself. An engine asks its source for one database this way.
func (s *Store) Stay(ctx context.Context, f func(context.Context, *Store) error) error {
	return f(ctx, s)
}

func onSnapshot(ctx context.Context, conn *pgxpool.Conn, f func(*Tx) error) error {
	x := &Tx{conn: conn, batch: &pgx.Batch{}}
	if err := f(x); err != nil {
		return err
	}
	return x.end(ctx)
}

// ask queues a query.
func (x *Tx) ask(sql string, args []any, answer func(pgx.Rows) error) {
	if !x.began {
		x.began = true
		x.batch.Queue(beginSearchSQL)
	}
	x.batch.Queue(sql, args...).Query(answer)
}

// Send sends the queries that were queued since the last time. Without any it sends nothing.
func (x *Tx) Send(ctx context.Context) error {
	if x.batch.Len() == 0 {
		return nil
	}
	batch := x.batch
	x.batch = &pgx.Batch{}
	return x.conn.SendBatch(ctx, batch).Close()
}

// SendLast is Send and ends the snapshot: later queries see a later moment.
func (x *Tx) SendLast(ctx context.Context) error {
	if x.began {
		x.batch.Queue("COMMIT")
		x.began = false
	}
	return x.Send(ctx)
}

// end closes the transaction, unless SendLast has.
func (x *Tx) end(ctx context.Context) error {
	if x.conn.Conn().PgConn().TxStatus() == 'I' {
		return nil
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := x.conn.Exec(clean, "COMMIT")
	return err
}

// each calls f for each row of a result that was read into to.
func each(to []any, f func() error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, to, f)
		return err
	}
}
