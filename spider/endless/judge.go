package endless

import "slices"

// The pages of a pattern are judged in blocks. Of a block at most freshPages may have brought something new,
// and at least growingPages must have been fetched while the pattern grew.
const (
	blockPages   = 100
	freshPages   = blockPages / 5
	growingPages = blockPages / 2
)

// A part of a pattern that has many of the pages of a block is paused instead of the whole.
// Is that true of all of several such parts, the whole is paused.
const (
	partPages = blockPages / 10
	manyParts = 3
)

// grewLately is the number of pages of a pattern within which a new URL of it must have been found, for the
// pattern to count as growing.
const grewLately = 10

// judge counts a page and returns the patterns that are endless.
func (e *Detector) judge(url string, chain []string, query bool, text textPrint) (list []*node) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fresh := e.remember(url, text, len(chain) == 0)
	nodes := e.chain(chain, query)
	if from := e.found[hashOf(url)]; from != nil {
		delete(e.found, hashOf(url))
		for n := from; fresh && n != nil; n = n.parent {
			if !slices.Contains(nodes, n) {
				n.fresh++
				n.partFresh++
			}
		}
	}
	for _, n := range nodes {
		n.fetched++
	}
	for _, n := range nodes {
		n.pages++
		n.partOf++
		if fresh {
			n.fresh++
			n.partFresh++
		}
		if n.grows() || !query && nodes[len(nodes)-1].grows() {
			n.growing++
		}
	}
	for _, n := range nodes {
		if n.pages < blockPages {
			continue
		}
		if n.fresh <= freshPages && n.growing >= growingPages {
			list = n.endlessParts(list)
		}
		n.pages, n.fresh, n.growing = 0, 0, 0
		for _, part := range n.parts {
			part.partOf, part.partFresh = 0, 0
		}
	}
	return list
}

// grows reports whether new URLs of a pattern are found about as fast as they are fetched. Of a path the URLs of
// the same form count only: a list of months leads to many more days than months.
func (n *node) grows() bool {
	return (n.query || n.exact) && n.grown > 0 && 2*n.grown >= n.fetched && n.fetched-n.grownAt <= grewLately
}

// endlessParts returns what to pause of a pattern that brings nothing new: the parts that bring nothing new and
// grow, when a few parts make up most of it and are not all so; else all of it.
func (n *node) endlessParts(list []*node) []*node {
	var pages, large int
	var bad []*node
	for _, part := range n.parts {
		if part.partOf < partPages {
			continue
		}
		large++
		pages += part.partOf
		if 5*part.partFresh <= part.partOf && (part.grows() || !part.query && !part.exact) {
			bad = append(bad, part)
		}
	}
	if pages < blockPages/2 || len(bad) >= manyParts && len(bad) == large {
		if slices.Contains(list, n) {
			return list
		}
		return append(list, n)
	}
	for _, part := range bad {
		list = part.endlessParts(list)
	}
	return list
}
