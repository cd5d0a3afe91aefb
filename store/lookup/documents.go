package lookup

import (
	"time"

	"github.com/pgseek/pgseek/store"
)

// DocumentVersion identifies a version of a document as searches show it: equal versions look the same.
// A transaction that changes what is shown of a content row also writes the row of urlword.
type DocumentVersion struct {
	Head, Dates, State uint32 // xmin of its rows in urlword, docdates and urlstate; 0 = it has none
	Clones             int    // live ones
	CloneSum           int64  // sum of their xmin: a clone that replaces another one is younger
}

// SearchDocument holds what a search shows of a document.
type SearchDocument struct {
	Version     DocumentVersion
	URL         store.URLID
	Site        store.SiteID
	Address     string
	Status      store.Status
	CRC         string
	Modified    string    // the Last-Modified header
	IndexedAt   time.Time // last answer
	Dated       time.Time // docdates.modified, zero before the merge has dated it
	Marks       []string  // urlstate.marks
	Title, Text string
	Keywords    string
	Description string
	Size        int
	ContentType string // as it was fetched
	ReadAs      string // the type by which Content is parsed: ContentType, unless it was converted
	How         store.HowRead
	Charset     string
	Lang        string
	Content     []byte   // packed; nil unless asked for
	Clones      []string // URLs of the first of them, by ascending id
	CloneIDs    []store.URLID
}

// bannedMarkSQL is the mark noarchive of the documents of a site whose robots.txt forbids it for now: its documents are
// found, but have no cached copies.
const bannedMarkSQL = `CASE WHEN EXISTS (SELECT 1 FROM sites_on_hold h WHERE h.site_id = w.site_id AND h.reason = 'robots.txt') -- site_hold_open
		THEN '{noarchive}'::text[] ELSE '{}' END`

// Two statements instead of one join for each content table: planned and begun once, they cost a fifth.
const (
	searchHeadsSQL = `
		SELECT /* store.SearchDocuments */ w.url_id, w.site_id, w.url, w.status, w.crc, w.last_modified, w.last_index_time,
			d.modified, coalesce(s.marks, '{}') || ` + bannedMarkSQL + `, coalesce(s.read_as, ''), coalesce(s.index_mode, 3), ` + store.LeaveOutSQL + `, c.ids, coalesce(c.urls, '{}'),
			w.xmin, coalesce(d.xmin, '0'), coalesce(s.xmin, '0'), coalesce(c.n, 0), coalesce(c.sum, 0)::bigint
		FROM unnest($1::integer[]) i
			JOIN urlword w ON w.url_id = i                                       -- urlword_pkey
			LEFT JOIN docdates d ON d.url_id = i                                 -- docdates_pkey
			LEFT JOIN urlstate s ON s.url_id = i                                 -- urlstate_pkey
			CROSS JOIN LATERAL (
				SELECT array_agg(o.url_id ORDER BY o.url_id) AS ids, array_agg(o.url ORDER BY o.url_id) AS urls, max(o.n) AS n, max(o.sum) AS sum
				FROM (
					SELECT v.url_id, v.url, count(*) OVER () AS n, sum(v.xmin::text::bigint) OVER () AS sum
					FROM urlword v                                               -- urlword_origin
					WHERE v.origin = i AND v.origin <> 0 AND v.deleted = 0 AND (v.status & 65535) = 200
					ORDER BY v.url_id
					LIMIT $2) o) c`
	searchContentsSQL = `
		SELECT /* store.SearchDocuments */ c.url_id, c.title, c.txt, c.keywords, c.description, c.docsize, c.content_type,
			c.charset, c.lang, CASE WHEN c.url_id = ANY($2) THEN c.words END
		FROM urlwordsNN c                                                        -- urlwordsNN_pkey
		WHERE c.url_id = ANY($1)`
)

var searchContentsOf = store.PerTable(searchContentsSQL)

