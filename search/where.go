package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
)

// A filter decides which places may match: next returns the first place at or after p that passes.
type filter interface {
	next(p place) place
}

// A siteSet accepts some sites or, with not, all others.
type siteSet struct {
	ids []int32 // ascending
	not bool
}

func newSiteSet(ids []int32, not bool) *siteSet {
	slices.Sort(ids)
	return &siteSet{ids: slices.Compact(ids), not: not}
}

func (s *siteSet) next(p place) place {
	site := p.site()
	i, found := slices.BinarySearch(s.ids, site)
	switch {
	case found != s.not:
		return p
	case s.not:
		for ; i < len(s.ids) && s.ids[i] == site; i++ {
			site++
		}
		return endOfSite(site - 1)
	case i == len(s.ids):
		return noPlace
	}
	return max(p, placeOf(s.ids[i], 0))
}

// matchSites returns the sites that match a pattern of labels. labels has the values of wordsite for each
// label: the labels of a name must be at consecutive places (docs/reference/behavior.md, Site labels).
func matchSites(pattern query.Site, labels map[string][]uint32) (ids []int32) {
	const site = 1<<24 - 1
	of := pattern.Labels()
	last := make(map[uint32]uint32) // places of the previous label
	for i, label := range of {
		here := make(map[uint32]uint32, len(labels[label]))
		for _, s := range labels[label] {
			places := s &^ site
			if i > 0 {
				places &= last[s&site] << 1
			}
			if places != 0 {
				here[s&site] |= places // a label may stand last with a port, and elsewhere without
			}
		}
		last = here
	}
	for id := range last {
		ids = append(ids, int32(id))
	}
	slices.Sort(ids)
	return ids
}

// A documentSet accepts the documents of subsets.
type documentSet struct {
	sites []int32
	urls  [][]int32 // of each site, ascending; nil = the whole site
}

// add adds documents of a site, or all of them if urls is nil.
func (d *documentSet) add(site int32, urls []store.URLID) {
	n := len(d.sites)
	if n == 0 || d.sites[n-1] != site {
		d.sites = append(d.sites, site)
		d.urls = append(d.urls, make([]int32, 0, len(urls)))
		n++
	}
	switch {
	case len(urls) == 0:
		d.urls[n-1] = nil
	case d.urls[n-1] != nil:
		for _, u := range urls {
			d.urls[n-1] = append(d.urls[n-1], int32(u))
		}
	}
}

// sort merges the lists of several subsets. It must be called after the last add.
func (d *documentSet) sort() {
	for i, list := range d.urls {
		if list != nil {
			slices.Sort(list)
			d.urls[i] = slices.Compact(list)
		}
	}
}

func (d *documentSet) next(p place) place {
	i, found := slices.BinarySearch(d.sites, p.site())
	if found {
		if d.urls[i] == nil {
			return p
		}
		if k, _ := slices.BinarySearch(d.urls[i], p.url()); k < len(d.urls[i]) {
			return placeOf(d.sites[i], d.urls[i][k])
		}
		i++
	}
	if i == len(d.sites) {
		return noPlace
	}
	if d.urls[i] == nil {
		return placeOf(d.sites[i], 0)
	}
	return placeOf(d.sites[i], d.urls[i][0])
}

// A dateFilter accepts documents whose date is in a range, in epoch seconds. Documents without a date do not
// pass.
type dateFilter struct {
	from, to int64
	of       func(url int32) int64
}

func (d *dateFilter) next(p place) place {
	if at := d.of(p.url()); at == 0 || at < d.from || at > d.to {
		return p + 1
	}
	return p
}

// subsetNames splits the values of ul into masks and subset numbers: "http://h/#3" and "#3" are subset 3.
func subsetNames(names []string) (masks []string, ids []store.SubsetID) {
	for _, name := range names {
		if _, number, ok := strings.Cut(name, "#"); ok {
			if n, ok := decimal(number); ok {
				ids = append(ids, store.SubsetID(n))
				continue
			}
		}
		masks = append(masks, name)
	}
	return masks, ids
}

// decimal parses a positive number of at most nine digits.
func decimal(s string) (n int32, ok bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int32(c-'0')
	}
	return n, n > 0
}

// better compares matches: by the weight of the site, then by rank, then by the lower url_id.
func better(a, b *found) int {
	switch {
	case a.weight != b.weight:
		return cmp.Compare(b.weight, a.weight)
	case a.rank != b.rank:
		return cmp.Compare(b.rank, a.rank)
	}
	return cmp.Compare(a.at.url(), b.at.url())
}
