package store

import (
	"crypto/md5"
	"sync"
)

// Hash identifies a normalised URL: MD5, as in urlkey.url_hash.
type Hash [16]byte

// HashURL returns the key of a normalised URL in urlkey.
func HashURL(url string) Hash { return md5.Sum([]byte(url)) }

// IDCache remembers the ids of URLs or sites seen lately, so that nearly no link of a site that is being crawled needs a
// question to the database. An id never changes while its row lives, so an entry is never wrong; rows leave only by
// index -C, which no crawl survives. Two generations bound it: the older one is dropped whole when the younger is full,
// and what is asked for moves up.
type IDCache[K comparable, V any] struct {
	size       int // of one generation
	mu         sync.RWMutex
	young, old map[K]V
}

func NewIDCache[K comparable, V any](size int) *IDCache[K, V] {
	return &IDCache[K, V]{size: size, young: make(map[K]V)}
}

// Get returns what is remembered of a key.
func (c *IDCache[K, V]) Get(k K) (v V, ok bool) {
	c.mu.RLock()
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

// Add remembers a value.
func (c *IDCache[K, V]) Add(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.young) >= c.size {
		c.old, c.young = c.young, make(map[K]V, c.size)
	}
	c.young[k] = v
}
