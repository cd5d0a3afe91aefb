package crawl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
	"github.com/pgseek/pgseek/store/realtime"
)

// Token names the schedule under which a document is recorded. Seq 0 means none (index -T).
type Token struct {
	Seq     int64
	Attempt int
	Place   int
	Run     store.RunID
}

// Groups names the clone groups and the gate that a document transaction may touch besides its URL.
// Transactions of one clone group, and of one gate, are serialized.
type Groups struct {
	New       string       // digest of the new body, empty when there is none or clones do not matter; of index -T also what a 304 stands for
	Old       string       // digest that is stored, when the document may leave its group; else empty
	Equals    int          // how many documents with the new digest to count at most, 0 = none
	Gate      store.SiteID // site whose safety gate is read, 0 = none
	Canonical store.URLID  // canonical page that is asked about, 0 = none
	// Refused asks for Previous.Refused, Kept for Previous.KeptBy.
	Refused, Kept bool
}

// locks returns the clone groups to lock, in the same order for all transactions.
func (g Groups) locks() (crcs []string) {
	for _, crc := range []string{min(g.New, g.Old), max(g.New, g.Old)} {
		if crc != "" && !slices.Contains(crcs, crc) {
			crcs = append(crcs, crc)
		}
	}
	return crcs
}

const lookSQL = `
	SELECT /* store.Look */ w.url_id, w.site_id, w.url, w.deleted = 1, w.status, w.crc, w.etag, w.last_modified,
		w.last_index_time, w.hops, w.tag, w.origin, coalesce(s.index_mode, 3), s.links_hash, coalesce(s.attempts, 0), coalesce(s.canonical, 0)
	FROM urlword w LEFT JOIN urlstate s ON s.url_id = w.url_id
	WHERE w.url_id = $1`

// Look returns the stored state of a URL that nobody leased.
func (s *Store) Look(ctx context.Context, id store.URLID) (d Due, err error) {
	err = s.Retry(ctx, "look", func() error {
		return s.Pool.QueryRow(ctx, lookSQL, id).Scan(&d.ID, &d.Site, &d.URL, &d.Deleted, &d.Status, &d.CRC, &d.ETag, &d.LastModified,
			&d.LastIndexTime, &d.Hops, &d.Tag, &d.Origin, &d.IndexMode, &d.LinksHash, &d.Attempts, &d.Canonical)
	})
	return d, err
}

// Recording is one document of a document transaction.
type Recording struct {
	ID     store.URLID
	Held   Token
	Now    int64 // time of the answer, epoch seconds
	Groups Groups
	// Decide gets the previous state of the document and calls the actions. It may run again when the transaction is repeated.
	Decide func(*DocumentTx) error

	words *Realtime // of index -T, nil otherwise

	// Err is why nothing of this document was written: ErrScheduleLost, when the schedule timed out and another fetcher holds it;
	// ErrDependent; or an error of Decide.
	Err error
}

// ErrDependent says that a document belongs to the clone group of another one of its transaction. It must be recorded after that.
var ErrDependent = errors.New("another document of the transaction has the same content")

// DocumentTx is one document of a document transaction. The actions note what is to be written; all rows of a transaction are
// written together, with one statement for each table (writer).
type DocumentTx struct {
	ID   store.URLID
	Prev Previous

	held  Token
	now   int64 // epoch seconds
	keep  int
	found bool // it is registered

	// What the actions noted. Statements of before precede the rows, those of after follow them.
	before, after pgx.Batch
	mark          *markRow
	version       *versionRow
	content       *contentRow
	journals      []journalRow
	attempt       *attemptRow
	event         *eventRow

	realtime *realtimeState // of index -T, nil otherwise
}

// fenceSQL checks the fencing tokens. Its shared lock blocks a re-issue, so a schedule stays its holder's
// until the commit. FOR KEY SHARE would let a re-issue pass.
const fenceSQL = `
	SELECT /* store.Document */ seq, attempt, ` + laterOnDisk + ` FROM schedule
	WHERE seq = ANY($1) AND status = 's'
	ORDER BY seq
	FOR SHARE`

// cloneLocksSQL serializes the transactions of a clone group. It precedes every row lock, and the digests are in one order.
const cloneLocksSQL = `
	SELECT /* store.Document */ pg_advisory_xact_lock(hashtextextended(crc, 0)) FROM unnest($1::text[]) crc`

// lockURLsSQL is a statement of its own: the statement after it sees in all three tables what the transactions
// wrote that it waited for.
const lockURLsSQL = `
	SELECT /* store.Document */ 1 FROM urlword
	WHERE url_id = ANY($1)
	ORDER BY url_id
	FOR UPDATE`

