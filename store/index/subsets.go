package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// Subset is a set of documents by URL: the live originals whose URL matches the mask.
type Subset struct {
	ID   store.SubsetID
	Mask string // LIKE pattern
}

// subsetBlock is how many url_ids share a row of subsetdocs. So a batch writes at most 64 KiB for a document
// that comes or goes, and a site of a million documents has some hundred rows.
const subsetBlock = 16384

// wholeSite is the subsetdocs.block of a site that is in a subset with all its documents.
const wholeSite = -1

const staleSubsetsSQL = `
	SELECT /* store.StaleSubsets */ coalesce(s.subset_id, t.subset_id), coalesce(s.mask, ''), s.subset_id IS NULL
	FROM subsets s FULL JOIN subsetstate t ON t.subset_id = s.subset_id
	WHERE s.mask IS DISTINCT FROM t.mask
	ORDER BY 1`

// StaleSubsets returns the subsets that were added or changed since they were built, and those that were
// deleted.
func (s *Store) StaleSubsets(ctx context.Context) (changed []Subset, gone []store.SubsetID, err error) {
	err = s.InTx(ctx, "stale subsets", func(tx pgx.Tx) error {
		changed, gone = nil, nil
		rows, err := tx.Query(ctx, staleSubsetsSQL)
		if err != nil {
			return err
		}
		var one Subset
		var left bool
		_, err = pgx.ForEachRow(rows, []any{&one.ID, &one.Mask, &left}, func() error {
			if left {
				gone = append(gone, one.ID)
			} else {
				changed = append(changed, one)
			}
			return nil
		})
		return err
	})
	return changed, gone, err
}

const allSubsetsSQL = `SELECT /* store.Subsets */ subset_id, mask FROM subsets ORDER BY subset_id`

// Subsets returns all subsets, by id.
func (s *Store) Subsets(ctx context.Context) (list []Subset, err error) {
	err = s.InTx(ctx, "subsets", func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, allSubsetsSQL)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Subset])
		return err
	})
	return list, err
}

const (
	dropSubsetDocsSQL  = `DELETE /* store.DropSubset */ FROM subsetdocs WHERE subset_id = $1`
	dropSubsetStateSQL = `DELETE /* store.DropSubset */ FROM subsetstate WHERE subset_id = $1`
)

// DropSubset removes the documents of a deleted subset.
func (s *Store) DropSubset(ctx context.Context, id store.SubsetID) error {
	return s.InTx(ctx, "drop subset", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, dropSubsetDocsSQL, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, dropSubsetStateSQL, id)
		return err
	})
}

// SubsetBuilt holds the counts of building a subset.
type SubsetBuilt struct {
	Problem                  string // why the mask matches nothing; empty when it can be used
	Documents                int64  // documents listed one by one, without those of whole sites
	Added, Removed           int64  // changes of that list
	WholeSites               int64  // sites that are in it with all their documents
	AddedWhole, RemovedWhole int64
	RowsWritten, RowsDeleted int64 // of subsetdocs
}

// The temporary tables of BuildSubset. They are dropped with its transaction.
const (
	makeFreshSitesSQL = `CREATE TEMP TABLE fresh_sites (site_id integer, whole boolean) ON COMMIT DROP`
	makeFreshDocsSQL  = `CREATE TEMP TABLE fresh_docs (site_id integer, block integer, docs integer[]) ON COMMIT DROP`
)

// The sites that a mask may concern: $2 is the text before its first wildcard, and every URL of a site begins
// with the name of the site.
const freshSitesSQL = `
	INSERT /* store.BuildSubset */ INTO fresh_sites (site_id, whole)
	SELECT site_id, $3 AND site LIKE $1
	FROM sites
	WHERE starts_with(site, $2) OR starts_with($2, site)`

const freshDocsSQL = `
	INSERT /* store.BuildSubset */ INTO fresh_docs (site_id, block, docs)
	SELECT site_id, $2::integer, NULL FROM fresh_sites WHERE whole
	UNION ALL
	SELECT w.site_id, w.url_id / $3::integer, array_agg(w.url_id ORDER BY w.url_id)
	FROM fresh_sites f JOIN urlword w ON w.site_id = f.site_id                   -- urlword_due
	WHERE NOT f.whole
		AND w.deleted = 0 AND w.status <> 0 AND (w.status & 65535) = 200 AND w.origin = 0 AND w.url LIKE $1
	GROUP BY 1, 2`

