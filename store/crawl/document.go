package crawl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/failpoint"
)

// Token names the schedule under which a document is recorded. Seq 0 means none (index -T).
type Token struct {
	Seq     int64
	Attempt int
	Place   int
	Run     store.RunID
}

// Previous is the stored state of a URL before a document transaction.
type Previous struct {
	URL           string
	Site          store.SiteID
	Deleted       bool
	Status        store.Status
	CRC           string
	ETag          string
	LastModified  string
	LastIndexTime int64
	Redir, Origin store.URLID
	NextIndexTime int64
	Hops          int
	HasRow        bool          // urlwordsNN has a row
	HasContent    bool          // and it has words (a clone has none of its own)
	Hrefs         []store.URLID // of that row, ascending
	Events        int           // rows ever written to crawl_history
	Attempts      int           // visits ever recorded
	ErrorClass    string
	ErrorCount    int
	IndexMode     int
	LinksHash     []byte
	SeenRun       store.RunID
	WithdrawnBy   string // the rule behind Deleted
	Kept          bool   // it left the index, and its content or that of its clone group is kept for its return
	Step          int    // of the adaptive schedule
	Unchanged     int    // results in a row on that step
	Redirect      int    // of a live document: a redirect that is not carried out yet, 0 for none
	RedirectTo    store.URLID
	RedirectRun   store.RunID
	Dated         time.Time // by a DateRule; zero for none

	// Twin is the live document with the lowest id that has the new crc of the group, except this URL. It is
	// 0 when there is none or no new crc was given.
	Twin store.URLID
	// Successor is the live clone of this document with the lowest id, which becomes the original
	// when this document leaves the group. It is 0 when there is none or no old crc was given.
	Successor store.URLID
	// AskedSuccessor says that an old crc was given.
	AskedSuccessor bool
	// Equals is the number of live documents with the new crc, except this URL, up to Groups.Equals.
	Equals int
	// KeptBy is the former original that has the content of a withdrawn clone, itself withdrawn; 0 when there is none or Groups.Kept
	// did not ask.
	KeptBy store.URLID
	// Canonical is the canonical page of the stored version. NamedCanonical is that of pages that name Groups.Canonical: this URL, or the
	// page to which it redirects. CanonicalStands says whether NamedCanonical is in the index and names no other page, StandsLost that
	// it is lost. They are read only with Groups.Canonical.
	Canonical, NamedCanonical   store.URLID
	CanonicalStands, StandsLost bool
	// Gate is the gate of the site, nil when it was not asked for.
	Gate *Gate
	// Refused is how often the host has refused the URL in this run already (429 or 503 by T-10), as far as it was asked for.
	Refused int
}

// MaxRefused is how often a URL is asked for in a run when its host refuses it.
const MaxRefused = 3

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
	err = s.InTx(ctx, "look", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, lookSQL, id).Scan(&d.ID, &d.Site, &d.URL, &d.Deleted, &d.Status, &d.CRC, &d.ETag, &d.LastModified,
			&d.LastIndexTime, &d.Hops, &d.Tag, &d.Origin, &d.IndexMode, &d.LinksHash, &d.Attempts, &d.Canonical)
	})
	return d, err
}

// DocumentTx is one document transaction. Its beginning locks and reads the state. The actions queue their
// statements, which are all sent with the commit.
type DocumentTx struct {
	ID   store.URLID
	Prev Previous

	held  Token
	now   int64 // epoch seconds
	keep  int
	batch pgx.Batch

	realtime *realtimeState // of index -T, nil otherwise
	stored   *Content       // the content row that is written, nil for none
}

// fenceSQL checks the fencing token. Its shared lock blocks a re-issue, so the schedule stays its holder's
// until the commit. FOR KEY SHARE would let a re-issue pass.
const fenceSQL = `
	SELECT /* store.Document */ ` + laterOnDisk + ` FROM schedule
	WHERE seq = $1 AND attempt = $2 AND status = 's'
	FOR SHARE`

// cloneLockSQL serializes the transactions of one clone group. It precedes every row lock.
const cloneLockSQL = `SELECT /* store.Document */ pg_advisory_xact_lock(hashtextextended($1, 0))`

