package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// database holds the tables that the checks read, and their findings.
type database struct {
	urls       []urlRow
	keys       []keyRow
	states     []stateRow
	history    []historyRow
	contents   []contentRow
	dates      []dateRow
	citations  []citationRow
	labels     []labelRow
	words      []wordRow
	files      []fileRow
	realtime   []wordRow // wordurl1
	rtURLs     []rtRow
	docwords   []docwordsRow
	journal    []journalRow
	marks      []markRow
	sites      []siteRow
	siteStates []siteStateRow
	schedules  []scheduleRow
	runs       []runRow
	holds      []holdRow
	others     []otherRow
	namers     []namerRow // sources of named_by, and sitemaps, that something is wrong with
	looped     []int32    // redirect_chains: the URLs whose chain it calls a loop
	seq        int64      // the highest number that journal_seq gave out
	schema     int64

	url     map[int32]*urlRow
	state   map[int32]*stateRow
	content map[int32]*contentRow
	site    map[int32]*siteRow
	run     map[int32]*runRow

	// Filled by the checks that decode.
	decoded map[int64]map[string][]uint16 // journal.seq → words with their positions
	merged  map[int32][]docWord           // what wordurl and wordfile have of a document, by word_id
	blocks  map[int32]map[uint16]uint64   // and the fingerprints of its blocks of positions
	full    map[int32]bool                // documents with a position or a count at its limit

	found []string
}

type (
	urlRow struct {
		ID, Site            int32
		Deleted             bool
		URL                 string
		Next                int64
		Status              int32
		CRC, Modified, ETag string
		LastIndex           int64
		Referrer            int32
		Redir, Origin       int32
	}
	keyRow struct {
		Hash []byte
		URL  int32
	}
	stateRow struct {
		URL, Attempts, Events int32
		Tried                 bool
		ErrorClass            string
		ErrorCount            int16
		WithdrawnBy           string
		Kept                  bool
	}
	historyRow struct {
		URL      int32
		Slot     int16
		Run      int32
		Rule     string
		Old, New int32
	}
	contentRow struct {
		URL                   int32
		Deleted               bool
		WordCount, TotalCount int32
		Type, Charset, Title  string
		Text                  string
		Size                  int32
		Keywords, Description string
		Lang                  string
		Words                 []byte
		Hrefs                 []int32
	}
	dateRow struct {
		URL               int32
		Created, Modified time.Time
		From              string
		Length            int16 // 0 = none
		Kind              bool  // its language, type and tag are those of its content row
		Ruled             bool  // its date by a DateRule is that of its row of urlstate
	}
	citationRow struct {
		URL       int32
		Referrers []int32
	}
	labelRow struct {
		Word  string
		Sites []int32
	}
	wordRow struct {
		Word        string
		ID          int32
		URLs        []byte
		Count, Sums int32
	}
	fileRow struct {
		Word                int32
		Level               int16
		Seq                 int64
		FirstSite, FirstURL int32
		Count, Sums         int32
		URLs                []byte
	}
	rtRow struct {
		URL   int32
		Seq   int64
		Words []byte
	}
	docwordsRow struct {
		URL   int32
		Seq   int64
		Words []byte
	}
	journalRow struct {
		Seq, Schedule int64 // schedule 0 = none
		Place         int32
		Run, URL      int32
		Site          int32
		Status        int16
		Words         []byte
		Added         []int32
		Removed       []int32
		Redir         int32
	}
	markRow struct {
		Seq, Schedule  int64
		URL, Site, Run int32
		Reason         string
		Links          []int32
	}
	siteRow struct {
		ID   int32
		Site string
	}
	siteStateRow struct {
		Site           int32
		Host           string
		Lease, NextDue int64
		Labelled       bool
		Gate           string
	}
	scheduleRow struct {
		Seq         int64
		Run         int32
		Open        bool
		Sites, URLs []int32
	}
	runRow struct {
		ID     int32
		Kind   string
		Ended  bool
		Reason string
	}
	holdRow struct {
		Site, Run, URL int32
		Open           bool
	}
	namerRow struct {
		What   string
		Source int32
	}
	otherRow struct {
		Table string
		URL   int32
	}
)

// docWord is a word of a document: its id and how often it stands there.
type docWord struct{ ID, Count int32 }

// neverDue is the value of urlword.next_index_time and sitestate.next_due for what is never due.
const neverDue = int64(1) << 62

