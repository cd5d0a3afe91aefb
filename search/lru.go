package search

import (
	"container/list"
	"sync"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// A lru keeps what was used last, up to a number of bytes. It is safe for concurrent use.
type lru[K comparable, V any] struct {
	mu    sync.Mutex
	limit int // bytes
	bytes int
	kept  map[K]*list.Element
	order list.List // of *lruEntry, the last used first
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

const (
	recentBytes = 200 // what an entry costs beside its value
	recentShare = 16  // one may take so large a part of all
)

func newLRU[K comparable, V any](limit int) *lru[K, V] {
	return &lru[K, V]{limit: limit, kept: map[K]*list.Element{}}
}

func (r *lru[K, V]) get(key K) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.kept[key]
	if e == nil {
		return value, false
	}
	r.order.MoveToFront(e)
	return e.Value.(*lruEntry[K, V]).value, true
}

// put keeps a value of so many bytes, in place of one that the key has. One that would drive out many others is not kept.
func (r *lru[K, V]) put(key K, value V, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.kept[key]; old != nil {
		r.remove(old)
	}
	if bytes += recentBytes; bytes > r.limit/recentShare {
		return
	}
	r.kept[key] = r.order.PushFront(&lruEntry[K, V]{key, value, bytes})
	for r.bytes += bytes; r.bytes > r.limit; {
		r.remove(r.order.Back())
	}
}

func (r *lru[K, V]) remove(e *list.Element) {
	old := r.order.Remove(e).(*lruEntry[K, V])
	delete(r.kept, old.key)
	r.bytes -= old.bytes
}

// A cacheKey names a row of wordfile, or the text of a document in one version. Both are never altered and their keys never used
// again, so what the cache has is right whatever a merge or a crawl does; what is not there any more falls out in time.
type cacheKey struct {
	row      lookup.RowKey
	document store.URLID
	version  uint32 // store.DocumentVersion.Head
}

// A blobCache keeps what is named by cacheKeys.
type blobCache = lru[cacheKey, []byte]

func newBlobCache(limit int) *blobCache { return newLRU[cacheKey, []byte](limit) }

func rowKey(r lookup.RowKey) cacheKey { return cacheKey{row: r} }

func textKey(d *lookup.SearchDocument) cacheKey {
	return cacheKey{document: d.URL, version: d.Version.Head}
}
