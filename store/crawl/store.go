package crawl

import (
	"context"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/realtime"
)

// Sizes of one generation of the id caches. Two generations of both take about 20 MB.
const (
	urlCacheSize  = 1 << 17
	siteCacheSize = 1 << 13
)

// Store reads and writes the state of crawls in a database. It is safe for concurrent use.
type Store struct {
	*store.DB
	ids   *idBlock
	urls  *store.IDCache[store.Hash, store.URLID]
	sites *store.IDCache[string, store.SiteID]
	words *realtime.Store
}

// New returns a Store on a database. Its caches are empty.
func New(db *store.DB) *Store {
	return &Store{
		DB:    db,
		ids:   &idBlock{db: db},
		urls:  store.NewIDCache[store.Hash, store.URLID](db, urlCacheSize),
		sites: store.NewIDCache[string, store.SiteID](db, siteCacheSize),
		words: realtime.New(db),
	}
}

// IndexWords returns the words of documents with their ids, as realtime.Store.IndexWords does.
func (s *Store) IndexWords(ctx context.Context, packed ...[]byte) ([]*realtime.Indexed, error) {
	return s.words.IndexWords(ctx, packed...)
}
