package search

import "slices"

// MixedSites puts the best mixBest documents into an order in which a site has at most mixMost of any mixWindow that follow
// each other, as long as there are others among them. All of them are still shown, and the documents that follow
// stay where they are. So the order does not depend on the page, and no result is repeated or left out.
//
// These documents are the ones that are ranked again. Documents further behind are so much worse that they do not
// replace one of the same site.
const (
	mixBest   = rerankMost
	mixWindow = 10
	mixMost   = 3
	mixSites  = 3 // the documents of so few sites are not mixed
)

// A siteCount has the number of matching documents of a site.
type siteCount struct{ n, all int }

// mixed returns documents, which are sorted, in a mixed order, each as a group. A document behind which others of its
// site were put back has their number. It returns nil if there is nothing to mix.
func (c *collector) mixed(sorted []found) (all []group) {
	best := sorted[:min(mixBest, len(sorted))]
	sites := map[int32]bool{}
	for i := range best {
		sites[best[i].at.site()] = true
	}
	if len(sites) <= mixSites {
		return nil
	}
	for len(best) > 0 { // sites of the same weight
		n := 1
		for n < len(best) && best[n].weight == best[0].weight {
			n++
		}
		all = c.mix(all, best[:n])
		best = best[n:]
	}
	for i := len(all); i < len(sorted); i++ {
		all = append(all, group{best: sorted[i : i+1]})
	}
	return all
}

// mix appends documents.
func (c *collector) mix(all []group, rest []found) []group {
	from := len(all)
	rest = slices.Clone(rest)
	last := map[int32]int{} // place of the last document of each site
	for len(rest) > 0 {
		window := map[int32]int{}
		for _, g := range all[max(from, len(all)-mixWindow+1):] {
			window[g.best[0].at.site()]++
		}
		next := slices.IndexFunc(rest, func(f found) bool { return window[f.at.site()] < mixMost })
		next = max(next, 0) // only sites that have their share are left
		for i := range rest[:next] {
			site := rest[i].at.site()
			count := c.counts[site]
			if count.all == 0 {
				count.all = count.n
			}
			g := &all[last[site]]
			g.n, g.all = count.n, count.all
		}
		last[rest[next].at.site()] = len(all)
		all = append(all, group{best: []found{rest[next]}})
		rest = slices.Delete(rest, next, next+1)
	}
	return all
}

// count remembers the number of documents of the current site if one of them is among the best.
func (c *collector) count() {
	if !c.kept {
		return
	}
	c.kept = false
	if c.counts == nil || len(c.counts) > 4*c.most {
		known := c.counts
		c.counts = map[int32]siteCount{}
		for i := range c.one {
			site := c.one[i].at.site()
			if n, ok := known[site]; ok {
				c.counts[site] = n
			}
		}
	}
	c.counts[c.last] = siteCount{c.site.n, c.site.all}
}
