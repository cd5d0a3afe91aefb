package crawl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

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
	hasState      bool          // urlstate has a row
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

// previousSQL returns the previous states of the URLs $1. The number of a URL tells which of the sixteen tables may have its content,
// so only that one is read.
var previousSQL = `
	SELECT /* store.Document */ w.url_id, w.url, w.site_id, w.deleted = 1, w.status, w.crc, w.etag, w.last_modified, w.last_index_time,
		w.next_index_time, w.redir, w.origin, w.hops, c.content IS NOT NULL, coalesce(c.content, false), c.hrefs, s.url_id IS NOT NULL,
		coalesce(s.events, 0), coalesce(s.attempts, 0), coalesce(s.error_class, ''), coalesce(s.error_count, 0), coalesce(s.index_mode, 3),
		s.links_hash, coalesce(s.seen_run, 0), coalesce(s.withdrawn_by, ''), s.kept_since IS NOT NULL, coalesce(s.step, 0), coalesce(s.unchanged, 0),
		coalesce(s.redirect, 0), coalesce(s.redirect_to, 0), coalesce(s.redirect_run, 0), s.dated
	FROM urlword w
		LEFT JOIN urlstate s ON s.url_id = w.url_id
		LEFT JOIN LATERAL (` + contentRowsSQL() + `
		) c ON true
	WHERE w.url_id = ANY($1)`

func contentRowsSQL() string {
	tables := make([]string, 16)
	for n := range tables {
		tables[n] = fmt.Sprintf(`
			SELECT c.words IS NOT NULL AS content, c.hrefs FROM urlwords%02d c WHERE w.url_id %% 16 = %d AND c.url_id = w.url_id`, n, n)
	}
	return strings.Join(tables, "\n\t\t\tUNION ALL")
}

// groupsSQL returns for each document the twin, and how many documents have its digest, up to a limit.
const groupsSQL = `
	SELECT /* store.Document */ i.url_id,
		coalesce((SELECT min(w.url_id) FROM urlword w                                -- urlword_crc
			WHERE w.crc = i.crc AND w.crc <> '' AND w.deleted = 0 AND (w.status & 65535) = 200 AND w.url_id <> i.url_id), 0),
		CASE WHEN i.equals > 0 THEN (SELECT count(*) FROM (
			SELECT 1 FROM urlword w                                                  -- urlword_crc
			WHERE w.crc = i.crc AND w.crc <> '' AND w.deleted = 0 AND (w.status & 65535) = 200 AND w.url_id <> i.url_id
			LIMIT i.equals) e) ELSE 0 END
	FROM unnest($1::integer[], $2::text[], $3::integer[]) i (url_id, crc, equals)`

const heirSQL = `
	SELECT /* store.Document */ coalesce(min(url_id), 0)          -- urlword_origin
	FROM urlword
	WHERE origin = $1 AND origin <> 0 AND deleted = 0 AND (status & 65535) = 200`

// heirsSQL is heirSQL for several documents.
const heirsSQL = `
	SELECT /* store.Document */ origin, min(url_id)               -- urlword_origin
	FROM urlword
	WHERE origin = ANY($1) AND origin <> 0 AND deleted = 0 AND (status & 65535) = 200
	GROUP BY origin`

const refusedTimesSQL = `
	SELECT /* store.Document */ count(*) FROM crawl_history              -- crawl_history_pkey
	WHERE url_id = $1 AND run_id = $2 AND rule IN ('T-10', 'T-10n') AND result IN (429, 503)`

// previousStates reads the previous states of the documents of a transaction, after its locks. Each kind is one statement for all.
type previousStates struct {
	docs []*DocumentTx
	byID map[store.URLID]*DocumentTx
}

