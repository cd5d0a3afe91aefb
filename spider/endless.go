package spider

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// endless is the detector of endless sites (docs/decisions, 0016). It counts, for each URL pattern, how many of
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

// judge counts a page and returns the patterns to pause.
func (e *endless) judge(id store.URLID, url string, chain []string, query bool, text textPrint) (list []*patternNode) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fresh := e.remember(url, text, len(chain) == 0)
	nodes := e.chain(chain, query)
	if from := e.found[id]; from != nil {
		delete(e.found, id)
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
func (n *patternNode) grows() bool {
	return (n.query || n.exact) && n.grown > 0 && 2*n.grown >= n.fetched && n.fetched-n.grownAt <= grewLately
}

// endlessParts returns what to pause of a pattern that brings nothing new: the parts that bring nothing new and
// grow, when a few parts make up most of it and are not all so; else all of it.
func (n *patternNode) endlessParts(list []*patternNode) []*patternNode {
	var pages, large int
	var bad []*patternNode
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

// remember notes the text of a page and reports whether it is new to the site. Of a page whose URL has no pattern the
// set of its words is noted only.
func (e *endless) remember(url string, text textPrint, plain bool) bool {
	if e.texts == nil {
		e.texts = newRecentSet()
	}
	site := hashOf(url[:pathStart(url)])
	bag := e.texts.add(site ^ text.bag)
	if plain && len(e.found) == 0 {
		return bag
	}
	words, runs := e.addAll(site, text.words), e.addAll(site, text.runs)
	numbers, own := e.addAll(site, text.numbers), e.addAll(site, text.own)
	return words > 0 || own > 0 || numbers >= freshNumbers || bag && (runs >= freshRuns || runs*5 >= len(text.runs) && runs > 0)
}

// addAll notes hashes of a site and returns how many were new.
func (e *endless) addAll(site uint64, hashes []uint64) (n int) {
	for _, h := range hashes {
		if e.texts.add(site + h) {
			n++
		}
	}
	return n
}

// A page without a new word is new when it has so many new runs of words, or a fifth of its runs is new: fewer arise where
// pieces are put together that were seen before. And it is new when it has so many new numbers: fewer are a counter or a time.
const (
	freshRuns    = 12
	freshNumbers = 3
)

// pause stores patterns as paused and says so.
func (e *endless) pause(ctx context.Context, v *visit, list []*patternNode) error {
	for _, n := range list {
		if (*e.paused.Load())[n.pattern] || v.c.o.Scope.NeverPause != nil && v.c.o.Scope.NeverPause(v.page.Text) {
			continue
		}
		line := patternRegexp(n.pattern)
		fresh, err := e.c.store.PausePattern(ctx, crawl.PausedPattern{
			Pattern: n.pattern, Site: v.due.Site, Run: e.c.run, Regexp: line, Example: v.page.Text, Fetched: n.fetched,
		})
		if err != nil {
			return err
		}
		if err := e.load(ctx); err != nil {
			return err
		}
		if fresh {
			slog.WarnContext(ctx, "URLs of a pattern seem to be without end: the last pages of it brought nothing new. New ones are not "+
				"fetched any more; documents stay. To crawl them all the same write into sets.cnf: NeverPause "+line+
				" To confirm the pause: Pause "+line+" To take the documents out as well: Disallow "+line,
				"pattern", printable.Log(n.pattern), "example", printable.Log(v.page.Text), "fetched", n.fetched)
		}
	}
	return nil
}

// lift ends the pauses that a NeverPause line ends, before a run begins, and tells which go on without a line.
func (e *endless) lift(ctx context.Context) error {
	list, err := e.c.store.PausedPatterns(ctx)
	if err != nil {
		return err
	}
	scope, unsaid := e.c.o.Scope, 0
	for _, p := range list {
		switch {
		case scope.NeverPause != nil && scope.NeverPause(p.Example):
			if err := e.c.store.LiftPattern(ctx, p, e.c.start); err != nil {
				return err
			}
			slog.InfoContext(ctx, "a line of sets.cnf lifts the pause of a pattern", "pattern", printable.Log(p.Pattern))
		case scope.Pause == nil || !scope.Pause(p.Example):
			unsaid++
		}
	}
	if unsaid > 0 {
		slog.WarnContext(ctx, "new URLs of paused patterns are not fetched; table paused_pattern names them. A line Pause or NeverPause in "+
			"sets.cnf confirms or lifts each", "patterns", unsaid)
	}
	return nil
}
