package lookup

import "github.com/pgseek/pgseek/store"

// PostingsState identifies a state of the main index: while it is the same, postings that were read are
// unchanged. Every transaction that changes postings writes the row of totals.
//
// States and DocumentVersions of a primary and its streaming standbys may be compared. A standby is a physical copy: it has the
// rows of the primary with the xmin that the primary gave them, so an equal state is the same state, and a standby that is
// behind has an older one, which differs in Changes or Xmin. What was read from one of them is used for another only after
// that one has answered with the same state. The exception is a failover that loses transactions. Their numbers may be given
// out again, so searchd empties its caches when a database leaves (search.Engine.Forget).
type PostingsState struct {
	Changes store.Changes
	Xmin    uint32 // of the row
	// Documents with words, and all positions of words, from which the average length follows.
	Documents, Positions int64
}

// SearchNow is the state that applies to searches at once, before the merge.
type SearchNow struct {
	State PostingsState
	// Live are the documents whose words are in wordurl1: their postings in the main index do not count.
	// Ascending.
	Live []store.URLID
	// Gone are the documents that are no longer live originals while the index still has words of them: T-12,
	// T-13 and the like apply at once, but the merge removes the words later. Known is false when too many
	// documents would have to be checked; then GoneOf must be used for those that matter.
	Gone  []store.URLID
	Known bool
}

// Documents that may have left since their words came into the index: each has a mark, or is in the real-time index.
const (
	mayHaveLeftSQL = `
	WITH waiting AS MATERIALIZED (
		(SELECT url_id FROM markdel LIMIT $1 + 1) UNION ALL (SELECT url_id FROM rt_urls LIMIT $1 + 1)
	)`
	nowSQL = `
		coalesce((SELECT changes FROM totals), 0), coalesce((SELECT xmin FROM totals), '0'),
		coalesce((SELECT documents FROM totals), 0), coalesce((SELECT positions FROM totals), 0),
		ARRAY(SELECT url_id FROM rt_urls ORDER BY url_id), (SELECT count(*) FROM waiting), ARRAY(
			SELECT n.url_id
			FROM waiting n LEFT JOIN urlword w ON w.url_id = n.url_id            -- urlword_pkey
			WHERE (SELECT count(*) FROM waiting) <= $1
				AND (w.url_id IS NULL OR w.deleted <> 0 OR (w.status & 65535) <> 200 OR w.origin <> 0))`
	searchNowSQL = mayHaveLeftSQL + `
	SELECT /* store.SearchNow */` + nowSQL
)

// nowRow is a row of nowSQL.
type nowRow struct {
	SearchNow
	waiting int
}

func (n *nowRow) columns() []any {
	return []any{&n.State.Changes, &n.State.Xmin, &n.State.Documents, &n.State.Positions, store.Keys(&n.Live), &n.waiting, store.Keys(&n.Gone)}
}

// Now asks for the current state. It checks at most limit documents for whether they have left.
func (x *Tx) Now(limit int, f func(SearchNow)) {
	var now nowRow
	x.ask(searchNowSQL, []any{limit}, each(now.columns(), func() error {
		now.Known = now.waiting <= limit
		f(now.SearchNow)
		return nil
	}))
}

const goneOfSQL = `
	SELECT /* store.SearchGoneOf */ i
	FROM unnest($1::integer[]) i LEFT JOIN urlword w ON w.url_id = i             -- urlword_pkey
	WHERE w.url_id IS NULL OR w.deleted <> 0 OR (w.status & 65535) <> 200 OR w.origin <> 0`

// GoneOf asks which of some documents are not live originals.
func (x *Tx) GoneOf(urls []store.URLID, f func(store.URLID)) {
	var url store.URLID
	x.ask(goneOfSQL, []any{urls}, each([]any{&url}, func() error { f(url); return nil }))
}

