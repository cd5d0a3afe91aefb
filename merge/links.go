package merge

import (
	"context"
	"slices"

	"github.com/pgseek/pgseek/merge/extsort"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// citationBytes is the size of the referrers, as they are stored, that are held at once.
const citationBytes = 4 << 20

const (
	// memoryPerLink is the number of bytes of Options.Memory for one changed link: less than half of them are
	// used, for the link, the sorter's copy and the spare capacity of a list that grew, apart from the pairs
	// that the batch's rows name.
	memoryPerLink = 64
	// manyLinks is a number of links that few pages exceed. So many pages are read at once that with
	// manyLinks each they fill the limit: the links held stay below twice the limit.
	manyLinks = 1000
)

// addPairs adds links of a page that may have changed.
func (m *batch) addPairs(page store.URLID, targets []store.URLID) {
	for _, t := range targets {
		m.pairs = append(m.pairs, uint64(page)<<32|uint64(t))
	}
}

// mergeLinks updates citation for the links that may have changed: those that journal rows and marks name,
// all links of a marked document that is out of the index, and all links of a page that the index did not
// have or may not have had. When a document comes back with the links that its row has kept, its journal row
// names none of them. Whether a link exists is read from the current content row.
//
// The size of the batch's rows does not show how many links such pages have, so changes are applied whenever
// enough of them are held. All changes of a page are in one portion, so the order of the portions does not
// matter.
func (m *batch) mergeLinks(ctx context.Context) error {
	extsort.SortKeys(m.pairs)
	pairs := slices.Compact(m.pairs)
	pages := slices.Concat(m.marked, m.fresh)
	for i, p := range pairs {
		if i == 0 || p>>32 != pairs[i-1]>>32 {
			pages = append(pages, store.URLID(p>>32))
		}
	}
	slices.Sort(pages)
	pages = slices.Compact(pages)
	slices.Sort(m.marked)
	slices.Sort(m.fresh)

	var changes []uint64
	for set := range slices.Chunk(pages, max(1, m.lim.links/manyLinks)) {
		end, _ := slices.BinarySearch(pairs, (uint64(set[len(set)-1])+1)<<32)
		var err error
		if changes, err = m.readLinks(ctx, set, pairs[:end], changes); err != nil {
			return err
		}
		if pairs = pairs[end:]; len(changes) < m.lim.links {
			continue
		}
		if err := m.citeAll(ctx, changes); err != nil {
			return err
		}
		changes = changes[:0]
	}
	return m.citeAll(ctx, changes)
}

// readLinks appends the changes that follow from the links of pages, inverted: target << 32 | page << 1 |
// linked. pairs are the named pairs of these pages.
func (m *batch) readLinks(ctx context.Context, pages []store.URLID, pairs, changes []uint64) ([]uint64, error) {
	linked := make([]bool, len(pairs))
	err := m.CurrentLinks(ctx, pages, func(page store.URLID, links []store.URLID, live bool) {
		if live {
			i, _ := slices.BinarySearch(pairs, uint64(page)<<32)
			for ; i < len(pairs) && pairs[i]>>32 == uint64(page); i++ {
				target := store.URLID(pairs[i] & 0xffffffff)
				_, linked[i] = slices.BinarySearch(links, target)
				linked[i] = linked[i] && target != page
			}
			if _, ok := slices.BinarySearch(m.fresh, page); ok {
				for _, t := range links {
					if t != page {
						changes = append(changes, uint64(t)<<32|uint64(page)<<1|1)
					}
				}
			}
			return
		}
		if _, ok := slices.BinarySearch(m.marked, page); ok {
			for _, t := range links {
				changes = append(changes, uint64(t)<<32|uint64(page)<<1)
			}
		}
	})
	for i, p := range pairs {
		c := p<<32 | p>>32<<1
		if linked[i] {
			c |= 1
		}
		changes = append(changes, c)
	}
	return changes, err
}

// citeAll applies changes to citation; a change may occur several times.
func (m *batch) citeAll(ctx context.Context, changes []uint64) error {
	extsort.SortKeys(changes)
	changes = slices.Compact(changes)
	for len(changes) > 0 {
		n, targets := 0, 0
		for n < len(changes) && targets <= setSize {
			if n == 0 || changes[n]>>32 != changes[n-1]>>32 {
				if targets++; targets > setSize {
					break
				}
			}
			n++
		}
		if err := m.cite(ctx, changes[:n]); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

// cite applies changes of up to setSize targets, in groups whose rows fit into memory.
func (m *batch) cite(ctx context.Context, changes []uint64) error {
	var targets []store.URLID
	var begin []int // start of each target's changes
	for i, c := range changes {
		if i == 0 || c>>32 != changes[i-1]>>32 {
			targets, begin = append(targets, store.URLID(c>>32)), append(begin, i)
		}
	}
	begin = append(begin, len(changes))
	size := map[store.URLID]int{}
	if err := m.CitationSizes(ctx, targets, func(u store.URLID, bytes int) { size[u] = bytes }); err != nil {
		return err
	}
	for lo := 0; lo < len(targets); {
		hi, bytes := lo, 0
		for hi < len(targets) && (hi == lo || bytes+size[targets[hi]] <= citationBytes) {
			bytes += size[targets[hi]]
			hi++
		}
		if err := m.citeGroup(ctx, targets[lo:hi], changes, begin[lo:hi+1]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// citeGroup reads the rows of targets, changes them and writes those that differ.
func (m *batch) citeGroup(ctx context.Context, targets []store.URLID, changes []uint64, begin []int) error {
	known := make(map[store.URLID][]store.URLID, len(targets))
	if err := m.Citations(ctx, targets, func(c index.Citation) { known[c.URL] = c.Referrers }); err != nil {
		return err
	}
	var insert, update []index.Citation
	var drop []store.URLID
	for k, t := range targets {
		was, exists := known[t]
		now, gained, lost := alter(was, changes[begin[k]:begin[k+1]])
		if gained+lost == 0 {
			continue
		}
		m.sum.Links += int64(gained + lost)
		switch {
		case len(now) == 0:
			drop = append(drop, t)
		case exists:
			update = append(update, index.Citation{URL: t, Referrers: now})
		default:
			insert = append(insert, index.Citation{URL: t, Referrers: now})
		}
	}
	if err := m.UpdateCitations(ctx, update); err != nil {
		return err
	}
	if err := m.InsertCitations(ctx, insert); err != nil {
		return err
	}
	return m.DeleteCitations(ctx, drop)
}

// alter applies the changes of one target, which ascend by page, to its referrers.
func alter(was []store.URLID, changes []uint64) (now []store.URLID, gained, lost int) {
	now = make([]store.URLID, 0, len(was)+len(changes))
	for _, c := range changes {
		page, linked := store.URLID(c&0xffffffff>>1), c&1 == 1
		for len(was) > 0 && was[0] < page {
			now, was = append(now, was[0]), was[1:]
		}
		known := len(was) > 0 && was[0] == page
		if known {
			was = was[1:]
		}
		switch {
		case linked:
			now = append(now, page)
			if !known {
				gained++
			}
		case known:
			lost++
		}
	}
	return append(now, was...), gained, lost
}