// ask queues the queries.
func (p *previousStates) ask(b *pgx.Batch, recordings []Recording) {
	p.byID = make(map[store.URLID]*DocumentTx, len(p.docs))
	var ids, twins, equals, heirs []int32
	var crcs []string
	gates := make(map[store.SiteID]*DocumentTx)
	for i, d := range p.docs {
		p.byID[d.ID] = d
		ids = append(ids, int32(d.ID))
		g := &recordings[i].Groups
		if g.New != "" {
			twins, crcs, equals = append(twins, int32(d.ID)), append(crcs, g.New), append(equals, int32(g.Equals))
		}
		if g.Old != "" {
			heirs = append(heirs, int32(d.ID))
			d.Prev.AskedSuccessor = true
		}
		if g.Gate != 0 {
			gates[g.Gate] = d
		}
	}
	b.Queue(previousSQL, ids).Query(p.read)
	if twins != nil {
		b.Queue(groupsSQL, twins, crcs, equals).Query(p.readGroups)
	}
	if heirs != nil {
		b.Queue(heirsSQL, heirs).Query(p.readHeirs)
	}
	if len(gates) > 0 {
		b.Queue(gatesSQL, slices.Sorted(maps.Keys(gates))).Query(func(rows pgx.Rows) error { return readGates(rows, gates) })
	}
	for i, d := range p.docs {
		d.askMore(b, &recordings[i].Groups)
	}
}

func (p *previousStates) read(rows pgx.Rows) error {
	for rows.Next() {
		var id store.URLID
		var prev Previous
		var dated *time.Time
		err := rows.Scan(&id, &prev.URL, &prev.Site, &prev.Deleted, &prev.Status, &prev.CRC, &prev.ETag, &prev.LastModified, &prev.LastIndexTime,
			&prev.NextIndexTime, &prev.Redir, &prev.Origin, &prev.Hops, &prev.HasRow, &prev.HasContent, &prev.Hrefs, &prev.hasState,
			&prev.Events, &prev.Attempts, &prev.ErrorClass, &prev.ErrorCount, &prev.IndexMode, &prev.LinksHash, &prev.SeenRun, &prev.WithdrawnBy,
			&prev.Kept, &prev.Step, &prev.Unchanged, &prev.Redirect, &prev.RedirectTo, &prev.RedirectRun, &dated)
		if err != nil {
			return err
		}
		if dated != nil {
			prev.Dated = *dated
		}
		d := p.byID[id]
		prev.AskedSuccessor, d.found = d.Prev.AskedSuccessor, true // the other queries come later
		d.Prev = prev
	}
	return rows.Err()
}

func (p *previousStates) readGroups(rows pgx.Rows) error {
	for rows.Next() {
		var id, twin store.URLID
		var equals int
		if err := rows.Scan(&id, &twin, &equals); err != nil {
			return err
		}
		p.byID[id].Prev.Twin, p.byID[id].Prev.Equals = twin, equals
	}
	return rows.Err()
}

func (p *previousStates) readHeirs(rows pgx.Rows) error {
	for rows.Next() {
		var id, successor store.URLID
		if err := rows.Scan(&id, &successor); err != nil {
			return err
		}
		p.byID[id].Prev.Successor = successor
	}
	return rows.Err()
}

// askMore queues the queries that few documents need.
func (d *DocumentTx) askMore(b *pgx.Batch, g *Groups) {
	p := &d.Prev
	if g.Canonical > 0 {
		b.Queue(canonicalStandsSQL, d.ID, g.Canonical).QueryRow(func(row pgx.Row) error {
			return row.Scan(&p.Canonical, &p.NamedCanonical, &p.CanonicalStands, &p.StandsLost)
		})
	}
	if g.Refused {
		b.Queue(refusedTimesSQL, d.ID, d.held.Run).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&p.Refused)
			if p.Refused >= d.keep { // more of them may have been, of which no row is kept
				p.Refused = max(p.Refused, MaxRefused-1)
			}
			return err
		})
	}
	if g.Kept {
		b.Queue(keptBySQL, d.ID).QueryRow(func(row pgx.Row) error { return row.Scan(&p.KeptBy) })
	}
}
