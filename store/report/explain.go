package report

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Explanation is the complete state of one URL in the tables, read at one moment (index --explain). Long
// lists are cut, and have their length.
type Explanation struct {
	Now time.Time // of the database

	ID                  store.URLID // 0 = not registered: then only Robots and Gate may be set
	Deleted             bool
	Status              store.Status
	Hops, Tag           int
	Redir, Origin       store.URLID
	NextIndex, LastSeen int64 // epoch seconds, with urlword's special values
	LastModified        string

	State    URLState
	Robots   *RobotsState // nil = never requested
	Gate     *SiteGate    // nil = the site is not registered
	Original *crawl.Hop   // of a clone
	Clones   StepList     // of the original, the URL itself among them when it is one

	RedirectsTo  []crawl.Hop // the chain of redirects, in order, without the URL itself
	Looped       bool        // the chain is a loop, or longer than the view follows
	RedirectedBy StepList
	UnitedBy     StepList    // pages of which this URL is the canonical one
	Path         []crawl.Hop // as of Path
	LinkedFrom   StepList    // as citation has them
	Unmerged     StepList    // linking pages that citation does not have yet

	Content *ContentState // of the URL, of its original for a clone; nil = no row
	Index   IndexState
	Dates   *DateState // nil = not merged yet
	Fetches []Fetch    // newest first
	Orphan  *time.Time // start of the run that did not reach it; nil = no orphan
	Reached *time.Time // start of the last run that defines orphans; nil = there was none
	Rank    *float32   // nil = it has none
}

// URLState is the row of urlstate; zero before the first attempt.
type URLState struct {
	Attempts    int
	LastAttempt *time.Time
	ErrorClass  string
	ErrorCount  int
	IndexMode   int // bits, as in the table
	NextWhy     string
	WithdrawnBy string
	Meta        []byte // JSON, as in the table; nil = none
	Marks       []string
	Kept        bool       // its content is kept for its return
	KeptSince   *time.Time // nil when it is kept until the next merge only
	Unavailable *time.Time // from when on it is as with noindex; nil = never
	Dated       time.Time  // by a DateRule, when it was read last; zero = none
	Canonical   CanonicalState
}

// CanonicalState is the canonical page that a page names.
type CanonicalState struct {
	ID      store.URLID // 0 = none or itself, -1 = one that is not followed
	Cause   string      // which URL is not followed, and why
	URL     string      // of ID
	Status  store.Status
	Deleted bool
	Names   store.URLID // the page that this one names itself, 0 for none, -1 for one that is not followed
}

// RobotsState is the row of robots_cache.
type RobotsState struct {
	FetchedAt time.Time
	Status    int // extended
	Cause     string
	Failures  int
	Refusals  int
	GoodAt    *time.Time
	Body      []byte // the last good file
}

// SiteGate is the safety gate of a site, with its hold when it is held.
type SiteGate struct {
	State  crawl.GateState
	HeldAt *time.Time
	Reason string // of the hold: HoldShare, HoldStarts
	URL    string // the document whose failure exceeded the limit
	Cause  string // of that failure
}

// StepList is the beginning of a list of URLs, ascending by id.
type StepList struct {
	Count int
	First []crawl.Hop
}

// ContentState is a content row without the content.
type ContentState struct {
	Words, Occurrences             int
	Type, Charset, Title, Language string
	Size, Stored                   int64 // bytes as the server announced or sent them, and packed in the table
	HasContent                     bool  // false in link-only rows
	Links                          int
	Packed                         []byte // the content
	ReadAs                         string // the media type by which it is parsed
	How                            store.HowRead
}

// IndexState is the state of the URL in the inverted index and in the queue of the merge.
type IndexState struct {
	Merged    bool   // it has merged words
	MergedSeq int64  // the entry that was merged last; 0 = none
	MarkSeq   int64  // a mark that waits; 0 = none
	MarkedBy  string // its rule
	NewSeq    int64  // the newest waiting version with words; 0 = none
	Behind    int64  // the open schedule that it waits for; 0 = none
	Realtime  bool   // its words are in the real-time index
}

// DateState is the row of docdates.
type DateState struct {
	Created      time.Time
	CreatedFrom  string
	Modified     time.Time
	ModifiedFrom string
	// What it would be without a DateRule; zero when none dates the document.
	Unruled     time.Time
	UnruledFrom string
}

// Fetch is a row of crawl_history.
type Fetch struct {
	At       time.Time
	Run      store.RunID
	Rule     string
	Result   int // extended status
	Old, New store.Status
	Bytes    int64
	Elapsed  time.Duration
	Cause    string
}

// Limits of the lists.
const (
	explainClones = 10
	explainLinks  = 5
)