const twinSQL = `
	SELECT /* store.Document */ coalesce(min(url_id), 0)          -- urlword_crc
	FROM urlword
	WHERE crc = $1 AND crc <> '' AND deleted = 0 AND (status & 65535) = 200 AND url_id <> $2`

// lockURLSQL is a statement of its own: the statement after it sees in all three tables what the transaction
// wrote that it waited for.
const lockURLSQL = `
	SELECT /* store.Document */ 1 FROM urlword
	WHERE url_id = $1
	FOR UPDATE`

const equalsSQL = `
	SELECT /* store.Document */ count(*) FROM (
		SELECT 1 FROM urlword                                          -- urlword_crc
		WHERE crc = $1 AND crc <> '' AND deleted = 0 AND (status & 65535) = 200 AND url_id <> $2
		LIMIT $3
	) e`

const heirSQL = `
	SELECT /* store.Document */ coalesce(min(url_id), 0)          -- urlword_origin
	FROM urlword
	WHERE origin = $1 AND origin <> 0 AND deleted = 0 AND (status & 65535) = 200`

const refusedTimesSQL = `
	SELECT /* store.Document */ count(*) FROM crawl_history              -- crawl_history_pkey
	WHERE url_id = $1 AND run_id = $2 AND rule IN ('T-10', 'T-10n') AND result IN (429, 503)`

var previousSQL = store.PerTable(`
	SELECT /* store.Document */ w.url, w.site_id, w.deleted, w.status, w.crc, w.etag, w.last_modified, w.last_index_time,
		w.next_index_time, w.redir, w.origin, w.hops, c.url_id IS NOT NULL, c.words IS NOT NULL, c.hrefs,
		coalesce(s.events, 0), coalesce(s.attempts, 0), coalesce(s.error_class, ''), coalesce(s.error_count, 0), coalesce(s.index_mode, 3),
		s.links_hash, coalesce(s.seen_run, 0), coalesce(s.withdrawn_by, ''), s.kept_since IS NOT NULL, coalesce(s.step, 0), coalesce(s.unchanged, 0),
		coalesce(s.redirect, 0), coalesce(s.redirect_to, 0), coalesce(s.redirect_run, 0), s.dated
	FROM urlword w
		LEFT JOIN urlstate s ON s.url_id = w.url_id
		LEFT JOIN urlwordsNN c ON c.url_id = w.url_id
	WHERE w.url_id = $1`)

// RecordDocument records the outcome for one URL in one transaction: it locks the URL, passes its previous
// state to decide, and commits the actions that decide called. now is the time of the answer in epoch
// seconds.
//
// It returns ErrScheduleLost, and has changed nothing, when the schedule timed out and another fetcher holds
// it. decide may run again when the transaction is repeated.
func (s *Store) RecordDocument(ctx context.Context, h Token, id store.URLID, now int64, g Groups, decide func(*DocumentTx) error) error {
	var last unknownCommit
	return s.OnConn(ctx, fmt.Sprintf("record url %d", id), func(conn *pgxpool.Conn) error {
		d := &DocumentTx{ID: id, held: h, now: now, keep: s.Options.HistoryKeep}
		if err := d.begin(ctx, conn, g); err != nil {
			return err
		}
		if done, err := last.resolved(ctx, conn, []*DocumentTx{d}); done || err != nil {
			return err
		}
		if err := decide(d); err != nil {
			return err
		}
		last.wrote(d)
		if err := failpoint.Hit("doc.before-commit"); err != nil {
			return err
		}
		if err := last.of(d.commit(ctx, conn)); err != nil {
			return err
		}
		return failpoint.Hit("doc.after-commit")
	})
}

