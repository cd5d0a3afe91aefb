package search

import (
	"container/heap"
	"slices"
)

// found is a matching document. It is copied often, so its fields are in an order without gaps.
type found struct {
	at       place
	value    float64   // the score without the link rank
	factor   float64   // Weight; set by the scorer
	evidence *evidence // of one that may be ranked again
	weight   int       // of its site
	rank     uint32
	score    score  // ASPseek's
	link     uint16 // link rank
	all      bool   // it has all words
	low      bool   // it is not among the best: it is only counted
	miss     uint8  // facets whose filter excludes it, as bits: it is counted for these only
}

// A group is the matching documents of one site.
type group struct {
	best []found // at most groupSize, best first
	n    int     // number of matching documents
	all  int     // of these, with all words
}

// groupSize is the number of documents of a site that a page shows together.
const groupSize = 2

// A collector receives all matches in the order of the index and keeps the best of them, up to the end of the
// requested page: most documents or, when it groups, most sites with their best documents. Its memory does
// not grow with the number of matches.
type collector struct {
	most   int
	groups bool // SiteGroups
	mixes  bool // MixedSites

	sites, urls int
	all         int          // documents with all words
	allSites    int          // their sites
	lastAll     int32        // the last of these
	last        int32        // current site
	one         topDocuments // all sites together; with groups only as long as there is one site
	many        topGroups
	site        group               // current site; with groups or mixes
	kept        bool                // a document of it was among the best
	counts      map[int32]siteCount // of sites with documents among the best; with mixes
	again       topDocuments        // the best, which are ranked again
	scoring     *scoring            // nil = none is ranked again
	explains    bool                // all evidence is kept
}

func (c *collector) add(f *found) {
	c.urls++
	if f.all {
		c.all++
		if site := f.at.site(); site != c.lastAll {
			c.allSites++
			c.lastAll = site
		}
	}
	if site := f.at.site(); site != c.last {
		c.close()
		c.sites++
		c.last = site
	}
	if c.groups || c.mixes {
		c.site.n++
		if f.all {
			c.site.all++
		}
	}
	if f.low {
		return
	}
	if c.groups {
		switch best := c.site.best; {
		case len(best) < groupSize:
			c.site.best = append(best, *f)
			slices.SortFunc(c.site.best, compareFound)
		case better(f, &best[groupSize-1]) < 0:
			best[groupSize-1] = *f
			slices.SortFunc(best, compareFound)
		}
	}
	var added bool
	var out *evidence
	if !c.groups || c.sites == 1 {
		added, out = c.one.add(f, c.most)
		c.kept = c.kept || added
	}
	if c.scoring == nil {
		return
	}
	if c.reranked() == &c.again {
		_, out = c.again.add(f, rerankMost)
	}
	if !c.explains {
		out.free()
	}
}

// reranked returns the documents that are ranked again: those that are kept, if these are as many.
func (c *collector) reranked() *topDocuments {
	if c.groups || c.most != rerankMost {
		return &c.again
	}
	return &c.one
}

// bar returns the rank that a document of a site needs to be among the best so far, or 0 if any rank is
// enough. Documents below it are only counted. It must not be used when sites have weights.
func (c *collector) bar(site int32) uint32 {
	if !c.groups {
		return c.needed(c.one.worst(c.most))
	}
	best := c.site.best
	switch {
	case site != c.last || len(best) < groupSize:
		return 0
	case c.sites == 1:
		return c.needed(min(best[groupSize-1].rank, c.one.worst(c.most)))
	}
	return c.needed(best[groupSize-1].rank)
}

// barScore returns the score that a document of a site needs to be among the best so far.
func (c *collector) barScore(site int32) float64 { return scoreOfRank(c.bar(site)) }

// needed lowers a bar to that of the documents that are ranked again.
func (c *collector) needed(bar uint32) uint32 {
	if c.scoring == nil {
		return bar
	}
	return min(bar, c.reranked().worst(rerankMost))
}

func compareFound(a, b found) int { return better(&a, &b) }

// close ends the current site.
func (c *collector) close() {
	if c.mixes {
		c.count()
	}
	if c.groups && c.site.n > 0 {
		c.many.add(c.site, c.most)
	}
	c.site = group{}
}

// shown returns the number of results that could be shown if the collector kept all matches.
func (c *collector) shown() int {
	if c.groups && c.sites > 1 {
		return c.sites
	}
	return c.urls
}

