package spider

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// endless is the detector of endless sites (docs/decisions, 0017). It counts, for each URL pattern, how many of
// the last pages that were fetched for the first time brought any text that the site did not have yet, and
// whether ever more URLs of the pattern are found. A pattern that grows without bringing anything new is paused.
//
// Its memory is that of one process in one run and has a fixed size. What it finds is stored.
type endless struct {
	c      *crawler
	paused atomic.Pointer[map[string]bool] // by pattern, of all processes

	mu      sync.Mutex
	nodes   map[string]*patternNode
	queries map[string]bool // sites that have URLs with a query: the set of words of every page counts
	texts   *recentSet      // of sites' texts; nil until it is needed
	found   map[store.URLID]*patternNode
}

// Limits of the memory of a detector.
const (
	maxPatternNodes = 50_000
	maxFound        = 100_000
	maxQuerySites   = 10_000
)

// patternNode is a pattern of which a page was fetched in this run.
type patternNode struct {
	pattern string
	parent  *patternNode // the next wider pattern; nil = none
	parts   []*patternNode
	query   bool
	exact   bool

	fetched, grown, grownAt int // since it is known: pages, new URLs, pages at the last new URL
	pages, fresh, growing   int // of the block
	partOf, partFresh       int // of the parent's block
}

func newEndless(c *crawler) *endless {
	e := &endless{
		c: c, nodes: make(map[string]*patternNode), queries: make(map[string]bool), found: make(map[store.URLID]*patternNode),
	}
	e.paused.Store(&map[string]bool{})
	return e
}

// load reads the paused patterns, which other processes may have added to.
func (e *endless) load(ctx context.Context) error {
	list, err := e.c.store.PausedPatterns(ctx)
	if err != nil {
		return err
	}
	paused := make(map[string]bool, len(list))
	for i := range list {
		paused[list[i].Pattern] = true
	}
	e.paused.Store(&paused)
	return nil
}

// pausedBy returns the pattern by which a new URL is not to be fetched, empty when it may be. Lines of sets.cnf go
// before the detector.
func (e *endless) pausedBy(url string) string {
	if e == nil {
		return ""
	}
	scope := e.c.o.Scope
	paused := *e.paused.Load()
	if len(paused) == 0 && scope.Pause == nil {
		return ""
	}
	if scope.NeverPause != nil && scope.NeverPause(url) {
		return ""
	}
	if scope.Pause != nil && scope.Pause(url) {
		return "Pause in sets.cnf"
	}
	if len(paused) == 0 {
		return ""
	}
	chain, _ := patternsOf(url)
	for _, p := range chain {
		if paused[p] {
			return p
		}
	}
	return ""
}

// grew counts a new URL of its patterns.
func (e *endless) grew(url string) {
	chain, query := patternsOf(url)
	if len(chain) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if query {
		if len(e.queries) >= maxQuerySites {
			clear(e.queries)
		}
		e.queries[url[:pathStart(url)]] = true
	}
	for _, p := range chain {
		if n := e.nodes[p]; n != nil {
			n.grown, n.grownAt = n.grown+1, n.fetched
		}
	}
}

// foundOn remembers that new URLs were found on a page: when they bring something new, the page was of use.
func (e *endless) foundOn(url string, ids []store.URLID) {
	chain, _ := patternsOf(url)
	if len(chain) == 0 || len(ids) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	nodes := e.chain(chain, false)
	if len(e.found)+len(ids) > maxFound {
		clear(e.found)
	}
	for _, id := range ids {
		e.found[id] = nodes[len(nodes)-1]
	}
}

// chain returns the nodes of a chain of patterns, and makes those that are missing.
func (e *endless) chain(chain []string, query bool) []*patternNode {
	if len(e.nodes)+len(chain) > maxPatternNodes {
		clear(e.nodes)
		clear(e.found)
	}
	nodes := make([]*patternNode, len(chain))
	var parent *patternNode
	for i, p := range chain {
		n := e.nodes[p]
		if n == nil {
			n = &patternNode{pattern: p, parent: parent, exact: i == len(chain)-1}
			e.nodes[p] = n
			if parent != nil {
				parent.parts = append(parent.parts, n)
			}
		}
		n.query = n.query || query
		nodes[i], parent = n, n
	}
	return nodes
}

// visited counts a page that was fetched for the first time, and pauses what has turned out to be endless.
func (v *visit) visited(ctx context.Context, o *outcome) error {
	e := v.c.endless
	if e == nil || o.doc == nil || v.due.Status != 0 && !neverAnswered(&crawl.Previous{Status: v.due.Status}) {
		return nil
	}
	url := v.page.Text
	chain, query := patternsOf(url)
	e.mu.Lock()
	wanted := len(chain) > 0 || e.queries[url[:pathStart(url)]] || e.found[v.due.ID] != nil
	e.mu.Unlock()
	if !wanted {
		return nil
	}
	list := e.judge(v.due.ID, url, chain, query, printOf(url, o.doc))
	return e.pause(ctx, v, list)
}
