package store

import (
	"time"
)

// A SearchDocument is what a search shows of a document.
type SearchDocument struct {
	URL         URLID
	Site        SiteID
	Address     string
	Status      Status
	CRC         string
	Modified    string    // the Last-Modified header
	IndexedAt   time.Time // last answer
	Dated       time.Time // docdates.modified, zero before the merge has dated it
	Marks       []string  // urlstate.marks
	Title, Text string
	Keywords    string
	Description string
	Size        int
	ContentType string
	Charset     string
	Lang        string
	Content     []byte // packed; only when asked for
}

// Two statements in place of one join for each table of contents: planned and begun once, they cost a fifth.
const (
	searchHeadsSQL = `
		SELECT /* store.SearchDocuments */ w.url_id, w.site_id, w.url, w.status, w.crc, w.last_modified, w.last_index_time,
			d.modified, coalesce(s.marks, '{}')
		FROM unnest($1::integer[]) i
			JOIN urlword w ON w.url_id = i                                       -- urlword_pkey
			LEFT JOIN docdates d ON d.url_id = i                                 -- docdates_pkey
			LEFT JOIN urlstate s ON s.url_id = i                                 -- urlstate_pkey`
	searchContentsSQL = `
		SELECT /* store.SearchDocuments */ c.url_id, c.title, c.txt, c.keywords, c.description, c.docsize, c.content_type,
			c.charset, c.lang, CASE WHEN $2 THEN c.words END
		FROM urlwordsNN c                                                        -- urlwordsNN_pkey
		WHERE c.url_id = ANY($1)`
)

var searchContentsOf = perTable(searchContentsSQL)

// Documents asks for documents, with their packed content if that is wanted. They come in no order; those that are not
// there do not come.
func (x *Search) Documents(urls []URLID, content bool, f func(SearchDocument)) {
	heads := make(map[URLID]SearchDocument, len(urls))
	var h SearchDocument
	var indexed int64
	var dated *time.Time
	to := []any{&h.URL, &h.Site, &h.Address, &h.Status, &h.CRC, &h.Modified, &indexed, &dated, &h.Marks}
	x.ask(searchHeadsSQL, []any{urls}, each(to, func() error {
		h.IndexedAt, h.Dated = time.Unix(indexed, 0), time.Time{}
		if dated != nil {
			h.Dated = *dated
		}
		heads[h.URL] = h
		return nil
	}))
	var of [16][]URLID
	for _, u := range urls {
		of[u%16] = append(of[u%16], u)
	}
	for n, list := range of {
		if len(list) == 0 {
			continue
		}
		var d SearchDocument
		to := []any{
			&d.URL, &d.Title, &d.Text, &d.Keywords, &d.Description, &d.Size, &d.ContentType, &d.Charset, &d.Lang, &d.Content,
		}
		x.ask(searchContentsOf[n], []any{list, content}, each(to, func() error {
			h, ok := heads[d.URL]
			if !ok {
				return nil
			}
			whole := d
			whole.Site, whole.Address, whole.Status, whole.CRC, whole.Modified = h.Site, h.Address, h.Status, h.CRC, h.Modified
			whole.IndexedAt, whole.Dated, whole.Marks = h.IndexedAt, h.Dated, h.Marks
			f(whole)
			return nil
		}))
	}
}

const searchClonesSQL = `
	SELECT /* store.SearchClones */ o, c.url_id, c.url, c.n
	FROM unnest($1::integer[]) o CROSS JOIN LATERAL (
		SELECT w.url_id, w.url, count(*) OVER () AS n
		FROM urlword w                                                           -- urlword_origin
		WHERE w.origin = o AND w.origin <> 0 AND w.deleted = 0 AND (w.status & 65535) = 200
		ORDER BY w.url_id
		LIMIT $2) c
	ORDER BY o, c.url_id`

// Clones asks for the clones of documents, at most limit of each, by ascending id; all is how many there are.
func (x *Search) Clones(originals []URLID, limit int, f func(original, clone URLID, address string, all int)) {
	var original, clone URLID
	var address string
	var all int
	x.ask(searchClonesSQL, []any{originals, limit}, each([]any{&original, &clone, &address, &all}, func() error {
		f(original, clone, address, all)
		return nil
	}))
}

const (
	searchURLSQL = `
		SELECT /* store.SearchURL */ w.url_id, w.redir, w.origin, w.deleted = 0 AND (w.status & 65535) = 200
		FROM urlkey k JOIN urlword w ON w.url_id = k.url_id                      -- urlkey_pkey
		WHERE k.url_hash = $1`
	searchReferrersSQL = `
		SELECT /* store.SearchReferrers */ w.site_id, w.url_id
		FROM (SELECT DISTINCT unnest(referrers) AS url_id FROM citation WHERE url_id = ANY($1)) r -- citation_pkey
			JOIN urlword w ON w.url_id = r.url_id                                -- urlword_pkey
		WHERE w.deleted = 0 AND (w.status & 65535) = 200 AND w.origin = 0
		ORDER BY w.site_id, w.url_id`
	searchChainSQL = `SELECT /* store.SearchChain */ url_id FROM redirect_chain($1)`
)

// URL asks for a URL by its address: found is called when it is known, with the original if it is a clone (else 0) and
// whether it is live.
func (x *Search) URL(address string, found func(url, redirect, origin URLID, live bool)) {
	var url, redirect, origin URLID
	var live bool
	hash := HashURL(address)
	x.ask(searchURLSQL, []any{hash[:]}, each([]any{&url, &redirect, &origin, &live}, func() error {
		found(url, redirect, origin, live)
		return nil
	}))
}

// Chain asks where a URL leads: itself, then what it redirects to, at most ten steps.
func (x *Search) Chain(url URLID, f func(URLID)) {
	x.ask(searchChainSQL, []any{url}, each([]any{&url}, func() error { f(url); return nil }))
}

// Referrers asks for the live originals that link to any of the URLs, by site and URL.
func (x *Search) Referrers(urls []URLID, f func(SiteID, URLID)) {
	var site SiteID
	var url URLID
	x.ask(searchReferrersSQL, []any{urls}, each([]any{&site, &url}, func() error { f(site, url); return nil }))
}
