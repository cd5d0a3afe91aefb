package storetest

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

type (
	totalsRow struct{ Documents, Words, Postings, Positions int64 }
	groupRow  struct {
		Subset, Site, Block int32
		Docs                []int32
	}
	subsetRow struct {
		Subset  int32
		Mask    string
		Problem string
	}
	fitRow struct {
		Subset, ID int32 // of a URL or a site
		Whole      bool  // the mask covers the site
	}
)

// subsetURLsSQL returns the URLs that match a usable mask, and says which of them are of sites that it
// covers: every URL of such a site has the name of the site before the open end of the mask.
const subsetURLsSQL = `
	SELECT t.subset_id, w.url_id, t.mask ~ '(^|[^\\])(\\\\)*%$' AND s.site LIKE t.mask
	FROM subsetstate t CROSS JOIN urlword w JOIN sites s ON s.site_id = w.site_id
	WHERE t.problem = '' AND w.url LIKE t.mask`

const coveredSitesSQL = `
	SELECT t.subset_id, s.site_id
	FROM subsetstate t CROSS JOIN sites s JOIN sitestate l ON l.site_id = s.site_id
	WHERE t.problem = '' AND t.mask ~ '(^|[^\\])(\\\\)*%$' AND s.site LIKE t.mask AND l.labelled`

// checkGroups checks that totals are the sums of the tables, and that each subset has the live originals that
// match its mask, except those with an entry that waits for the merge.
func checkGroups(ctx context.Context, tx pgx.Tx, d *database) error {
	var totals []totalsRow
	var groups []groupRow
	var subsets []subsetRow
	var fits, covered []fitRow
	var b pgx.Batch
	read(&b, &totals, `SELECT documents, words, postings, positions FROM totals`)
	read(&b, &groups, `SELECT subset_id, site_id, block, coalesce(docs, '{}') FROM subsetdocs ORDER BY subset_id, site_id, block`)
	read(&b, &subsets, `SELECT subset_id, mask, problem FROM subsetstate ORDER BY subset_id`)
	read(&b, &fits, subsetURLsSQL+` ORDER BY 1, 2`)
	read(&b, &covered, `SELECT subset_id, site_id, true FROM (`+coveredSitesSQL+`) c ORDER BY 1, 2`)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	d.checkTotals(totals)

	type member struct{ subset, id int32 }
	waits := map[int32]bool{}
	for i := range d.journal {
		waits[d.journal[i].URL] = true
	}
	for i := range d.marks {
		waits[d.marks[i].URL] = true
	}
	known := map[int32]bool{}
	for _, s := range subsets {
		known[s.Subset] = s.Problem == ""
	}
	listed, whole := map[member]bool{}, map[member]bool{}
	for _, g := range groups {
		if !known[g.Subset] {
			d.report("subsetdocs: subset %d was not built", g.Subset)
		}
		if d.site[g.Site] == nil {
			d.report("subsetdocs: subset %d: site %d is not there", g.Subset, g.Site)
		}
		if g.Block == -1 {
			whole[member{g.Subset, g.Site}] = true
		}
		if !ascending(g.Docs) {
			d.report("subsetdocs: subset %d, site %d, block %d: %v do not ascend", g.Subset, g.Site, g.Block, g.Docs)
		}
		for _, id := range g.Docs {
			listed[member{g.Subset, id}] = true
			if u := d.url[id]; u == nil || u.Site != g.Site || id/16384 != g.Block {
				d.report("subsetdocs: subset %d: %s under site %d, block %d", g.Subset, d.name(id), g.Site, g.Block)
			}
		}
	}
	for _, f := range fits {
		m := member{f.Subset, f.ID}
		u := d.url[f.ID]
		if should := u.live() && u.Origin == 0 && !f.Whole; should != listed[m] && !waits[f.ID] {
			d.report("subsetdocs: subset %d: %s is listed: %t, expected: %t", f.Subset, d.name(f.ID), listed[m], should)
		}
		delete(listed, m)
	}
	for m := range listed {
		if !waits[m.id] {
			d.report("subsetdocs: subset %d: its mask does not fit %s", m.subset, d.name(m.id))
		}
	}
	for _, c := range covered {
		if m := (member{c.Subset, c.ID}); !whole[m] {
			d.report("subsetdocs: subset %d lacks site %d, which its mask covers", c.Subset, c.ID)
		}
	}
	for m := range whole {
		if !slices.Contains(covered, fitRow{m.subset, m.id, true}) && d.labelled(m.id) {
			d.report("subsetdocs: subset %d has site %d as a whole, which its mask does not cover", m.subset, m.id)
		}
	}
	return nil
}

// labelled reports whether the merge has seen a site.
func (d *database) labelled(site int32) bool {
	return slices.ContainsFunc(d.siteStates, func(s siteStateRow) bool { return s.Site == site && s.Labelled })
}

// checkTotals checks that the one row of totals is the sum over docwords and wordurl.
func (d *database) checkTotals(rows []totalsRow) {
	if len(rows) != 1 {
		d.report("totals: %d rows", len(rows))
		return
	}
	var want totalsRow
	for _, x := range d.docwords {
		if len(x.Words) > 2 {
			want.Documents++
		}
	}
	for i := range d.words {
		w := &d.words[i]
		if w.Count > 0 {
			want.Words++
		}
		want.Postings, want.Positions = want.Postings+int64(w.Count), want.Positions+int64(w.Sums)
	}
	if rows[0] != want {
		d.report("totals: %+v, but the tables have %+v", rows[0], want)
	}
}
