package realtime

import "github.com/pgseek/pgseek/store"

// wordCacheSize is the size of one generation of the cache of word ids; both take about 20 MB.
const wordCacheSize = 1 << 17

// Store writes the real-time index of a database. It is safe for concurrent use.
type Store struct {
	*store.DB
	words *store.IDCache[string, store.WordID]
}

// New returns a Store on a database. Its cache of word ids is empty.
func New(db *store.DB) *Store {
	return &Store{DB: db, words: store.NewIDCache[string, store.WordID](db, wordCacheSize)}
}
