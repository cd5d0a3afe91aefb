package search

import (
	"sync"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/lookup"
)

// wordCache keeps what the index has of the words that were asked for last, in one state of the index: a query of such words needs
// one look at the database in place of two. That look, which reads the documents, tells the state of the index at its moment, so
// no answer is of words that are not so any more. It is safe for concurrent use.
type wordCache struct {
	mu    sync.Mutex
	state lookup.PostingsState
	words map[string]*stored // nil for a word that the dictionary does not have
	bytes int
}

const (
	keptBytes = 16 << 20 // beyond, all are forgotten
	keptWord  = 300      // what a word costs beside its bytes
	keptRow   = 100
)

// bytes are what it takes to keep a word.
func (w *stored) bytes() int {
	n := keptWord
	if w == nil {
		return n
	}
	n += len(w.text) + len(w.inline)
	for _, rows := range w.runs {
		for i := range rows {
			n += keptRow + len(rows[i].Blob)
		}
	}
	return n
}

// put keeps the words of a plan, which has just asked for them. Those of a moment at which there is a real-time index are not
// kept: they may have postings there.
func (k *wordCache) put(p *plan) {
	if p.live.len() > 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.words == nil || k.state != p.state || k.bytes > keptBytes {
		k.state, k.words, k.bytes = p.state, map[string]*stored{}, 0
	}
	for text, w := range p.words {
		if _, ok := k.words[text]; !ok {
			k.words[text] = w
			k.bytes += len(text) + w.bytes()
		}
	}
}

// fill gives a plan the words of its query. It is false, and the plan of no use, unless they are all that it has to ask for and
// are kept.
func (k *wordCache) fill(p *plan) bool {
	q, r := p.req.Query, p.req
	if len(r.Forms) > 0 || q.Link != "" || len(r.Spaces) > 0 || len(r.Sites) > 0 || len(r.Subsets) > 0 {
		return false
	}
	plain := true
	query.Walk(q.Root, func(n query.Node, _ bool) bool {
		if and, ok := n.(query.And); ok && len(and.Sites) > 0 {
			plain = false
		}
		return plain
	})
	if !plain {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for leaf := range query.Leaves(q.Root) {
		word, ok := leaf.(query.Word)
		if !ok {
			return false
		}
		w, ok := k.words[word.Text]
		if !ok {
			return false
		}
		p.words[word.Text] = w
	}
	if r.Site != 0 {
		p.filters = append(p.filters, newSiteSet([]int32{r.Site}, false))
	}
	p.state, p.kept, p.goneAll = k.state, true, true
	return true
}

// askWhetherKept asks, in the last look of a plan with words from memory, whether they are as they were, and nothing else counts
// by now: no document of a real-time index, and none that has left.
func (p *plan) askWhetherKept() {
	if !p.kept {
		return
	}
	p.look.Now(goneLimit, func(now lookup.SearchNow) { p.holds = p.holdsAt(&now) })
}

// holdsAt reports whether words from memory are as the index has them, and nothing else counts.
func (p *plan) holdsAt(now *lookup.SearchNow) bool {
	return now.State == p.state && len(now.Live) == 0 && len(now.Gone) == 0 && now.Known
}