// end returns the results, best first, and whether they are grouped. Without grouping each group has one
// document.
func (c *collector) end() (grouped bool, all []group) {
	ranked := c.rankAgain()
	if c.groups && c.sites > 1 {
		c.close()
		bySite := map[int32][]found{}
		for at, f := range ranked {
			bySite[at.site()] = append(bySite[at.site()], f)
		}
		for i := range c.many {
			g := &c.many[i]
			g.best = bestOfGroup(append(g.best[:len(g.best):len(g.best)], bySite[g.best[0].at.site()]...))
		}
		slices.SortFunc(c.many, func(a, b group) int { return better(&a.best[0], &b.best[0]) })
		return true, c.many
	}
	if c.reranked() != &c.one {
		for i := range c.one {
			if f, ok := ranked[c.one[i].at]; ok {
				c.one[i] = f
			}
		}
	}
	slices.SortFunc(c.one, compareFound)
	if c.mixes {
		c.close()
		if all := c.mixed(c.one); all != nil {
			return true, all
		}
	}
	all = make([]group, len(c.one))
	for i := range c.one {
		all[i] = group{best: c.one[i : i+1], n: 1}
	}
	return false, all
}

// mayRankAgain reports whether a document of at most some score, on a site of some weight, may be ranked again.
func (c *collector) mayRankAgain(weight int, most float64) bool {
	again := *c.reranked()
	if len(again) < rerankMost {
		return true
	}
	worst := &again[0]
	return weight > worst.weight || weight == worst.weight && most >= scoreOfRank(worst.rank)
}

// rankAgain gives the best documents their final ranks. It returns them unless these are the documents that are kept.
func (c *collector) rankAgain() (ranked map[place]found) {
	if c.scoring == nil {
		return nil
	}
	again := *c.reranked()
	for i := range again {
		if f := &again[i]; f.evidence != nil {
			e := f.evidence
			c.scoring.judge(e)
			f.rank = rankOfScore(f.factor * (f.value + linkScore(f.link) + e.near + e.title))
		}
	}
	if c.reranked() == &c.one {
		return nil
	}
	ranked = make(map[place]found, len(again))
	for _, f := range again {
		ranked[f.at] = f
	}
	return ranked
}

// free gives back the evidence of the documents that were ranked again. Nobody may use the collector's documents after it.
func (c *collector) free() {
	if c.scoring == nil {
		return
	}
	again := *c.reranked()
	for i := range again {
		again[i].evidence.free()
		again[i].evidence = nil
	}
}

// bestOfGroup returns the best documents of a site. A document that is there twice has its final rank in one
// of the two, which is not lower.
func bestOfGroup(all []found) (best []found) {
	slices.SortFunc(all, compareFound)
	for _, f := range all {
		if len(best) < groupSize && !slices.ContainsFunc(best, func(b found) bool { return b.at == f.at }) {
			best = append(best, f)
		}
	}
	return best
}

// topDocuments is a heap of the best documents. Its first element is the worst of them.
type topDocuments []found

func (t topDocuments) Len() int           { return len(t) }
func (t topDocuments) Less(i, j int) bool { return better(&t[i], &t[j]) > 0 }
func (t topDocuments) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *topDocuments) Push(x any)        { *t = append(*t, x.(found)) }
func (t *topDocuments) Pop() any          { return nil } // never called

// add reports whether the document is among the best so far, and returns the evidence of the one that is not: of the document,
// or of the one that it replaces.
func (t *topDocuments) add(f *found, most int) (added bool, out *evidence) {
	switch {
	case len(*t) < most:
		if *t == nil {
			*t = make(topDocuments, 0, min(most, rerankMost))
		}
		*t = append(*t, *f)
		if len(*t) == most {
			heap.Init(t)
		}
		return true, nil
	case better(f, &(*t)[0]) < 0:
		out = (*t)[0].evidence
		t.replaceWorst(f)
		return true, out
	}
	return false, f.evidence
}

// replaceWorst does what heap.Fix does after a change of the first element, with fewer copies.
func (t topDocuments) replaceWorst(f *found) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(t) {
			break
		}
		if child+1 < len(t) && t.Less(child+1, child) {
			child++
		}
		if better(&t[child], f) <= 0 {
			break
		}
		t[i] = t[child]
		i = child
	}
	t[i] = *f
}

// worst returns the lowest rank that is kept, or 0 while the heap is not full.
func (t topDocuments) worst(most int) uint32 {
	if len(t) < most {
		return 0
	}
	return t[0].rank
}

// topGroups is a heap of the best groups. Its first element is the worst of them.
type topGroups []group

func (t topGroups) Len() int           { return len(t) }
func (t topGroups) Less(i, j int) bool { return better(&t[i].best[0], &t[j].best[0]) > 0 }
func (t topGroups) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *topGroups) Push(x any)        { *t = append(*t, x.(group)) }
func (t *topGroups) Pop() any          { return nil }

func (t *topGroups) add(g group, most int) {
	switch {
	case len(*t) < most:
		*t = append(*t, g)
		if len(*t) == most {
			heap.Init(t)
		}
	case better(&g.best[0], &(*t)[0].best[0]) < 0:
		(*t)[0] = g
		heap.Fix(t, 0)
	}
}
