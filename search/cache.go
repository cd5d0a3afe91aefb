package search

import (
	"container/list"
	"sync"

	"github.com/pgseek/pgseek/store"
)

// A blobCache keeps rows of wordfile that were read last. Rows are never altered and their keys never used again, so what
// it has is right whatever the merge does; what is gone from the table falls out in time. It is safe for concurrent use.
type blobCache struct {
	mu    sync.Mutex
	limit int // bytes
	bytes int
	rows  map[store.RowKey]*list.Element
	order list.List // of *cachedBlob, the last used first
}

type cachedBlob struct {
	key  store.RowKey
	blob []byte
}

// cachedRow is what a row costs beside its bytes.
const cachedRow = 200

func newBlobCache(limit int) *blobCache {
	return &blobCache{limit: limit, rows: map[store.RowKey]*list.Element{}}
}

func (c *blobCache) get(key store.RowKey) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.rows[key]
	if e == nil {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedBlob).blob, true
}

func (c *blobCache) put(key store.RowKey, blob []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(blob)+cachedRow > c.limit || c.rows[key] != nil {
		return
	}
	c.rows[key] = c.order.PushFront(&cachedBlob{key, blob})
	for c.bytes += len(blob) + cachedRow; c.bytes > c.limit; {
		last := c.order.Back()
		old := c.order.Remove(last).(*cachedBlob)
		delete(c.rows, old.key)
		c.bytes -= len(old.blob) + cachedRow
	}
}