// The merge labels sites. Sites of the real-time index, which it may not know yet, are matched by their
// names, too. A last label is also known without its port. The site of files has no host: file and file:/// are its labels.
const labelSitesSQL = `
	SELECT /* store.SearchLabels */ word, sites
	FROM wordsite                                                                -- wordsite_pkey
	WHERE word = ANY($1)
	UNION ALL
	SELECT split_part(word, ':', 1), sites
	FROM wordsite                                                                -- wordsite_port
	WHERE word LIKE '%:%' AND split_part(word, ':', 1) = ANY($1)
	UNION ALL
	SELECT k.label, array_agg(DISTINCT l.bits | n.site_id)
	FROM (SELECT DISTINCT w.site_id FROM rt_urls r JOIN urlword w ON w.url_id = r.url_id) n -- urlword_pkey
		JOIN sites s ON s.site_id = n.site_id                                    -- sites_pkey
		CROSS JOIN LATERAL site_labels(s.site) l
		CROSS JOIN LATERAL (VALUES (l.label), (split_part(l.label, ':', 1))) k (label)
	WHERE k.label = ANY($1)
	GROUP BY k.label
	UNION ALL
	SELECT f.label, ARRAY[1 << 31 | s.site_id]
	FROM sites s CROSS JOIN (VALUES ('file'), ('file:///')) f (label)
	WHERE s.site = 'file:///' AND f.label = ANY($1)                              -- sites_site_key`

// Labels asks for the sites whose host names have labels: for each site its key in bits 0 to 23 and the
// positions of the label in bits 24 to 31, bit 31 the last label. f is not called for a label without sites;
// it may be called several times for one, with some sites repeated.
func (x *Tx) Labels(labels []string, f func(label string, sites []uint32)) {
	var label string
	var list []int32
	x.ask(labelSitesSQL, []any{labels}, each([]any{&label, store.Keys(&list)}, func() error {
		sites := make([]uint32, len(list))
		for i, s := range list {
			sites[i] = uint32(s)
		}
		f(label, sites)
		return nil
	}))
}

const namedSitesSQL = `
	SELECT /* store.SearchSites */ site_id, site
	FROM sites                                                                   -- sites_site_key
	WHERE site = ANY($1)`

// Sites asks for sites by name, http://host[:port]/.
func (x *Tx) Sites(names []string, f func(store.SiteID, string)) {
	var id store.SiteID
	var name string
	x.ask(namedSitesSQL, []any{names}, each([]any{&id, &name}, func() error { f(id, name); return nil }))
}

const spaceSitesSQL = `
	SELECT /* store.SearchSpaces */ DISTINCT site_id
	FROM spaces                                                                  -- spaces_pkey
	WHERE space_id = ANY($1)`

// Spaces asks for the sites of web spaces.
func (x *Tx) Spaces(spaces []int32, f func(store.SiteID)) {
	var id store.SiteID
	x.ask(spaceSitesSQL, []any{spaces}, each([]any{&id}, func() error { f(id); return nil }))
}

// Documents of the real-time index are in a subset at once, all others when the merge has added them.
const subsetBlocksSQL = `
	WITH named AS (SELECT subset_id, mask FROM subsets WHERE mask = ANY($1) OR subset_id = ANY($2))
	SELECT /* store.SearchSubsets */ site_id, docs
	FROM (
		SELECT d.site_id, d.block, d.docs
		FROM named n JOIN subsetdocs d ON d.subset_id = n.subset_id              -- subsetdocs_pkey
		UNION ALL
		SELECT w.site_id, 0, array_agg(w.url_id ORDER BY w.url_id)
		FROM rt_urls r JOIN urlword w ON w.url_id = r.url_id                     -- urlword_pkey
		WHERE EXISTS (SELECT 1 FROM named n WHERE w.url LIKE n.mask)
		GROUP BY w.site_id
	) found
	ORDER BY site_id, block`

const namedSubsetsSQL = `
	SELECT /* store.SearchSubsets */ mask, subset_id FROM subsets WHERE mask = ANY($1) OR subset_id = ANY($2)`

// Subsets asks for the documents of subsets, by mask or number. known is called for each subset that exists,
// and then documents, by ascending site, with ascending lists, or with nil for a whole site. Several subsets
// may share documents.
func (x *Tx) Subsets(masks []string, ids []store.SubsetID, known func(mask string, id store.SubsetID), documents func(store.SiteID, []store.URLID)) {
	var mask string
	var id store.SubsetID
	x.ask(namedSubsetsSQL, []any{masks, ids}, each([]any{&mask, &id}, func() error { known(mask, id); return nil }))
	var site store.SiteID
	var docs []store.URLID
	x.ask(subsetBlocksSQL, []any{masks, ids}, each([]any{&site, store.Keys(&docs)}, func() error { documents(site, docs); return nil }))
}