// begin is the first of the two round trips: BEGIN, the locks in their order, the previous state.
func (d *DocumentTx) begin(ctx context.Context, conn *pgxpool.Conn, g Groups) error {
	var b pgx.Batch
	b.Queue("BEGIN")
	locks := g.locks()
	for _, crc := range locks {
		b.Queue(cloneLockSQL, crc)
	}
	if d.held.Seq != 0 {
		b.Queue(fenceSQL, d.held.Seq, d.held.Attempt)
	}
	b.Queue(lockURLSQL, d.ID)
	d.ask(&b, g)
	r := conn.SendBatch(ctx, &b)
	defer func() { _ = r.Close() }()
	if _, err := r.Exec(); err != nil {
		return err
	}
	for range locks {
		if _, err := r.Exec(); err != nil {
			return err
		}
	}
	if d.held.Seq != 0 {
		held, err := r.Exec()
		if err != nil {
			return err
		}
		if held.RowsAffected() == 0 {
			return store.ErrScheduleLost
		}
	}
	if _, err := r.Exec(); err != nil {
		return err
	}
	if err := d.readState(r, g); err != nil {
		return err
	}
	return r.Close()
}

// ask queues the queries for the previous state, after the locks.
func (d *DocumentTx) ask(b *pgx.Batch, g Groups) {
	b.Queue(previousSQL[d.ID%16], d.ID)
	if g.New != "" {
		b.Queue(twinSQL, g.New, d.ID)
	}
	if g.Equals > 0 {
		b.Queue(equalsSQL, g.New, d.ID, g.Equals)
	}
	if g.Old != "" {
		b.Queue(heirSQL, d.ID)
	}
	if g.Gate != 0 {
		b.Queue(gateSQL, g.Gate)
	}
	if g.Canonical > 0 {
		b.Queue(canonicalStandsSQL, d.ID, g.Canonical)
	}
	if g.Refused {
		b.Queue(refusedTimesSQL, d.ID, d.held.Run)
	}
	if g.Kept {
		b.Queue(keptBySQL, d.ID)
	}
}

// readState reads the results of the queries.
func (d *DocumentTx) readState(r pgx.BatchResults, g Groups) error {
	p := &d.Prev
	var deleted int16
	var dated *time.Time
	err := r.QueryRow().Scan(&p.URL, &p.Site, &deleted, &p.Status, &p.CRC, &p.ETag, &p.LastModified, &p.LastIndexTime,
		&p.NextIndexTime, &p.Redir, &p.Origin, &p.Hops, &p.HasRow, &p.HasContent, &p.Hrefs,
		&p.Events, &p.Attempts, &p.ErrorClass, &p.ErrorCount, &p.IndexMode, &p.LinksHash, &p.SeenRun, &p.WithdrawnBy, &p.Kept, &p.Step, &p.Unchanged,
		&p.Redirect, &p.RedirectTo, &p.RedirectRun, &dated)
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("url %d is not registered", d.ID)
	}
	if err != nil {
		return err
	}
	if p.Deleted = deleted != 0; dated != nil {
		p.Dated = *dated
	}
	if g.New != "" {
		if err := r.QueryRow().Scan(&p.Twin); err != nil {
			return err
		}
	}
	if g.Equals > 0 {
		if err := r.QueryRow().Scan(&p.Equals); err != nil {
			return err
		}
	}
	if g.Old != "" {
		if err := r.QueryRow().Scan(&p.Successor); err != nil {
			return err
		}
		p.AskedSuccessor = true
	}
	if g.Gate != 0 {
		p.Gate = &Gate{}
		if err := p.Gate.scan(r.QueryRow()); err != nil {
			return err
		}
	}
	if g.Canonical > 0 {
		if err := r.QueryRow().Scan(&p.Canonical, &p.NamedCanonical, &p.CanonicalStands, &p.StandsLost); err != nil {
			return err
		}
	}
	if g.Refused {
		if err := r.QueryRow().Scan(&p.Refused); err != nil {
			return err
		}
		if p.Refused >= d.keep { // more of them may have been, of which no row is kept
			p.Refused = max(p.Refused, MaxRefused-1)
		}
	}
	if g.Kept {
		if err := r.QueryRow().Scan(&p.KeptBy); err != nil {
			return err
		}
	}
	return nil
}

// commit is the second round trip: all queued statements and COMMIT.
func (d *DocumentTx) commit(ctx context.Context, conn *pgxpool.Conn) error {
	d.batch.Queue("COMMIT")
	return conn.SendBatch(ctx, &d.batch).Close()
}
