package crawl

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
)

// unknownCommit is what a repeated document transaction remembers of the try before: one whose connection broke may have been committed, one
// that met a conflict was not (P6).
type unknownCommit struct {
	unknown bool
	events  map[store.URLID]int // of the URLs that it wrote to, before
}

// wroteSQL looks into the ring of a URL's last events for who wrote one of them.
const wroteSQL = `
	SELECT /* store.Document */ EXISTS (SELECT FROM crawl_history WHERE url_id = $1 AND slot = $2 AND run_id = $3)`

// resolved reports whether the try before was committed after all: the event that it was to write is there, and its run's own. Others
// may have recorded something of the same URL meanwhile. Then the transaction that has just begun, and locked them, is ended.
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

// wrote notes a document that a try writes.
func (x *unknownCommit) wrote(d *DocumentTx) {
	if x.events == nil {
		x.events = make(map[store.URLID]int)
	}
	x.events[d.ID] = d.Prev.Events
}

// of notes what came of a try's commit, and returns it.
func (x *unknownCommit) of(err error) error {
	x.unknown = err != nil && store.Classify(err) == store.ConnectionLost
	return err
}
