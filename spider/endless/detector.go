// Package endless tells sites without end from large ones (docs/decisions, 0017). It counts, for each URL pattern,
// how many of the last pages that were fetched for the first time brought any text that the site did not have yet,
// and whether ever more URLs of the pattern are found. A pattern that grows without bringing anything new is endless.
//
// It knows pages and their texts only: what is done about a pattern is the spider's.
package endless

import (
	"slices"
	"sync"

	"github.com/pgseek/pgseek/document"
)

// Detector is the memory of one process in one run. It has a fixed size.
type Detector struct {
	mu      sync.Mutex
	nodes   map[string]*node
	queries map[string]bool    // sites that have URLs with a query: the set of words of every page counts
	texts   *recentSet         // of sites' texts; nil until it is needed
	found   map[uint64]*origin // by the hash of a URL: the page that it was found on
}

// Found is a pattern that has turned out to be endless.
type Found struct {
	Pattern string
	Except  []string // patterns within it that are not
	Example string   // a URL of it
	Fetched int      // pages of it that were fetched
}

// Limits of the memory of a detector.
const (
	maxNodes      = 30_000
	maxFound      = 100_000
	maxQuerySites = 10_000
)

// node is a pattern of which a page was fetched in this run.
type node struct {
	pattern string
	parent  *node // the next wider pattern; nil = none
	parts   []*node
	query   bool
	exact   bool  // no narrower patterns are below it
	names   names // that the keys of the query have had

	fetched, grown, grownAt int // since it is known: pages, new URLs, pages at the last new URL
	pages, fresh, growing   int // of the block
	// As a part of the parent.
	seen, seenFresh int // since it was judged
	inBlock         int // of the parent's block
	value           value
	excepted        bool // from the pause of the parent

	example string // the last page
	paused  bool
}

// origin is a page on which new URLs were found.
type origin struct {
	node     *node // of its narrowest pattern
	credited int   // the number of its patterns, from there on, that it counts for as one that leads to something new
}

// New returns a detector that knows nothing yet.
func New() *Detector {
	return &Detector{nodes: make(map[string]*node), queries: make(map[string]bool), found: make(map[uint64]*origin)}
}

// Grew counts a new URL of its patterns.
func (e *Detector) Grew(url string) {
	a := addressOf(url)
	if len(a.chain) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !a.query {
		for _, p := range a.chain {
			if n := e.nodes[p]; n != nil {
				n.grew()
			}
		}
		return
	}
	if len(e.queries) >= maxQuerySites {
		clear(e.queries)
	}
	e.queries[url[:PathStart(url)]] = true
	for _, n := range e.chain(a, true) {
		n.grew()
	}
}

// FoundOn remembers that new URLs were found on a page: when they bring something new, the page was of use.
func (e *Detector) FoundOn(url string, links []string) {
	a := addressOf(url)
	if len(a.chain) == 0 || len(links) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	nodes := e.chain(a, false)
	if len(e.found)+len(links) > maxFound {
		clear(e.found)
	}
	from := &origin{node: nodes[len(nodes)-1]}
	for _, l := range links {
		e.found[hashOf(l)] = from
	}
}

// chain returns the nodes of a URL's patterns, the widest first, and makes those that are missing.
func (e *Detector) chain(a address, query bool) []*node {
	if len(e.nodes)+len(a.chain)+1 > maxNodes {
		e.forget()
	}
	nodes := make([]*node, 0, len(a.chain)+1)
	var n *node
	for i, p := range a.chain {
		n = e.node(p, n, query)
		n.exact = n.exact || i == len(a.chain)-1 && len(a.view.keys) == 0
		nodes = append(nodes, n)
	}
	if len(a.view.keys) == 0 {
		return nodes
	}
	if view := a.view.pattern(n.names.add(a.view)); view != "" {
		n = e.node(view, n, query)
		n.exact = true
		nodes = append(nodes, n)
	}
	return nodes
}

// node returns the node of a pattern, and makes it when it is missing.
func (e *Detector) node(pattern string, parent *node, query bool) *node {
	n := e.nodes[pattern]
	if n == nil {
		n = &node{pattern: pattern, parent: parent}
		e.nodes[pattern] = n
		if parent != nil {
			parent.parts = append(parent.parts, n)
		}
	}
	n.query = n.query || query
	return n
}

// grew counts a new URL of the pattern.
func (n *node) grew() { n.grown, n.grownAt = n.grown+1, n.fetched }

// forget removes narrow patterns with few pages, which are most, and all when that is not enough. What is known of others stays.
func (e *Detector) forget() {
	for pattern, n := range e.nodes {
		if len(n.parts) == 0 && n.pages < partPages {
			delete(e.nodes, pattern)
		}
	}
	if len(e.nodes) > maxNodes/2 {
		clear(e.nodes)
		clear(e.found)
	}
	for _, n := range e.nodes {
		n.parts = slices.DeleteFunc(n.parts, func(part *node) bool { return e.nodes[part.pattern] != part })
	}
}

// Visited counts a page that was fetched for the first time, and returns the patterns that have turned out to be
// endless.
func (e *Detector) Visited(url string, doc *document.Document) []Found {
	a := addressOf(url)
	e.mu.Lock()
	wanted := len(a.chain) > 0 || e.queries[url[:PathStart(url)]] || e.found[hashOf(url)] != nil
	e.mu.Unlock()
	if !wanted {
		return nil
	}
	return e.judge(url, a, printOf(url, doc))
}
