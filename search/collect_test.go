package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestCollectorKeepsTheBest compares the collector with sorting and grouping all documents: it must keep the
// same first results and the same counts.
func TestCollectorKeepsTheBest(t *testing.T) {
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := &collector{most: 1 + r.IntN(20), groups: r.IntN(3) > 0}
		sites, url := r.IntN(30), int32(0)
		if r.IntN(4) == 0 {
			sites = min(sites, 1)
		}
		var all []found
		bySite := map[int32][]found{}
		for site := int32(1); site <= int32(sites); site++ {
			weight := r.IntN(3) - 1
			for range 1 + r.IntN(7) {
				url += 1 + r.Int32N(3)
				f := found{at: placeOf(site, url%50+100*site), rank: uint32(r.IntN(6)), weight: weight}
				if slices.ContainsFunc(bySite[site], func(o found) bool { return o.at == f.at }) {
					continue
				}
				bySite[site] = append(bySite[site], f)
			}
			slices.SortFunc(bySite[site], func(a, b found) int { return cmp.Compare(a.at, b.at) })
			all = append(all, bySite[site]...)
		}
		for _, f := range all {
			c.add(&f)
		}
		grouped, got := c.end()

		before := func(a, b found) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.rank, a.rank), cmp.Compare(a.at.url(), b.at.url()))
		}
		slices.SortFunc(all, before)
		var want []string
		for _, f := range all {
			site := bySite[f.at.site()]
			switch {
			case !c.groups || len(bySite) < 2:
				want = append(want, fmt.Sprintf("%x 1", uint64(f.at)))
			default:
				slices.SortFunc(site, before)
				if site[0] == f {
					text := fmt.Sprintf("%x", uint64(f.at))
					if len(site) > 1 {
						text += fmt.Sprintf(" %x", uint64(site[1].at))
					}
					want = append(want, fmt.Sprintf("%s %d", text, len(site)))
				}
			}
		}
		want = want[:min(len(want), c.most)]
		var have []string
		for _, g := range got {
			text := ""
			for _, f := range g.best {
				text += fmt.Sprintf("%x ", uint64(f.at))
			}
			have = append(have, fmt.Sprintf("%s%d", text, g.n))
		}
		if diff := gocmp.Diff(want, have); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		if c.urls != len(all) || c.sites != len(bySite) || grouped != (c.groups && len(bySite) > 1) {
			t.Fatalf("seed %d: %d documents, %d sites, grouped %v; want %d, %d", seed, c.urls, c.sites, grouped, len(all), len(bySite))
		}
	}
}