// Documents asks for documents, with the packed content of those listed in contents, and with at most the
// given number of their live clones. They come in no order; missing ones are skipped.
func (x *Tx) Documents(urls, contents []store.URLID, clones int, f func(SearchDocument)) {
	heads := make(map[store.URLID]SearchDocument, len(urls))
	var h SearchDocument
	var indexed int64
	var dated *time.Time
	to := []any{
		&h.URL, &h.Site, &h.Address, &h.Status, &h.CRC, &h.Modified, &indexed, &dated, &h.Marks, &h.ReadAs, &h.How.Mode, &h.How.Selectors, store.Keys(&h.CloneIDs), &h.Clones,
		&h.Version.Head, &h.Version.Dates, &h.Version.State, &h.Version.Clones, &h.Version.CloneSum,
	}
	x.ask(searchHeadsSQL, []any{urls, clones}, each(to, func() error {
		h.IndexedAt, h.Dated = time.Unix(indexed, 0), time.Time{}
		if dated != nil {
			h.Dated = *dated
		}
		heads[h.URL] = h
		return nil
	}))
	if contents == nil {
		contents = []store.URLID{}
	}
	for n, list := range byTable(urls) {
		if len(list) == 0 {
			continue
		}
		var d SearchDocument
		to := []any{
			&d.URL, &d.Title, &d.Text, &d.Keywords, &d.Description, &d.Size, &d.ContentType, &d.Charset, &d.Lang, &d.Content,
		}
		x.ask(searchContentsOf[n], []any{list, contents}, each(to, func() error {
			h, ok := heads[d.URL]
			if !ok {
				return nil
			}
			h.Title, h.Text, h.Keywords, h.Description = d.Title, d.Text, d.Keywords, d.Description
			h.Size, h.ContentType, h.Charset, h.Lang, h.Content = d.Size, d.ContentType, d.Charset, d.Lang, d.Content
			if h.ReadAs == "" {
				h.ReadAs = d.ContentType
			}
			f(h)
			return nil
		}))
	}
}

// byTable groups documents by the number of their table urlwordsNN.
func byTable(urls []store.URLID) (of [16][]store.URLID) {
	for _, u := range urls {
		of[u%16] = append(of[u%16], u)
	}
	return of
}

const (
	searchURLSQL = `
		WITH k AS MATERIALIZED (SELECT url_id FROM urlkey WHERE url_hash = $1)   -- urlkey_pkey
		SELECT /* store.SearchURL */ w.url_id, w.redir, w.origin, w.deleted = 0 AND (w.status & 65535) = 200,
			coalesce(s.marks, '{}') || ` + bannedMarkSQL + `
		FROM k JOIN urlword w ON w.url_id = k.url_id                             -- urlword_pkey
			LEFT JOIN urlstate s ON s.url_id = w.url_id` // urlstate_pkey
	documentPlaceSQL = `
		WITH k AS MATERIALIZED (SELECT url_id FROM urlkey WHERE url_hash = $1),  -- urlkey_pkey
		w AS MATERIALIZED (
			SELECT CASE WHEN w.origin = 0 THEN w.url_id ELSE w.origin END AS url_id
			FROM k JOIN urlword w ON w.url_id = k.url_id                         -- urlword_pkey
			WHERE w.deleted = 0 AND (w.status & 65535) = 200
		)
		SELECT /* store.SearchDocument */ o.site_id, o.url_id
		FROM w JOIN urlword o ON o.url_id = w.url_id                             -- urlword_pkey
		WHERE o.deleted = 0 AND (o.status & 65535) = 200 AND o.origin = 0`
	searchReferrersSQL = `
		SELECT /* store.SearchReferrers */ w.site_id, w.url_id
		FROM (SELECT DISTINCT unnest(referrers) AS url_id FROM citation WHERE url_id = ANY($1)) r -- citation_pkey
			JOIN urlword w ON w.url_id = r.url_id                                -- urlword_pkey
		WHERE w.deleted = 0 AND (w.status & 65535) = 200 AND w.origin = 0
		ORDER BY w.site_id, w.url_id`
	searchChainSQL = `SELECT /* store.SearchChain */ url_id FROM redirect_chain($1)`
)

// SearchURL is a registered URL as a search finds it by its text.
type SearchURL struct {
	ID       store.URLID
	Redirect store.URLID // target of its redirect, 0 = none
	Origin   store.URLID // its original if it is a clone, else 0
	Live     bool
	Marks    []string // urlstate.marks
}

// URL asks for a URL by its text: found is called when it is registered.
func (x *Tx) URL(address string, found func(SearchURL)) {
	var u SearchURL
	hash := store.HashURL(address)
	x.ask(searchURLSQL, []any{hash[:]}, each([]any{&u.ID, &u.Redirect, &u.Origin, &u.Live, &u.Marks}, func() error {
		found(u)
		return nil
	}))
}

// Document asks for the live document with an address, or its original.
func (x *Tx) Document(address string, found func(site, url int32)) {
	var site, url int32
	hash := store.HashURL(address)
	x.ask(documentPlaceSQL, []any{hash[:]}, each([]any{&site, &url}, func() error { found(site, url); return nil }))
}

// Chain asks for the redirect chain of a URL: itself, then its targets, at most ten steps.
func (x *Tx) Chain(url store.URLID, f func(store.URLID)) {
	x.ask(searchChainSQL, []any{url}, each([]any{&url}, func() error { f(url); return nil }))
}

// Referrers asks for the live originals that link to any of the URLs, by site and URL.
func (x *Tx) Referrers(urls []store.URLID, f func(store.SiteID, store.URLID)) {
	var site store.SiteID
	var url store.URLID
	x.ask(searchReferrersSQL, []any{urls}, each([]any{&site, &url}, func() error { f(site, url); return nil }))
}