const countFreshSQL = `
	WITH pair AS MATERIALIZED (
		SELECT d.site_id IS NULL AS fresh, f.site_id IS NULL AS gone, coalesce(d.block, f.block) = $2 AS whole,
			d.docs AS old, f.docs AS new
		FROM (SELECT site_id, block, docs FROM subsetdocs WHERE subset_id = $1) d
			FULL JOIN fresh_docs f ON f.site_id = d.site_id AND f.block = d.block
		WHERE d.site_id IS NULL OR f.site_id IS NULL OR d.docs IS DISTINCT FROM f.docs
	)
	SELECT /* store.BuildSubset */
		(SELECT coalesce(sum(cardinality(docs)), 0) FROM fresh_docs), (SELECT count(*) FROM fresh_docs WHERE block = $2),
		count(*) FILTER (WHERE whole AND fresh), count(*) FILTER (WHERE whole AND gone),
		coalesce(sum((SELECT count(*) FROM (SELECT unnest(new) EXCEPT SELECT unnest(old)) n)), 0)::bigint,
		coalesce(sum((SELECT count(*) FROM (SELECT unnest(old) EXCEPT SELECT unnest(new)) o)), 0)::bigint
	FROM pair`

const dropStaleDocsSQL = `
	DELETE /* store.BuildSubset */ FROM subsetdocs d
	WHERE d.subset_id = $1
		AND NOT EXISTS (SELECT 1 FROM fresh_docs f WHERE f.site_id = d.site_id AND f.block = d.block)`

const putFreshDocsSQL = `
	INSERT /* store.BuildSubset */ INTO subsetdocs AS d (subset_id, site_id, block, docs)
	SELECT $1, f.site_id, f.block, f.docs
	FROM fresh_docs f LEFT JOIN subsetdocs h ON h.subset_id = $1 AND h.site_id = f.site_id AND h.block = f.block
	WHERE h.site_id IS NULL OR h.docs IS DISTINCT FROM f.docs
	ON CONFLICT (subset_id, site_id, block) DO UPDATE SET docs = EXCLUDED.docs`

const putSubsetStateSQL = `
	INSERT /* store.BuildSubset */ INTO subsetstate (subset_id, mask, whole_sites, problem)
	VALUES ($1, $2, $3, $4)
	ON CONFLICT (subset_id) DO UPDATE SET mask = $2, whole_sites = $3, problem = $4, built_at = now()`

// BuildSubset writes the documents of a subset according to urlword now. It writes only rows that differ, in
// one transaction, so that a search sees the old subset or the new one. The server sorts on disk when
// work_mem is too small; the program keeps nothing in memory. The caller holds the merge lock.
func (s *Store) BuildSubset(ctx context.Context, subset Subset) (built SubsetBuilt, err error) {
	err = s.InTx(ctx, "build subset", func(tx pgx.Tx) error {
		built = SubsetBuilt{Problem: maskProblem(subset.Mask)}
		open := built.Problem == "" && maskEndsOpen(subset.Mask)
		if _, err := tx.Exec(ctx, buildPlansSQL); err != nil {
			return err
		}
		// The old version of the subset would cover a site that is labelled meanwhile.
		if _, err := tx.Exec(ctx, lockLabelsSQL, int32(store.LockClass), store.LabelLock); err != nil {
			return err
		}
		for _, sql := range []string{makeFreshSitesSQL, makeFreshDocsSQL} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		if built.Problem == "" {
			if err := fillFresh(ctx, tx, subset.Mask, open); err != nil {
				return err
			}
		}
		err := tx.QueryRow(ctx, countFreshSQL, subset.ID, wholeSite).Scan(&built.Documents, &built.WholeSites,
			&built.AddedWhole, &built.RemovedWhole, &built.Added, &built.Removed)
		if err != nil {
			return err
		}
		done, err := tx.Exec(ctx, dropStaleDocsSQL, subset.ID)
		if err != nil {
			return err
		}
		built.RowsDeleted = done.RowsAffected()
		if done, err = tx.Exec(ctx, putFreshDocsSQL, subset.ID); err != nil {
			return err
		}
		built.RowsWritten = done.RowsAffected()
		_, err = tx.Exec(ctx, putSubsetStateSQL, subset.ID, subset.Mask, open, built.Problem)
		return err
	})
	return built, err
}

// fillFresh finds the sites and documents of a mask.
func fillFresh(ctx context.Context, tx pgx.Tx, mask string, open bool) error {
	if _, err := tx.Exec(ctx, freshSitesSQL, mask, maskPrefix(mask), open); err != nil {
		return err
	}
	// One site is read by its index, half of all sites by reading the table: the planner must know how many there are.
	if _, err := tx.Exec(ctx, `ANALYZE /* store.BuildSubset */ fresh_sites`); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, freshDocsSQL, mask, wholeSite, subsetBlock)
	return err
}

// buildPlansSQL allows all plans: these statements read much or little, depending on their arguments, and
// reading urlword whole is one of the choices.
const buildPlansSQL = `
	SELECT /* store.BuildSubset */ set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true)`