// RecordDocument records one document. It returns the error of the document, too.
func (s *Store) RecordDocument(ctx context.Context, h Token, id store.URLID, now int64, g Groups, decide func(*DocumentTx) error) error {
	one := []Recording{{ID: id, Held: h, Now: now, Groups: g, Decide: decide}}
	if err := s.RecordDocuments(ctx, one); err != nil {
		return err
	}
	return one[0].Err
}

// RecordDocuments records documents in one transaction: it locks their URLs in one order, passes the previous state of each to its
// Decide, and commits what the actions noted. Each document is recorded as if alone, or has an Err and is not recorded. After
// an error none is.
//
// No URL may be in the list twice. Documents that depend on each other, by a clone group or the gate of their site, must not be in
// one list.
func (s *Store) RecordDocuments(ctx context.Context, docs []Recording) error {
	var last unknownCommit
	return s.OnConn(ctx, "record documents", func(conn *pgxpool.Conn) error {
		list := make([]*DocumentTx, len(docs))
		for i := range docs {
			r := &docs[i]
			list[i] = &DocumentTx{ID: r.ID, held: r.Held, now: r.Now, keep: s.Options.HistoryKeep}
			if r.words != nil {
				list[i].realtime = &realtimeState{Realtime: *r.words}
			}
		}
		held, err := begin(ctx, conn, docs, list)
		if err != nil {
			return err
		}
		if done, err := last.resolved(ctx, conn, list); done || err != nil {
			return err
		}
		dependent := dependents(docs, list)
		w := &writer{}
		for i, d := range list {
			r := &docs[i]
			switch {
			case d.held.Seq != 0 && held[d.held.Seq] != d.held.Attempt:
				r.Err = store.ErrScheduleLost
			case !d.found:
				r.Err = fmt.Errorf("url %d is not registered", d.ID)
			case dependent[d.ID]:
				r.Err = ErrDependent
			default:
				if r.Err = d.decide(r.Decide); r.Err == nil {
					w.take(d)
					last.wrote(d)
				}
			}
		}
		if w.documents == 0 {
			_, err := conn.Exec(ctx, "ROLLBACK")
			return err
		}
		if err := failpoint.Hit("doc.before-commit"); err != nil {
			return err
		}
		if err := last.of(w.commit(ctx, conn)); err != nil {
			return err
		}
		return failpoint.Hit("doc.after-commit")
	})
}

// begin is the first of the two round trips: BEGIN, the locks in their order, the previous states. It returns the attempts of the
// schedules that are open.
func begin(ctx context.Context, conn *pgxpool.Conn, docs []Recording, list []*DocumentTx) (held map[int64]int, err error) {
	var groups []string
	var schedules []int64
	ids := make([]int32, len(docs))
	for i := range docs {
		groups = append(groups, docs[i].Groups.locks()...)
		if seq := docs[i].Held.Seq; seq != 0 {
			schedules = append(schedules, seq)
		}
		ids[i] = int32(docs[i].ID)
	}
	slices.Sort(groups)
	groups = slices.Compact(groups)
	slices.Sort(schedules)
	schedules = slices.Compact(schedules)

	var b pgx.Batch
	b.Queue("BEGIN")
	if len(groups) > 0 {
		b.Queue(cloneLocksSQL, groups)
	}
	if keepsWaiting(docs) {
		b.Queue(realtime.ShareJournalSQL, int32(store.LockClass), store.JournalLock)
	}
	held = make(map[int64]int, len(schedules))
	if len(schedules) > 0 {
		b.Queue(fenceSQL, schedules).Query(func(rows pgx.Rows) error {
			var seq int64
			var attempt int
			_, err := pgx.ForEachRow(rows, []any{&seq, &attempt, nil}, func() error { held[seq] = attempt; return nil })
			return err
		})
	}
	b.Queue(lockURLsSQL, ids)
	states := previousStates{docs: list}
	states.ask(&b, docs)
	if list[0].realtime != nil {
		askWaiting(&b, docs, list)
	}
	return held, conn.SendBatch(ctx, &b).Close()
}

// dependents returns the documents whose stored digest is that of an earlier document's clone group. Their caller did not know
// of it, because they changed meanwhile.
func dependents(docs []Recording, list []*DocumentTx) map[store.URLID]bool {
	if len(docs) == 1 {
		return nil
	}
	found := make(map[store.URLID]bool)
	of := make(map[string]store.URLID)
	for i, d := range list {
		for _, crc := range append(docs[i].Groups.locks(), d.Prev.CRC) {
			switch first, ok := of[crc]; {
			case crc == "":
			case ok && first != d.ID:
				found[d.ID] = true
			default:
				of[crc] = d.ID
			}
		}
	}
	return found
}

// decide calls the decision, unless the words that index -T prepared are out of date by it.
func (d *DocumentTx) decide(decide func(*DocumentTx) error) error {
	err := decide(d)
	if err == nil && d.realtime != nil {
		err = d.realtime.fault
	}
	return err
}