// Explain reads the complete state of a normalized URL. site and hostInfo name its site and its host in
// robots_cache, because these may be known when the URL is not. It reads one state of the tables and changes
// nothing.
func (s *Store) Explain(ctx context.Context, url, site, hostInfo string) (e *Explanation, err error) {
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = s.Retry(ctx, "explain", func() error {
		e = &Explanation{}
		return pgx.BeginTxFunc(ctx, s.Pool, opts, func(tx pgx.Tx) error {
			x := &explainer{ctx, tx, e}
			return x.run(store.HashURL(url), site, hostInfo)
		})
	})
	return e, err
}

// explainer fills an Explanation within its transaction.
type explainer struct {
	ctx context.Context
	tx  pgx.Tx
	*Explanation
}

func (x *explainer) run(hash store.Hash, site, hostInfo string) error {
	if err := x.host(site, hostInfo); err != nil {
		return err
	}
	if err := x.url(hash); err != nil || x.ID == 0 {
		return err
	}
	for _, read := range []func() error{x.group, x.redirects, x.content, x.index, x.dates, x.history, x.rank, x.way, x.links} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// one reads a row that may be missing.
func (x *explainer) one(sql string, args, to []any) (found bool, err error) {
	err = x.tx.QueryRow(x.ctx, sql, args...).Scan(to...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

const explainRobotsSQL = `
	SELECT /* store.Explain */ fetched_at, status, cause, failures, refusals, good_at, body
	FROM robots_cache WHERE hostinfo = $1`

const explainGateSQL = `
	SELECT /* store.Explain */ t.gate::text, h.held_at, coalesce(h.reason, ''), coalesce(w.url, ''), coalesce(h.cause, '')
	FROM sites s JOIN sitestate t ON t.site_id = s.site_id                       -- sites_site_key
	LEFT JOIN site_hold h ON h.site_id = s.site_id AND h.ended_at IS NULL        -- site_hold_open
	LEFT JOIN urlword w ON w.url_id = h.url_id
	WHERE s.site = $1`

// host reads the state of the site and its robots.txt.
func (x *explainer) host(site, hostInfo string) error {
	if err := x.tx.QueryRow(x.ctx, `SELECT /* store.Explain */ now()`).Scan(&x.Now); err != nil {
		return err
	}
	var r RobotsState
	found, err := x.one(explainRobotsSQL, []any{hostInfo},
		[]any{&r.FetchedAt, &r.Status, &r.Cause, &r.Failures, &r.Refusals, &r.GoodAt, &r.Body})
	if found {
		x.Robots = &r
	}
	if err != nil {
		return err
	}
	var g SiteGate
	var state string
	found, err = x.one(explainGateSQL, []any{site}, []any{&state, &g.HeldAt, &g.Reason, &g.URL, &g.Cause})
	if found {
		g.State = crawl.GateState(state[0])
		x.Gate = &g
	}
	return err
}

const explainURLSQL = `
	SELECT /* store.Explain */ w.url_id, w.deleted = 1, w.status, w.hops, w.tag, w.redir, w.origin, w.next_index_time,
		w.last_index_time, coalesce(s.attempts, 0), s.last_attempt, coalesce(s.error_class, ''), coalesce(s.error_count, 0),
		coalesce(s.index_mode, 3), coalesce(s.next_why, ''), coalesce(s.withdrawn_by, ''), s.meta::text, coalesce(s.marks, '{}'),
		NULLIF(s.kept_since, '-infinity'), s.kept_since IS NOT NULL, s.unavailable_after,
		coalesce(s.canonical, 0), coalesce(s.canonical_cause, ''), coalesce(t.url, ''), coalesce(t.status, 0), coalesce(t.deleted = 1, false),
		coalesce((SELECT canonical FROM urlstate o WHERE o.url_id = t.url_id), 0), w.last_modified, s.dated
	FROM urlkey k JOIN urlword w ON w.url_id = k.url_id LEFT JOIN urlstate s ON s.url_id = k.url_id
		LEFT JOIN urlword t ON t.url_id = s.canonical
	WHERE k.url_hash = $1                                                        -- urlkey_pkey`

// url reads the rows of the URL; ID stays 0 when it has none.
func (x *explainer) url(hash store.Hash) error {
	var meta *string
	var dated *time.Time
	t := &x.State
	_, err := x.one(explainURLSQL, []any{hash[:]}, []any{
		&x.ID, &x.Deleted, &x.Status, &x.Hops, &x.Tag, &x.Redir, &x.Origin, &x.NextIndex, &x.LastSeen, &t.Attempts,
		&t.LastAttempt, &t.ErrorClass, &t.ErrorCount, &t.IndexMode, &t.NextWhy, &t.WithdrawnBy, &meta, &t.Marks,
		&t.KeptSince, &t.Kept, &t.Unavailable,
		&t.Canonical.ID, &t.Canonical.Cause, &t.Canonical.URL, &t.Canonical.Status, &t.Canonical.Deleted, &t.Canonical.Names,
		&x.LastModified, &dated,
	})
	if dated != nil {
		t.Dated = *dated
	}
	if meta != nil {
		t.Meta = []byte(*meta)
	}
	return err
}

var explainContentSQL = store.PerTable(`
	SELECT /* store.Explain */ wordcount, totalcount, content_type, charset, title, lang, docsize,
		coalesce(octet_length(words), 0), words IS NOT NULL, cardinality(hrefs), words, coalesce(s.read_as, content_type),
		coalesce(s.index_mode, 3), ` + store.LeaveOutSQL + `
	FROM urlwordsNN c LEFT JOIN urlstate s USING (url_id) WHERE c.url_id = $1`)

// content reads the content row; for a clone that of its original.
func (x *explainer) content() error {
	id := x.ID
	if x.Origin != 0 {
		id = x.Origin
	}
	var c ContentState
	found, err := x.one(explainContentSQL[id%16], []any{id}, []any{
		&c.Words, &c.Occurrences, &c.Type, &c.Charset, &c.Title, &c.Language, &c.Size, &c.Stored, &c.HasContent, &c.Links,
		&c.Packed, &c.ReadAs, &c.How.Mode, &c.How.Selectors,
	})
	if found {
		x.Content = &c
	}
	return err
}

// A document without words has two bytes in docwords: version and count (store/posting/doc.go).
const explainIndexSQL = `
	SELECT /* store.Explain */ coalesce(octet_length(d.words) > 2, false), coalesce(d.seq, 0), coalesce(m.seq, 0),
		coalesce(m.reason, ''), coalesce(j.seq, 0),
		CASE WHEN j.schedule_seq >= o.seq THEN o.seq ELSE 0 END,
		EXISTS (SELECT 1 FROM rt_urls r WHERE r.url_id = i.url_id)
	FROM (VALUES ($1::integer)) i (url_id)
	LEFT JOIN docwords d ON d.url_id = i.url_id                                  -- docwords_pkey
	LEFT JOIN markdel m ON m.url_id = i.url_id                                   -- markdel_pkey
	LEFT JOIN LATERAL (SELECT seq, schedule_seq FROM journal                     -- journal_pkey
		WHERE url_id = i.url_id AND words IS NOT NULL ORDER BY seq DESC LIMIT 1) j ON true
	CROSS JOIN (SELECT min(seq) AS seq FROM schedule WHERE status = 's') o       -- schedule_open`

// index reads the state of the inverted index and its queue.
func (x *explainer) index() error {
	i := &x.Index
	return x.tx.QueryRow(x.ctx, explainIndexSQL, x.ID).
		Scan(&i.Merged, &i.MergedSeq, &i.MarkSeq, &i.MarkedBy, &i.NewSeq, &i.Behind, &i.Realtime)
}

const explainDatesSQL = `
	SELECT /* store.Explain */ created, created_from, modified, modified_from, coalesce(unruled, modified), coalesce(unruled_from, modified_from)
	FROM docdates WHERE url_id = $1`

func (x *explainer) dates() error {
	var d DateState
	found, err := x.one(explainDatesSQL, []any{x.ID}, []any{&d.Created, &d.CreatedFrom, &d.Modified, &d.ModifiedFrom, &d.Unruled, &d.UnruledFrom})
	if found {
		x.Dates = &d
	}
	return err
}

const explainHistorySQL = `
	SELECT /* store.Explain */ at, run_id, rule, result, old_status, new_status, bytes, elapsed_ms, cause
	FROM crawl_history WHERE url_id = $1                                         -- crawl_history_pkey
	ORDER BY at DESC, slot DESC`

func (x *explainer) history() error {
	rows, err := x.tx.Query(x.ctx, explainHistorySQL, x.ID)
	if err != nil {
		return err
	}
	x.Fetches, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f Fetch, err error) {
		var ms int64
		err = row.Scan(&f.At, &f.Run, &f.Rule, &f.Result, &f.Old, &f.New, &f.Bytes, &ms, &f.Cause)
		f.Elapsed = time.Duration(ms) * time.Millisecond
		return f, err
	})
	return err
}

// rank reads the rank, if the document has one.
func (x *explainer) rank() error {
	_, err := x.one(`SELECT /* store.Explain */ rank FROM urlrank WHERE url_id = $1`, []any{x.ID}, []any{&x.Rank})
	return err
}

// steps reads rows of (count, url_id, url, status, hops).
func (x *explainer) steps(sql string, args ...any) (list StepList, err error) {
	rows, err := x.tx.Query(x.ctx, sql, args...)
	if err != nil {
		return list, err
	}
	var step crawl.Hop
	_, err = pgx.ForEachRow(rows, []any{&list.Count, &step.ID, &step.URL, &step.Status, &step.Hops}, func() error {
		list.First = append(list.First, step)
		return nil
	})
	if err != nil {
		return list, fmt.Errorf("list of urls: %w", err)
	}
	return list, nil
}
