package index

import (
	"context"

	"github.com/pgseek/pgseek/store"
)

// PageLinks holds the links of a page, and whether a merge will change them.
type PageLinks struct {
	URL   store.URLID
	Links []store.URLID // ascending unless damaged
	Live  bool          // they count: neither the URL nor its row is deleted
	Comes bool          // the next merge looks at all of them
	Goes  bool          // they no longer count, and a mark waits: the next merge removes them from citation
}

var snapshotHrefsSQL = store.PerTable(`
	SELECT /* store.SnapshotHrefs */ c.url_id, c.hrefs, c.deleted = 0 AND w.deleted = 0,
		EXISTS (SELECT 1 FROM journal j WHERE j.url_id = c.url_id AND (j.words IS NULL
			OR NOT EXISTS (SELECT 1 FROM docwords d WHERE d.url_id = c.url_id AND octet_length(d.words) > 2))),
		(c.deleted <> 0 OR w.deleted <> 0) AND EXISTS (SELECT 1 FROM markdel m WHERE m.url_id = c.url_id)
	FROM urlwordsNN c JOIN urlword w USING (url_id)
	WHERE c.hrefs <> '{}'`)

// Hrefs calls f with the links of all pages, in no order. The slice is valid only during the call.
func (v *Snapshot) Hrefs(ctx context.Context, f func(*PageLinks) error) error {
	for _, sql := range snapshotHrefsSQL {
		var p PageLinks
		to := []any{&p.URL, &p.Links, &p.Live, &p.Comes, &p.Goes}
		if err := v.each(ctx, sql, nil, to, func() error { return f(&p) }); err != nil {
			return err
		}
	}
	return nil
}

const snapshotNamedSQL = `
	SELECT /* store.SnapshotLinks */ url_id, links_added FROM journal WHERE links_added <> '{}'
	UNION ALL SELECT url_id, links_removed FROM journal WHERE links_removed <> '{}'
	UNION ALL SELECT url_id, links FROM markdel WHERE links <> '{}'`

// NamedLinks calls f with the links that rows of journal and markdel name: the next merge looks at them. The
// slice is valid only during the call.
func (v *Snapshot) NamedLinks(ctx context.Context, f func(page store.URLID, targets []store.URLID)) error {
	var page store.URLID
	var targets []store.URLID
	return v.each(ctx, snapshotNamedSQL, nil, []any{&page, &targets}, func() error { f(page, targets); return nil })
}

const snapshotCitationSQL = `
	SELECT /* store.SnapshotCitation */ url_id, referrers FROM citation WHERE url_id BETWEEN $1 AND $2`

// Citations calls f with the rows of citation of a range, in no order. The slice is valid only during the
// call.
func (v *Snapshot) Citations(ctx context.Context, from, to int64, f func(Citation) error) error {
	var c Citation
	return v.each(ctx, snapshotCitationSQL, window(from, to), []any{&c.URL, &c.Referrers}, func() error { return f(c) })
}

const snapshotSitesSQL = `
	SELECT /* store.SnapshotSites */ s.site_id, s.site FROM sites s JOIN sitestate t USING (site_id) WHERE t.labelled`

// LabelledSites calls f with the sites whose labels wordsite has.
func (v *Snapshot) LabelledSites(ctx context.Context, f func(Site)) error {
	var s Site
	return v.each(ctx, snapshotSitesSQL, nil, []any{&s.ID, &s.Name}, func() error { f(s); return nil })
}

const snapshotLabelsSQL = `SELECT /* store.SnapshotLabels */ word, sites FROM wordsite`

// Labels calls f with the rows of wordsite. The slice is valid only during the call.
func (v *Snapshot) Labels(ctx context.Context, f func(word string, sites []int32) error) error {
	var word string
	var sites []int32
	return v.each(ctx, snapshotLabelsSQL, nil, []any{&word, &sites}, func() error { return f(word, sites) })
}
