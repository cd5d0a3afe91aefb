package crawl

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
)

// unknownCommit remembers the last attempt of a document transaction that is repeated. When the connection
// broke, that attempt may have been committed; after a conflict it was not (P6).
type unknownCommit struct {
	unknown bool
	events  map[store.URLID]int // of the URLs that it wrote to, before it wrote
}

// wroteSQL reports whether a run wrote a certain event in the ring buffer of a URL.
const wroteSQL = `
	SELECT /* store.Document */ EXISTS (SELECT 1 FROM crawl_history WHERE url_id = $1 AND slot = $2 AND run_id = $3)`

// resolved reports whether the last attempt was committed after all: the event that it was to write exists
// and is of its run. Others may have recorded events of the same URL since. If so, it rolls back the new
// transaction, which has locked the URLs.
func (x *unknownCommit) resolved(ctx context.Context, conn *pgxpool.Conn, list []*DocumentTx) (committed bool, err error) {
	if !x.unknown {
		x.events = nil
		return false, nil
	}
	for _, d := range list {
		before, wrote := x.events[d.ID]
		if !wrote || d.Prev.Events <= before {
			continue
		}
		if err := conn.QueryRow(ctx, wroteSQL, d.ID, before%d.keep, d.held.Run).Scan(&committed); err != nil {
			return false, err
		}
		if committed {
			_, err := conn.Exec(ctx, "ROLLBACK")
			return true, err
		}
	}
	*x = unknownCommit{}
	return false, nil
}

// wrote notes a document that an attempt writes.
func (x *unknownCommit) wrote(d *DocumentTx) {
	if x.events == nil {
		x.events = make(map[store.URLID]int)
	}
	x.events[d.ID] = d.Prev.Events
}

// of notes the result of an attempt's commit, and returns it.
func (x *unknownCommit) of(err error) error {
	x.unknown = err != nil && store.Classify(err) == store.ConnectionLost
	return err
}