// load reads the tables.
func load(ctx context.Context, tx pgx.Tx) (*database, error) {
	d := &database{}
	var b pgx.Batch
	read(&b, &d.urls, `SELECT url_id, site_id, deleted = 1, url, next_index_time, status, crc, last_modified, etag, last_index_time,
		referrer, redir, origin FROM urlword ORDER BY url_id`)
	read(&b, &d.keys, `SELECT url_hash, url_id FROM urlkey ORDER BY url_id, url_hash`)
	read(&b, &d.states, `SELECT url_id, attempts, events, last_attempt IS NOT NULL, error_class, error_count, withdrawn_by, kept_since IS NOT NULL
		FROM urlstate ORDER BY url_id`)
	read(&b, &d.history, `SELECT url_id, slot, run_id, rule, old_status, new_status FROM crawl_history ORDER BY url_id, slot`)
	read(&b, &d.contents, `SELECT url_id, deleted = 1, wordcount, totalcount, content_type, charset, title, txt, docsize, keywords,
		description, lang, words, hrefs FROM urlwords ORDER BY url_id`)
	read(&b, &d.dates, `SELECT url_id, created, modified, modified_from, coalesce(length, 0),
		coalesce((d.lang, d.type) = (c.lang, document_type(c.content_type)), false)
			AND coalesce(d.tag = w.tag OR (SELECT k.retags <> t.retags FROM crawl_control k, totals t), false),
		s.dated IS NOT DISTINCT FROM CASE WHEN modified_from = 'rule' THEN modified END
		FROM docdates d LEFT JOIN urlword w USING (url_id) LEFT JOIN urlwords c USING (url_id) LEFT JOIN urlstate s USING (url_id) ORDER BY url_id`)
	read(&b, &d.citations, `SELECT url_id, referrers FROM citation ORDER BY url_id`)
	read(&b, &d.labels, `SELECT word, sites FROM wordsite ORDER BY word`)
	read(&b, &d.words, `SELECT word, word_id, urls, urlcount, totalcount FROM wordurl ORDER BY word_id`)
	read(&b, &d.files, `SELECT word_id, level, seq, first_site, first_url, urlcount, totalcount, urls FROM wordfile
		ORDER BY word_id, level, seq DESC, first_site, first_url`)
	read(&b, &d.realtime, `SELECT word, word_id, urls, urlcount, totalcount FROM wordurl1 ORDER BY word_id`)
	read(&b, &d.rtURLs, `SELECT url_id, seq, words FROM rt_urls ORDER BY url_id`)
	read(&b, &d.docwords, `SELECT url_id, seq, words FROM docwords ORDER BY url_id`)
	read(&b, &d.journal, `SELECT seq, coalesce(schedule_seq, 0), place, run_id, url_id, site_id, status, words, links_added,
		links_removed, redir FROM journal ORDER BY seq, url_id`)
	read(&b, &d.marks, `SELECT seq, coalesce(schedule_seq, 0), url_id, site_id, run_id, reason, links FROM markdel ORDER BY seq, url_id`)
	read(&b, &d.sites, `SELECT site_id, site FROM sites ORDER BY site_id`)
	read(&b, &d.siteStates, `SELECT site_id, host, lease_seq, next_due, labelled, gate::text FROM sitestate ORDER BY site_id`)
	read(&b, &d.schedules, `SELECT seq, run_id, status = 's', site_ids, url_ids FROM schedule ORDER BY seq`)
	read(&b, &d.runs, `SELECT run_id, kind, ended_at IS NOT NULL, coalesce(end_reason, '') FROM reindexing ORDER BY run_id`)
	read(&b, &d.holds, `SELECT site_id, run_id, url_id, ended_at IS NULL FROM site_hold ORDER BY hold_id`)
	read(&b, &d.others, `SELECT 'tmpurl', url_id FROM tmpurl UNION ALL SELECT 'urlrank', url_id FROM urlrank
		UNION ALL SELECT 'named_by', url_id FROM named_by ORDER BY 1, 2`)
	read(&b, &d.namers, `SELECT DISTINCT 'named_by: ' || kind, source FROM named_by n WHERE CASE kind
			WHEN 'sitemap' THEN NOT EXISTS (SELECT 1 FROM sitemaps s WHERE s.sitemap_id = n.source)
			ELSE NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = n.source) END
		UNION ALL SELECT 'sitemaps: site', site_id FROM sitemaps s WHERE NOT EXISTS (SELECT 1 FROM sites t WHERE t.site_id = s.site_id)
		UNION ALL SELECT 'sitemaps: what names sitemap', sitemap_id FROM sitemaps s
			WHERE named_in = '' AND NOT EXISTS (SELECT 1 FROM sitemaps p WHERE p.sitemap_id = ANY(s.parents)) ORDER BY 1, 2`)
	b.Queue(`SELECT last_value FROM journal_seq`).QueryRow(func(row pgx.Row) error { return row.Scan(&d.seq) })
	b.Queue(`SELECT max(version_id) FROM goose_db_version WHERE is_applied`).QueryRow(func(row pgx.Row) error { return row.Scan(&d.schema) })
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	d.url, d.state, d.content = byKey(d.urls, urlKey), byKey(d.states, stateKey), byKey(d.contents, contentKey)
	d.site, d.run = byKey(d.sites, siteKey), byKey(d.runs, runKey)
	for _, u := range d.urls { // the view is only worth its time where something redirects
		if u.Redir != 0 {
			rows, err := tx.Query(ctx, `SELECT url_id FROM redirect_chains WHERE looped`)
			if err == nil {
				d.looped, err = pgx.CollectRows(rows, pgx.RowTo[int32])
			}
			return d, err
		}
	}
	return d, nil
}

// read queues a query whose columns are the fields of T.
func read[T any](b *pgx.Batch, to *[]T, query string) {
	b.Queue(query).Query(func(rows pgx.Rows) (err error) {
		*to, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	})
}

func byKey[T any](rows []T, key func(*T) int32) map[int32]*T {
	m := make(map[int32]*T, len(rows))
	for i := range rows {
		m[key(&rows[i])] = &rows[i]
	}
	return m
}

func urlKey(r *urlRow) int32         { return r.ID }
func stateKey(r *stateRow) int32     { return r.URL }
func contentKey(r *contentRow) int32 { return r.URL }
func siteKey(r *siteRow) int32       { return r.ID }
func runKey(r *runRow) int32         { return r.ID }

// base, lost and count are the parts of a packed status.
func (r *urlRow) base() int32  { return r.Status & 0xffff }
func (r *urlRow) lost() int32  { return r.Status >> 16 & 0x7ff }
func (r *urlRow) count() int32 { return r.Status >> 27 & 0xf }

// live reports whether a document is live, clones and lost ones included.
func (r *urlRow) live() bool { return !r.Deleted && r.base() == 200 }
