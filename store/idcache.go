package store

import (
	"crypto/md5"
	"sync"
)

// Hash identifies a normalized URL: MD5, as in urlkey.url_hash.
type Hash [16]byte

// HashURL returns the key of a normalized URL in urlkey.
func HashURL(url string) Hash { return md5.Sum([]byte(url)) }

// IDCache holds ids of recently used URLs or sites, so that nearly no link of a crawled site needs a query.
// An id never changes while its row exists, so an entry is never wrong; only index -C deletes rows, and no
// crawl runs during that. A server that crashed may have lost rows, so a new connection empties the cache. It
// has two generations: when the younger one is full, the older one is dropped, and an entry of the older one
// that is used moves to the younger one.
type IDCache[K comparable, V any] struct {
	db         *DB
	size       int // of one generation
	mu         sync.RWMutex
	young, old map[K]V
	connected  int64 // DB.Connected when the cache was emptied last
}

func NewIDCache[K comparable, V any](db *DB, size int) *IDCache[K, V] {
	return &IDCache[K, V]{db: db, size: size, young: make(map[K]V), connected: db.Connected()}
}

// Get returns the cached value of a key.
func (c *IDCache[K, V]) Get(k K) (v V, ok bool) {
	c.mu.RLock()
	if now := c.db.Connected(); now != c.connected {
		c.mu.RUnlock()
		c.empty(now)
		return v, false
	}
	v, ok = c.young[k]
	if ok {
		c.mu.RUnlock()
		return v, true
	}
	v, ok = c.old[k]
	c.mu.RUnlock()
	if ok {
		c.Add(k, v)
	}
	return v, ok
}

// Add adds a value.
func (c *IDCache[K, V]) Add(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.young) >= c.size {
		c.old, c.young = c.young, make(map[K]V, c.size)
	}
	c.young[k] = v
}

// empty drops all values: the database was connected to again.
func (c *IDCache[K, V]) empty(connected int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if connected > c.connected {
		c.young, c.old, c.connected = make(map[K]V), nil, connected
	}
}
