package search

import (
	"container/list"
	"sync"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// An lru is a least-recently-used cache with a size in bytes. It is safe for concurrent use.
type lru[K comparable, V any] struct {
	mu      sync.Mutex
	limit   int // bytes
	bytes   int
	entries map[K]*list.Element
	order   list.List // of *lruEntry, the most recently used first
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

const (
	entryOverhead = 200 // overhead of an entry
	maxEntryShare = 16  // an entry may take 1/maxEntryShare of the limit
)

func newLRU[K comparable, V any](limit int) *lru[K, V] {
	return &lru[K, V]{limit: limit, entries: map[K]*list.Element{}}
}

func (r *lru[K, V]) get(key K) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[key]
	if e == nil {
		return value, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*lruEntry[K, V]).value, true
}

// put adds a value of a size in bytes, or replaces the value of the key. Values that would evict many others
// are not added.
func (r *lru[K, V]) put(key K, value V, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.entries[key]; old != nil {
		r.remove(old)
	}
	if bytes += entryOverhead; bytes > r.limit/maxEntryShare {
		return
	}
	r.entries[key] = r.order.PushFront(&lruEntry[K, V]{key, value, bytes})
	for r.bytes += bytes; r.bytes > r.limit; {
		r.remove(r.order.Back())
	}
}

// clear removes all values.
func (r *lru[K, V]) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries, r.bytes = map[K]*list.Element{}, 0
	r.order.Init()
}

func (r *lru[K, V]) remove(e *list.Element) {
	old := r.order.Remove(e).(*lruEntry[K, V])
	delete(r.entries, old.key)
	r.bytes -= old.bytes
}

// A cacheKey identifies a row of wordfile, or the text of one version of a document. Neither is ever changed
// and keys are never reused, so entries stay correct whatever a merge or a crawl does. Entries of rows that
// no longer exist are evicted in time.
type cacheKey struct {
	row      lookup.RowKey
	document store.URLID
	version  uint32 // store.DocumentVersion.Head
	mode     int    // how its words were read
}

// A blobCache caches the blobs that cacheKeys identify.
type blobCache = lru[cacheKey, []byte]

func newBlobCache(limit int) *blobCache { return newLRU[cacheKey, []byte](limit) }

func rowKey(r lookup.RowKey) cacheKey { return cacheKey{row: r} }

func textKey(d *lookup.SearchDocument) cacheKey {
	return cacheKey{document: d.URL, version: d.Version.Head, mode: d.How.Mode & store.ModeReading}
}
