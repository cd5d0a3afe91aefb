package report

import (
	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// The second half of Explain: relations of the URL to other URLs.

const explainStepSQL = `
	SELECT /* store.Explain */ 1, url_id, url, status, hops FROM urlword WHERE url_id = $1`

// The condition on origin is for the planner: urlword_origin contains only rows with an origin.
const explainClonesSQL = `
	SELECT /* store.Explain */ count(*) OVER (), url_id, url, status, hops
	FROM urlword WHERE origin = $1 AND origin <> 0 AND deleted = 0               -- urlword_origin
	ORDER BY url_id LIMIT $2`

// group reads the clone group: the original, and its clones.
func (x *explainer) group() (err error) {
	original := x.ID
	if x.Origin != 0 {
		original = x.Origin
		list, err := x.steps(explainStepSQL, original)
		if err != nil {
			return err
		}
		if list.First != nil {
			x.Original = &list.First[0]
		}
	}
	x.Clones, err = x.steps(explainClonesSQL, original, explainClones)
	return err
}

const explainChainSQL = `
	SELECT /* store.Explain */ c.url_id, c.url, c.status, w.hops, w.redir <> 0
	FROM redirect_chain($1) c JOIN urlword w ON w.url_id = c.url_id
	WHERE c.step > 0
	ORDER BY c.step`

const explainOrphanSQL = `
	SELECT /* store.Explain */
		(SELECT since FROM unreached u WHERE url_id = $1 AND EXISTS (SELECT 1 FROM orphans o WHERE o.url_id = u.url_id)),
		(SELECT max(started_at) FROM reindexing
			WHERE kind = 'crawl' AND respider AND NOT limited AND end_reason = 'complete' AND begun_at IS NOT NULL AND starts <> '{}')`

// redirects reads the chain of redirects from the URL.
func (x *explainer) redirects() error {
	if x.Redir == 0 {
		return nil
	}
	rows, err := x.tx.Query(x.ctx, explainChainSQL, x.ID)
	if err != nil {
		return err
	}
	var step crawl.Hop
	_, err = pgx.ForEachRow(rows, []any{&step.ID, &step.URL, &step.Status, &step.Hops, &x.Looped}, func() error {
		x.RedirectsTo = append(x.RedirectsTo, step)
		return nil
	})
	// The last URL redirects to one that is in the chain already; one that redirects to itself has no further
	// step.
	x.Looped = x.Looped || err == nil && x.RedirectsTo == nil
	return err
}

// way reads how the URL was found, and whether links still reach it.
func (x *explainer) way() (err error) {
	if x.Path, err = crawl.PathFrom(x.ctx, x.tx, x.ID); err != nil {
		return err
	}
	if err := store.ReadAll(x.ctx, x.tx); err != nil { // reindexing is small and has no index for this
		return err
	}
	return x.tx.QueryRow(x.ctx, explainOrphanSQL, x.ID).Scan(&x.Orphan, &x.Reached)
}

const explainCitationSQL = `
	SELECT /* store.Explain */ cardinality(c.referrers), w.url_id, w.url, w.status, w.hops
	FROM citation c CROSS JOIN unnest(c.referrers[1:$2]) WITH ORDINALITY r (url_id, place)
	JOIN urlword w ON w.url_id = r.url_id
	WHERE c.url_id = $1                                                          -- citation_pkey
	ORDER BY r.place`

// The journal has no index on its links: it is read whole, and it is empty after a merge.
const explainUnmergedSQL = `
	WITH page AS (
		SELECT url_id FROM journal WHERE $1 = ANY(links_added)
		EXCEPT
		SELECT unnest(referrers) FROM citation WHERE url_id = $1
	)
	SELECT /* store.Explain */ count(*) OVER (), w.url_id, w.url, w.status, w.hops
	FROM page JOIN urlword w ON w.url_id = page.url_id
	ORDER BY w.url_id LIMIT $2`

// A redirect cites its target, and a page its canonical page; urlword has no index on redir.
const (
	explainSourcesSQL = sourcesSQL + `AND w.status <> 906
	ORDER BY w.url_id LIMIT $2`
	explainUnitedSQL = sourcesSQL + `AND w.status = 906
	ORDER BY w.url_id LIMIT $2`
)

const sourcesSQL = `
	WITH page AS (
		SELECT unnest(referrers) AS url_id FROM citation WHERE url_id = $1
		UNION
		SELECT url_id FROM journal WHERE redir = $1
	)
	SELECT /* store.Explain */ count(*) OVER (), w.url_id, w.url, w.status, w.hops
	FROM page JOIN urlword w ON w.url_id = page.url_id
	WHERE w.redir = $1 AND w.url_id <> $1 AND w.deleted = 0 `

// links reads the pages that link or redirect to the URL, merged or not.
func (x *explainer) links() (err error) {
	if x.LinkedFrom, err = x.steps(explainCitationSQL, x.ID, explainLinks); err != nil {
		return err
	}
	if x.Unmerged, err = x.steps(explainUnmergedSQL, x.ID, explainLinks); err != nil {
		return err
	}
	if x.UnitedBy, err = x.steps(explainUnitedSQL, x.ID, explainLinks); err != nil {
		return err
	}
	x.RedirectedBy, err = x.steps(explainSourcesSQL, x.ID, explainLinks)
	return err
}
