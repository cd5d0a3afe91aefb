package search

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/lookup"
)

// A wordCache keeps what the index has of recent query words, for one state of the index. A query of cached
// words needs one look at the database instead of two. That look, which reads the documents, also reads the
// current state of the index, so no answer comes from outdated words. That holds with several databases, too: states of copies
// are comparable (lookup.PostingsState), and the words of one that is ahead or behind are not used. It is safe for concurrent use.
type wordCache struct {
	mu       sync.Mutex
	state    lookup.PostingsState
	words    map[string]*stored // nil for a word that is not in the dictionary
	forms    map[formsKey][]string
	variants map[variantsKey]variants
	bytes    int
}

// variantsKey is a word, and whether other spellings of it were looked for.
type variantsKey struct {
	word      string
	spellings bool
}

func (p *plan) variantsKey(word string) variantsKey { return variantsKey{word, len(p.req.Forms) > 0} }

// formsKey is a word and the languages in which its other forms were looked for.
type formsKey struct{ word, languages string }

const (
	wordCacheBytes = 16 << 20 // size at which the cache is emptied
	wordOverhead   = 300      // overhead of a word
	rowOverhead    = 100
)

// bytes returns the memory that the word takes.
func (w *stored) bytes() int {
	n := wordOverhead
	if w == nil {
		return n
	}
	n += len(w.text) + len(w.inline)
	for _, rows := range w.segments {
		for i := range rows {
			n += rowOverhead + len(rows[i].Blob)
		}
	}
	return n
}

// forget empties the cache.
func (k *wordCache) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.words, k.forms, k.variants, k.bytes = nil, nil, nil, 0
}

// put adds the words of a plan that has just been read. It adds nothing while there is a real-time index,
// because the words may have postings there.
func (k *wordCache) put(p *plan) {
	if p.live.len() > 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.words == nil || k.state != p.state || k.bytes > wordCacheBytes {
		k.state, k.words, k.forms, k.bytes = p.state, map[string]*stored{}, map[formsKey][]string{}, 0
		k.variants = map[variantsKey]variants{}
	}
	for text, w := range p.words {
		if _, ok := k.words[text]; !ok {
			k.words[text] = w
			k.bytes += len(text) + w.bytes()
		}
	}
	for word, v := range p.variants {
		key := p.variantsKey(word)
		if _, ok := k.variants[key]; !ok {
			k.variants[key] = v
			k.bytes += wordOverhead
		}
	}
	for key := range p.formsKeys() {
		if _, ok := k.forms[key]; !ok {
			k.forms[key] = p.forms[key.word]
			k.bytes += wordOverhead
		}
	}
}

// formsKeys yields the keys of the words whose other forms count.
func (p *plan) formsKeys() iter.Seq[formsKey] {
	languages := strings.Join(p.formLanguages(), ",")
	return func(yield func(formsKey) bool) {
		more := languages != ""
		query.Walk(p.tree, func(n query.Node, _ bool) bool {
			if word, ok := n.(query.Word); ok && more {
				more = yield(formsKey{word.Text, languages})
			}
			return more
		})
		for word := range p.synonymWords(true) {
			if more = more && yield(formsKey{word, languages}); !more {
				return
			}
		}
	}
}

// fill sets the words of a plan from the cache. It returns false, and the plan must not be used, unless words
// are all that the plan needs and all of them are cached.
func (k *wordCache) fill(p *plan) bool {
	q, r := p.req.Query, p.req
	if q.Link != "" || len(r.Spaces) > 0 || len(r.Sites) > 0 || len(r.Subsets) > 0 {
		return false
	}
	plain := true
	query.Walk(q.Root, func(n query.Node, _ bool) bool {
		if and, ok := n.(query.And); ok && (len(and.Sites) > 0 || slices.ContainsFunc(and.Filters, func(f query.Filter) bool { return f.Kind == query.ByURL })) {
			plain = false
		}
		return plain
	})
	if !plain {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for leaf := range query.Leaves(p.tree) {
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
	if !p.fillSynonyms(k.words) {
		return false
	}
	if p.req.Ranking == ByRelevance && !k.fillVariants(p) {
		return false
	}
	p.forms = map[string][]string{}
	for key := range p.formsKeys() {
		forms, ok := k.forms[key]
		if !ok {
			return false
		}
		p.forms[key.word] = forms
		for _, form := range forms {
			if p.words[form], ok = k.words[form]; !ok {
				return false
			}
		}
	}
	p.state, p.cached, p.goneAll = k.state, true, true
	return true
}

// fillVariants sets the variants of the words of a plan and their postings. It returns false unless all are cached.
func (k *wordCache) fillVariants(p *plan) bool {
	p.variants = map[string]variants{}
	for word := range p.typedWords() {
		v, ok := k.variants[p.variantsKey(word)]
		if !ok {
			return false
		}
		p.variants[word] = v
		for _, text := range slices.Concat(v.spellings, v.begin, v.end) {
			if p.words[text], ok = k.words[text]; !ok {
				return false
			}
		}
	}
	return true
}

// checkWords queues, in the last look of a plan with cached words, a request for the state of the index,
// and sets p.valid from it.
func (p *plan) checkWords() {
	if !p.cached {
		return
	}
	p.look.Now(goneLimit, func(now lookup.SearchNow) { p.valid = p.validAt(&now) })
}

// validAt reports whether cached words are still valid: the state is the same, the real-time index is empty,
// and no document has left.
func (p *plan) validAt(now *lookup.SearchNow) bool {
	return now.State == p.state && len(now.Live) == 0 && len(now.Gone) == 0 && now.Known
}
