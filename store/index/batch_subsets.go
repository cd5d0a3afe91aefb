package index

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const builtSubsetsSQL = `
	SELECT /* store.BuiltSubsets */ subset_id, mask, whole_sites
	FROM subsetstate WHERE problem = ''
	ORDER BY subset_id`

// BuiltSubsets is the set of subsets that a batch keeps up to date.
type BuiltSubsets struct {
	ids   []store.SubsetID
	masks []string
	open  []bool // sites whose name matches the mask are in the subset as a whole
}

// Len returns the number of subsets.
func (b *BuiltSubsets) Len() int { return len(b.ids) }

// BuiltSubsets returns the subsets that have been built, with the masks that they were built with.
func (b *MergeBatch) BuiltSubsets(ctx context.Context) (*BuiltSubsets, error) {
	built := &BuiltSubsets{}
	rows, err := b.tx.Query(ctx, builtSubsetsSQL)
	if err != nil {
		return nil, err
	}
	var id store.SubsetID
	var mask string
	var open bool
	_, err = pgx.ForEachRow(rows, []any{&id, &mask, &open}, func() error {
		built.ids, built.masks, built.open = append(built.ids, id), append(built.masks, mask), append(built.open, open)
		return nil
	})
	return built, err
}

// SubsetKey is the key of a row of subsetdocs: some documents of a site.
type SubsetKey struct {
	Subset store.SubsetID
	Site   store.SiteID
	Block  int32
}

// SubsetBlock returns the block of a document.
func SubsetBlock(u store.URLID) int32 { return int32(u) / subsetBlock }

// A site that is in a subset as a whole has one row, whatever its documents. CASE keeps the order: LIKE
// against a site applies to open masks only.
const subsetMembersSQL = `
	SELECT /* store.SubsetMembers */ w.url_id, w.site_id, ARRAY(
		SELECT m.subset_id
		FROM unnest($2::integer[], $3::text[], $4::boolean[]) AS m (subset_id, mask, ends_open)
		WHERE w.deleted = 0 AND (w.status & 65535) = 200 AND w.origin = 0 AND w.url LIKE m.mask
			AND NOT CASE WHEN m.ends_open THEN s.site LIKE m.mask ELSE false END
		ORDER BY m.subset_id)
	FROM urlword w JOIN sites s ON s.site_id = w.site_id
	WHERE w.url_id = ANY($1)
	ORDER BY w.url_id`

// SubsetMembers calls f for each of the documents, by ascending id, with its site and the subsets that must
// list it according to urlword now; with none when it is not a live original. At most 5,000 documents may be
// given. The slice is valid only during the call.
func (b *MergeBatch) SubsetMembers(ctx context.Context, built *BuiltSubsets, urls []store.URLID, f func(store.URLID, store.SiteID, []store.SubsetID)) error {
	rows, err := b.tx.Query(ctx, subsetMembersSQL, urls, built.ids, built.masks, built.open)
	if err != nil {
		return err
	}
	var u store.URLID
	var site store.SiteID
	var in []store.SubsetID
	_, err = pgx.ForEachRow(rows, []any{&u, &site, &in}, func() error { f(u, site, in); return nil })
	return err
}

const subsetSizesSQL = `
	SELECT /* store.SubsetSizes */ d.subset_id, d.site_id, d.block, pg_column_size(d.docs)
	FROM unnest($2::integer[], $3::integer[]) AS i (site_id, block)
		CROSS JOIN unnest($1::integer[]) AS m (subset_id)
		JOIN subsetdocs d ON d.subset_id = m.subset_id AND d.site_id = i.site_id AND d.block = i.block`

// SubsetSizes calls f with the keys of the rows that the subsets have for places (sites[i], blocks[i]), and
// their size in bytes.
func (b *MergeBatch) SubsetSizes(ctx context.Context, built *BuiltSubsets, sites []store.SiteID, blocks []int32, f func(SubsetKey, int)) error {
	rows, err := b.tx.Query(ctx, subsetSizesSQL, built.ids, sites, blocks)
	if err != nil {
		return err
	}
	var k SubsetKey
	var size int
	_, err = pgx.ForEachRow(rows, []any{&k.Subset, &k.Site, &k.Block, &size}, func() error { f(k, size); return nil })
	return err
}

const subsetDocsSQL = `
	SELECT /* store.SubsetDocs */ d.subset_id, d.site_id, d.block, d.docs
	FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS i (subset_id, site_id, block)
		JOIN subsetdocs d ON d.subset_id = i.subset_id AND d.site_id = i.site_id AND d.block = i.block`

// SubsetDocs calls f with the documents of existing rows. f may keep the slice.
func (b *MergeBatch) SubsetDocs(ctx context.Context, keys []SubsetKey, f func(SubsetKey, []store.URLID)) error {
	subsets, sites, blocks := splitKeys(keys)
	rows, err := b.tx.Query(ctx, subsetDocsSQL, subsets, sites, blocks)
	if err != nil {
		return err
	}
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		var k SubsetKey
		var docs []store.URLID
		err := row.Scan(&k.Subset, &k.Site, &k.Block, &docs)
		if err == nil {
			f(k, docs)
		}
		return struct{}{}, err
	})
	return err
}

const putSubsetDocsSQL = `
	INSERT /* store.PutSubsetDocs */ INTO subsetdocs (subset_id, site_id, block, docs)
	SELECT i.subset_id, i.site_id, i.block, ($6::integer[])[i.lo:i.hi]
	FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[]) AS i (subset_id, site_id, block, lo, hi)
	ORDER BY i.subset_id, i.site_id, i.block
	ON CONFLICT (subset_id, site_id, block) DO UPDATE SET docs = EXCLUDED.docs`

const deleteSubsetDocsSQL = `
	DELETE /* store.PutSubsetDocs */ FROM subsetdocs d
	USING unnest($1::integer[], $2::integer[], $3::integer[]) AS i (subset_id, site_id, block)
	WHERE d.subset_id = i.subset_id AND d.site_id = i.site_id AND d.block = i.block`

// PutSubsetDocs writes rows: docs[i], ascending, are the documents of keys[i]. It removes a row without
// documents.
func (b *MergeBatch) PutSubsetDocs(ctx context.Context, keys []SubsetKey, docs [][]store.URLID) error {
	var put, empty []SubsetKey
	var lo, hi []int32
	var flat []store.URLID
	for i, k := range keys {
		if len(docs[i]) == 0 {
			empty = append(empty, k)
			continue
		}
		put, lo = append(put, k), append(lo, int32(len(flat)+1))
		flat = append(flat, docs[i]...)
		hi = append(hi, int32(len(flat)))
	}
	if len(put) > 0 {
		subsets, sites, blocks := splitKeys(put)
		if _, err := b.tx.Exec(ctx, putSubsetDocsSQL, subsets, sites, blocks, lo, hi, flat); err != nil {
			return err
		}
	}
	if len(empty) == 0 {
		return nil
	}
	subsets, sites, blocks := splitKeys(empty)
	_, err := b.tx.Exec(ctx, deleteSubsetDocsSQL, subsets, sites, blocks)
	return err
}

func splitKeys(keys []SubsetKey) (subsets []store.SubsetID, sites []store.SiteID, blocks []int32) {
	subsets, sites, blocks = make([]store.SubsetID, len(keys)), make([]store.SiteID, len(keys)), make([]int32, len(keys))
	for i, k := range keys {
		subsets[i], sites[i], blocks[i] = k.Subset, k.Site, k.Block
	}
	return subsets, sites, blocks
}
