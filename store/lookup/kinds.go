package lookup

import (
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const realtimeKindsSQL = `
	SELECT /* store.SearchRealtimeKinds */ r.url_id, c.lang, document_type(c.content_type), w.tag, w.url
	FROM rt_urls r JOIN urlword w ON w.url_id = r.url_id                         -- urlword_pkey
		JOIN urlwords c ON c.url_id = r.url_id                                   -- urlwordsNN_pkey`

// Kind is what searches filter and count a document by: its language, type (document_type) and tag.
type Kind struct {
	URL            store.URLID
	Language, Type string
	Tag            int32
	Address        string // set by RealtimeKinds only
}

// RealtimeKinds asks for the languages, types and tags of the documents in the real-time index.
func (x *Tx) RealtimeKinds(f func(Kind)) {
	var k Kind
	x.ask(realtimeKindsSQL, nil, each([]any{&k.URL, &k.Language, &k.Type, &k.Tag, &k.Address}, func() error { f(k); return nil }))
}

// No index helps to find a part of an address: this reads all addresses, 0.2 s a million.
const inURLSQL = `
	SELECT /* store.SearchInURL */ site_id, array_agg(url_id ORDER BY url_id)
	FROM urlword
	WHERE deleted = 0 AND (status & 65535) = 200 AND origin = 0 AND lower(url COLLATE "C") LIKE ANY($1)
	GROUP BY site_id
	ORDER BY site_id`

// InURL asks for the documents that have any of some texts, in lower case, in their addresses: for each site, ascending, an
// ascending list.
func (x *Tx) InURL(texts []string, documents func(store.SiteID, []store.URLID)) {
	patterns := make([]string, len(texts))
	for i, t := range texts {
		patterns[i] = "%" + likeLiteral.Replace(t) + "%"
	}
	var site store.SiteID
	var urls []store.URLID
	nothing := func(rows pgx.Rows) error { rows.Close(); return rows.Err() }
	x.ask(`SET LOCAL enable_seqscan = on`, nil, nothing)
	x.ask(inURLSQL, []any{patterns}, each([]any{&site, store.Keys(&urls)}, func() error { documents(site, urls); return nil }))
	x.ask(`SET LOCAL enable_seqscan = off`, nil, nothing)
}

var likeLiteral = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)
