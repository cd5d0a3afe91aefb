package endless

import "slices"

// The pages of a pattern are judged in blocks. Of a block at most freshPages may have brought something new,
// and at least growingPages must have been fetched while the pattern grew. A pattern with a query of which waitingPages are
// known and not fetched need not grow, when at most idlePages have brought something new.
const (
	blockPages   = 100
	freshPages   = blockPages / 5
	growingPages = blockPages / 2
	idlePages    = blockPages / 50
	waitingPages = blockPages
)

// grewLately is the number of pages of a pattern within which a new URL of it must have been found, for the
// pattern to count as growing.
const grewLately = 10

// judge counts a page and returns the patterns that are endless.
func (e *Detector) judge(url string, a address, text textPrint) (list []Found) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fresh := e.remember(url, text, len(a.chain) == 0)
	nodes := e.chain(a, a.query)
	if from := e.found[hashOf(url)]; from != nil {
		delete(e.found, hashOf(url))
		if fresh {
			from.credit(nodes)
		}
	}
	for _, n := range nodes {
		n.fetched++
		n.example = url
	}
	for _, n := range nodes {
		n.count(fresh, n.grows() || !a.query && nodes[len(nodes)-1].grows())
	}
	for _, n := range nodes {
		if n.pages < blockPages {
			continue
		}
		n.judgeParts()
		if n.fresh <= freshPages && n.growing >= growingPages || n.fresh <= idlePages && n.waits() {
			list = n.endless(list)
		}
		n.endBlock()
	}
	return list
}

// count counts a page of a block.
func (n *node) count(fresh, growing bool) {
	n.pages++
	n.inBlock++
	n.seen++
	if fresh {
		n.worked()
	}
	if growing {
		n.growing++
	}
}

// worked counts that a page of a block was new, or led to something new.
func (n *node) worked() {
	n.fresh++
	n.seenFresh++
}

// credit counts the page as one that leads to something new, for those of its patterns that do not have the page it
// led to. It counts once for each.
func (o *origin) credit(to []*node) {
	level := 0
	for n := o.node; n != nil && !slices.Contains(to, n); n = n.parent {
		if level++; level > o.credited {
			n.worked()
			o.credited = level
		}
	}
}

// grows reports whether new URLs of a pattern are found about as fast as they are fetched. Of a path the URLs of
// the same form count only: a list of months leads to many more days than months.
func (n *node) grows() bool {
	return (n.query || n.exact) && n.grown > 0 && 2*n.grown >= n.fetched && n.fetched-n.grownAt <= grewLately
}

// waits reports whether of a pattern with a query so many URLs are known that are not fetched yet, that they are better left
// alone when none of the last pages was of use.
func (n *node) waits() bool { return n.query && n.grown-n.fetched >= waitingPages }
