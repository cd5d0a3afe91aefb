package merge

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// subsetBytes is the number of bytes of subsetdocs that are held at once.
const subsetBytes = 4 << 20

// refreshSubsets builds the subsets that were added or changed since the last merge, and drops those that no
// longer exist. It returns the number of both.
func refreshSubsets(ctx context.Context, s *index.Store) (n int64, err error) {
	changed, gone, err := s.StaleSubsets(ctx)
	if err != nil {
		return 0, err
	}
	for _, id := range gone {
		if err := s.DropSubset(ctx, id); err != nil {
			return n, err
		}
		n++
	}
	for _, subset := range changed {
		built, err := s.BuildSubset(ctx, subset)
		if err != nil {
			return n, err
		}
		if built.Problem != "" {
			slog.WarnContext(ctx, "a subset has no documents", "subset", subset.ID, "mask", subset.Mask, "cause", built.Problem)
		}
		n++
	}
	return n, nil
}

// mergeSubsets adds every document with an entry to the subsets to which it belongs now, and removes it from
// the others. Every change of a document into or out of the live originals writes a journal row or a mark,
// and its state is read from urlword after these have been read. So a subset is right when no entry is
// unmerged, whatever the order of batches.
func (m *batch) mergeSubsets(ctx context.Context) error {
	built, err := m.BuiltSubsets(ctx)
	if err != nil || built.Len() == 0 {
		return err
	}
	slices.Sort(m.touched)
	m.touched = slices.Compact(m.touched)
	for lo := 0; lo < len(m.touched); lo += setSize {
		if err := m.subsetSet(ctx, built, m.touched[lo:min(lo+setSize, len(m.touched))]); err != nil {
			return err
		}
	}
	return nil
}

// blockPlace is the key of a document's block in any subset.
type blockPlace struct {
	site  store.SiteID
	block int32
}

// subsetSet does the work of mergeSubsets for up to setSize documents.
func (m *batch) subsetSet(ctx context.Context, built *index.BuiltSubsets, urls []store.URLID) error {
	touched := map[blockPlace][]store.URLID{}     // ascending
	member := map[index.SubsetKey][]store.URLID{} // those that belong there, ascending
	err := m.SubsetMembers(ctx, built, urls, func(u store.URLID, site store.SiteID, in []store.SubsetID) {
		at := blockPlace{site, index.SubsetBlock(u)}
		touched[at] = append(touched[at], u)
		for _, id := range in {
			k := index.SubsetKey{Subset: id, Site: site, Block: at.block}
			member[k] = append(member[k], u)
		}
	})
	if err != nil {
		return err
	}
	var sites []store.SiteID
	var blocks []int32
	for at := range touched {
		sites, blocks = append(sites, at.site), append(blocks, at.block)
	}
	size := map[index.SubsetKey]int{}
	if err := m.SubsetSizes(ctx, built, sites, blocks, func(k index.SubsetKey, bytes int) { size[k] = bytes }); err != nil {
		return err
	}
	var keys []index.SubsetKey
	for k := range size {
		keys = append(keys, k)
	}
	for k := range member {
		if _, ok := size[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b index.SubsetKey) int {
		return cmp.Or(cmp.Compare(a.Subset, b.Subset), cmp.Compare(a.Site, b.Site), cmp.Compare(a.Block, b.Block))
	})
	for lo := 0; lo < len(keys); {
		hi, bytes := lo, 0
		for hi < len(keys) && (hi == lo || bytes+size[keys[hi]] <= subsetBytes) {
			bytes += size[keys[hi]] + 4*len(member[keys[hi]])
			hi++
		}
		if err := m.subsetGroup(ctx, keys[lo:hi], touched, member); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// subsetGroup changes rows and writes those that differ.
func (m *batch) subsetGroup(ctx context.Context, keys []index.SubsetKey,
	touched map[blockPlace][]store.URLID, member map[index.SubsetKey][]store.URLID,
) error {
	known := map[index.SubsetKey][]store.URLID{}
	if err := m.SubsetDocs(ctx, keys, func(k index.SubsetKey, docs []store.URLID) { known[k] = docs }); err != nil {
		return err
	}
	var put []index.SubsetKey
	var docs [][]store.URLID
	for _, k := range keys {
		now := replaceMembers(known[k], touched[blockPlace{k.Site, k.Block}], member[k])
		if !slices.Equal(now, known[k]) {
			put, docs = append(put, k), append(docs, now)
		}
	}
	return m.PutSubsetDocs(ctx, put, docs)
}

// replaceMembers removes the touched documents from a list and inserts those that belong there. All lists
// ascend.
func replaceMembers(was, touched, belong []store.URLID) []store.URLID {
	now := make([]store.URLID, 0, len(was)+len(belong))
	for _, u := range was {
		for len(touched) > 0 && touched[0] < u {
			touched = touched[1:]
		}
		if len(touched) > 0 && touched[0] == u {
			continue
		}
		for len(belong) > 0 && belong[0] < u {
			now, belong = append(now, belong[0]), belong[1:]
		}
		now = append(now, u)
	}
	return append(now, belong...)
}
