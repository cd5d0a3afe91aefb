package lookup

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const (
	siteNamesSQL = `SELECT /* store.SearchSiteNames */ site_id, site FROM sites WHERE site_id = ANY($1)` // sites_pkey
	underSQL     = `
	SELECT /* store.SearchUnder */ w.url_id
	FROM urlword w JOIN sites s ON s.site_id = w.site_id                         -- urlword_pkey, sites_pkey
	WHERE w.url_id = ANY($2) AND starts_with(w.url, left(s.site, -1) || $1)`
	foldersSQL = `
	SELECT /* store.SearchFolders */ '/' || split_part(p.path, '/', 1) || '/', count(*)
	FROM (
		SELECT split_part(substr(w.url, length(s.site) + 1), '?', 1)
		FROM urlword w JOIN sites s ON s.site_id = w.site_id                     -- urlword_pkey, sites_pkey
		WHERE w.url_id = ANY($1)) p (path)
	WHERE p.path LIKE '_%/%'
	GROUP BY 1`
	addressesSQL = `SELECT /* store.Addresses */ url_id, url FROM urlword WHERE url_id = ANY($1)` // urlword_pkey
)

// SiteNames asks for the names of sites.
func (x *Tx) SiteNames(ids []int32, f func(store.SiteID, string)) {
	var id store.SiteID
	var name string
	x.ask(siteNamesSQL, []any{ids}, each([]any{&id, &name}, func() error { f(id, name); return nil }))
}

// Under asks which of some documents have a path that begins with a text.
func (x *Tx) Under(path string, urls []store.URLID, f func(store.URLID)) {
	var u store.URLID
	x.ask(underSQL, []any{path, urls}, each([]any{&u}, func() error { f(u); return nil }))
}

// Folders asks for the first folders of documents and their numbers of documents. Documents that are in none are left out.
func (x *Tx) Folders(urls []store.URLID, f func(folder string, n int)) {
	var folder string
	var n int
	x.ask(foldersSQL, []any{urls}, each([]any{&folder, &n}, func() error { f(folder, n); return nil }))
}

// addressesAtOnce is how many addresses one statement reads.
const addressesAtOnce = 50000

// Addresses calls f with the addresses of documents, in no order.
func (s *Store) Addresses(ctx context.Context, urls []store.URLID, f func(store.URLID, string)) error {
	for lo := 0; lo < len(urls); lo += addressesAtOnce {
		rows, err := s.Pool.Query(ctx, addressesSQL, urls[lo:min(lo+addressesAtOnce, len(urls))])
		if err != nil {
			return fmt.Errorf("read addresses: %w", err)
		}
		var u store.URLID
		var address string
		if _, err := pgx.ForEachRow(rows, []any{&u, &address}, func() error { f(u, address); return nil }); err != nil {
			return fmt.Errorf("read addresses: %w", err)
		}
	}
	return nil
}
